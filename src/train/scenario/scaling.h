/* scaling.h -- how the learning rate follows the global batch. One row each.
 *
 *     constant      the rate of every batch
 *     linear        rate B/b: Goyal et al. 2017 (arXiv:1706.02677), section 2.1, for SGD
 *     square_root   rate sqrt(B/b): Krizhevsky 2014 (arXiv:1404.5997), section 5; You et al.
 *                   2019 (arXiv:1904.00962) for LAMB
 *
 * B is the batch of a step, b the one that the rate was found at.
 */
#ifndef DTS_TRAIN_SCENARIO_SCALING_H
#define DTS_TRAIN_SCENARIO_SCALING_H

const char *dts_scaling_name(int i); // NULL at the end

/* What the rate is multiplied by at `ratio` = B/b. The name is a row's. */
double dts_scaling_factor(const char *name, double ratio);

#endif
