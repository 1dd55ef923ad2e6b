/* naive.h -- three predictors without physics, which know the points that dtsim knows. A
 * prediction that loses against them is not worth asking.
 *
 * With y the samples a second of one device, and n the number of devices; for sequences y is
 * in operations a second, since a system may be of several networks:
 *
 *     linear    y of the system's anchor
 *     nearest   y of the nearest other point, by |ln n| + |ln batch of a device| between them
 *     power     y ~ n^p through the two other points nearest in ln n; of one: its y
 */
#ifndef DTS_ANSWER_VALIDATE_NAIVE_H
#define DTS_ANSWER_VALIDATE_NAIVE_H

#include "answer/validate/validate.h"

/* Fills linear, nearest and power of all cases that are scored and train. Needs the batches. */
void dts_naive(const struct dts_case_set *set, struct dts_judged *judged);

#endif
