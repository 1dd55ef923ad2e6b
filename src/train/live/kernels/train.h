/* train.h -- training for real, from the first step to the last: runs of the plan, and
 * between them what is done once in a while.
 */
#ifndef DTS_TRAIN_LIVE_KERNELS_TRAIN_H
#define DTS_TRAIN_LIVE_KERNELS_TRAIN_H

#include "train/live/kernels/kernels.h"
#include "train/live/walk.h"

struct dts_live_training {
    const struct dts_live *live; // how a run of the plan is made; executor: dts_live_kernels()
    struct dts_live_rank *rank;
    struct dts_live_kernels *kernels;  // live->context
    struct dts_comparison *comparison; // filled on rank 0
    struct dts_timing *timing;         // the same
};

/* Every rank calls it. A build without kernels fails. */
bool dts_live_train(const struct dts_live_training *training, struct dts_error *err);

#endif
