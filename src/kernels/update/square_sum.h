/* square_sum.h -- the squared norm of gradients. */
#ifndef DTS_KERNELS_UPDATE_SQUARE_SUM_H
#define DTS_KERNELS_UPDATE_SQUARE_SUM_H

#include <stddef.h>

struct dts_workers;

/* The sum of the squares of `values`, the same whatever the number of workers; NULL: none.
 * Relative error below 1e-5: blocks are summed in float, their sums in double. */
double dts_square_sum(const float *values, size_t count, struct dts_workers *workers);

#endif
