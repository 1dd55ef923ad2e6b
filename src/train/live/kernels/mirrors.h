/* mirrors.h -- what messages and files see of a network that computes elsewhere than on
 * the host (kernels/space/mirror.h): copies in the host's memory.
 */
#ifndef DTS_TRAIN_LIVE_KERNELS_MIRRORS_H
#define DTS_TRAIN_LIVE_KERNELS_MIRRORS_H

#include "train/live/kernels/rank.h"

/* The plan's buffers become what is here of a worker's network. */
bool dts_live_mirrors_open(struct dts_live_kernels *kernels, struct dts_error *err);

/* What both sides have of a buffer of the plan. */
const struct dts_mirror *dts_live_mirror_of(const struct dts_live_kernels *kernels, int buffer);

/* Verbs of the executor (live/executor.h): the span of an operation that has messages. */
void dts_live_mirrors_bring(void *kernels, const struct dts_op *op);
void dts_live_mirrors_carry_off(void *kernels, const struct dts_op *op);

/* Ends all ranks where the device of this one has failed: they wait for its messages. */
void dts_live_mirrors_check(const struct dts_live_kernels *kernels);

/* Between runs, all that a worker has to remember: weights, what the optimizer keeps, running
 * statistics. From the device, and to it; a server has nothing there. */
void dts_live_mirrors_fetch(const struct dts_live_kernels *kernels);
void dts_live_mirrors_store(const struct dts_live_kernels *kernels);

#endif
