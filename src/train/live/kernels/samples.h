/* samples.h -- which samples ranks have in a step. */
#ifndef DTS_TRAIN_LIVE_KERNELS_SAMPLES_H
#define DTS_TRAIN_LIVE_KERNELS_SAMPLES_H

#include "train/live/kernels/rank.h"

/* Input and targets of the network, in the slot that is selected, become those of a
 * replica in a microbatch. Returns the position of the first one, counted over all ranks and
 * steps. */
uint64_t dts_live_samples(struct dts_live_kernels *kernels, struct dts_network *network,
                          int replica, long step, int microbatch);

#endif
