/* device.h -- where each rank of a training computes. */
#ifndef DTS_TRAIN_LIVE_KERNELS_DEVICE_H
#define DTS_TRAIN_LIVE_KERNELS_DEVICE_H

#include "train/live/kernels/rank.h"

/* Every rank calls it; kernels->space is there afterwards on a worker. GPUs are dealt out on
 * each machine, one to each worker; fails (DTS_UNSUPPORTED) where there are too few. */
bool dts_live_device_open(struct dts_live_kernels *kernels, bool worker, struct dts_error *err);

#endif
