/* shares.h -- which parts of a stage's weights a rank updates, where ranks divide them: what
 * its reduce-scatters leave with it and its all-gathers take from it.
 */
#ifndef DTS_TRAIN_LIVE_KERNELS_SHARES_H
#define DTS_TRAIN_LIVE_KERNELS_SHARES_H

#include "train/live/kernels/rank.h"

/* Fills shares, and `summed` where each microbatch is summed by itself. Fails (DTS_UNSUPPORTED)
 * where the plan sums and gathers other parts, or weights that stages share are divided. */
bool dts_live_shares_find(struct dts_live_kernels *kernels, struct dts_error *err);

/* A collective is done: where each microbatch is summed by itself, what is summed now joins the
 * sums of the others. */
void dts_live_shares_summed(struct dts_live_kernels *kernels, const struct dts_op *op);

#endif
