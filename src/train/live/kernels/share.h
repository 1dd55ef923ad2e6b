/* share.h -- between runs of the plan: ranks that must have the same get the same. */
#ifndef DTS_TRAIN_LIVE_KERNELS_SHARE_H
#define DTS_TRAIN_LIVE_KERNELS_SHARE_H

#include "train/live/kernels/rank.h"

/* Every rank calls these. Weights: rank 0's, or where ranks have parts those of the first rank
 * that has each; a server whose weights have more digits keeps them. */
void dts_live_share_weights(struct dts_live_kernels *kernels);

/* The same of running statistics; a server only listens. */
void dts_live_share_states(struct dts_live_kernels *kernels);

#endif
