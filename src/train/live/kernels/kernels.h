/* kernels.h -- the executor that trains for real: a network's kernels on this rank's
 * samples (train/network/network.h), gradients where the plan's messages take them from.
 *
 * In bf16 and fp16 the network computes in mixed precision, messages have 16 bits, weights and
 * what the optimizer keeps are fp32. In fp16 the loss is scaled: all ranks have the same sums
 * of gradients, so each finds by itself whether a step is left out, and all agree.
 */
#ifndef DTS_TRAIN_LIVE_KERNELS_KERNELS_H
#define DTS_TRAIN_LIVE_KERNELS_KERNELS_H

#include "train/live/kernels/rank.h"

/* NULL: a build without kernels. */
const struct dts_executor *dts_live_kernels(void);

/* Fails where the network or its data cannot be had. Each rank calls it before its first run.
 */
bool dts_live_kernels_open(struct dts_live_kernels *kernels,
                           const struct dts_executor_rank *rank, struct dts_error *err);
void dts_live_kernels_close(struct dts_live_kernels *kernels);

#endif
