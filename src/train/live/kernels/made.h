/* made.h -- what tensor ranks combine between two calls: copied from the network into the
 * plan's buffer and back.
 */
#ifndef DTS_TRAIN_LIVE_KERNELS_MADE_H
#define DTS_TRAIN_LIVE_KERNELS_MADE_H

#include "train/live/kernels/rank.h"

/* Fails (DTS_UNSUPPORTED) where members would have unequal shares of the sums of a loss, or of
 * positions. */
bool dts_live_made_open(struct dts_live_kernels *kernels, struct dts_error *err);

/* Before the first message of an operation, and after its last; others than those are left
 * alone. */
void dts_live_made_give(struct dts_live_kernels *kernels, const struct dts_op *op);
void dts_live_made_take(struct dts_live_kernels *kernels, const struct dts_op *op);

#endif
