/* live_device.h -- where each rank of a training computes. */
#ifndef DTS_CLI_LIVE_DEVICE_H
#define DTS_CLI_LIVE_DEVICE_H

#include "cli/live_kernels.h"

/* Every rank calls it; kernels->space is there afterwards on a worker. GPUs are dealt out on
 * each machine, one to each worker; fails (DTS_UNSUPPORTED) where there are too few. */
bool dts_live_device_open(struct dts_live_kernels *kernels, bool worker, struct dts_error *err);

#endif
