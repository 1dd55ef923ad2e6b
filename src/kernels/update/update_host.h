/* update_host.h -- what the updates on a CPU share: workers that take blocks of a tensor. */
#ifndef DTS_KERNELS_UPDATE_UPDATE_HOST_H
#define DTS_KERNELS_UPDATE_UPDATE_HOST_H

#include "kernels/update/update.h"

/* Values that one worker takes at once, and whose squares are added apart from the others':
 * sums do not depend on the number of workers. */
enum { DTS_UPDATE_BLOCK = 4096 };

/* Update values begin .. end - 1; factors are the rule's own, ready for all values. */
typedef void dts_update_part(const struct dts_update_settings *settings,
                             const struct dts_update_arrays *arrays, const double *factors,
                             size_t begin, size_t end);

void dts_update_each(dts_update_part *part, const struct dts_update_settings *settings,
                     const struct dts_update_arrays *arrays, const double *factors,
                     struct dts_workers *workers);

/* Two sums over a block, and over all of the tensor, in the order of the blocks. Uses the
 * scratch of a rule with `norms`. */
typedef void dts_update_sums(const struct dts_update_settings *settings,
                             const struct dts_update_arrays *arrays, const double *factors,
                             size_t begin, size_t end, double sums[2]);

void dts_update_sum(dts_update_sums *part, const struct dts_update_settings *settings,
                    const struct dts_update_arrays *arrays, const double *factors,
                    struct dts_workers *workers, double sums[2]);

/* The sums of squares of weights and of gradients. */
dts_update_sums dts_update_squares;

/* The sum of squares of at most a block. */
double dts_update_square(const float *values, size_t count);

#endif
