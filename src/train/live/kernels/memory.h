/* memory.h -- what training ranks hold. */
#ifndef DTS_TRAIN_LIVE_KERNELS_MEMORY_H
#define DTS_TRAIN_LIVE_KERNELS_MEMORY_H

#include "train/live/kernels/rank.h"

/* Bytes of the networks of the rank that has most: weights, gradients, activations of all
 * microbatches in flight, and what kernels work with. Every rank calls it, rank 0 knows. */
double dts_live_network_bytes(const struct dts_live_kernels *kernels);

#endif
