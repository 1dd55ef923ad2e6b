/* expected.h -- how far predictions of a class of published cases were off
 * (docs/validation.md). */
#ifndef DTS_ANSWER_VALIDATE_EXPECTED_H
#define DTS_ANSWER_VALIDATE_EXPECTED_H

#include <stdbool.h>

/* Nine in ten cases of the class, at about so many devices, had a throughput that was off by at
 * most *percent of the published one. Where fewer than five cases are so large or so small all
 * of the class count. False: too few are known. Values: docs/validation-limits.csv, read when
 * the program is built. */
bool dts_expected_error(const char *class, int devices, double *percent);

#endif
