/* pace.h -- how fast the processors of all ranks are while all of them work: what a
 * profile that was made at another pace cannot tell (base/measure/pace.h).
 */
#ifndef DTS_TRAIN_LIVE_KERNELS_PACE_H
#define DTS_TRAIN_LIVE_KERNELS_PACE_H

#include "live/wire.h"
#include "train/network/network.h"

/* Every rank calls it at the same place; network: NULL on those that compute nothing. Rank 0
 * gets the pace of the slowest rank, others 0. */
double dts_live_pace_s(const struct dts_wire *wire, struct dts_network *network);

#endif
