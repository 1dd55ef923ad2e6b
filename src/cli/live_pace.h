/* live_pace.h -- how fast the processors of all ranks are while all of them work: what a
 * profile that was made at another pace cannot tell (kernels/pace.h).
 */
#ifndef DTS_CLI_LIVE_PACE_H
#define DTS_CLI_LIVE_PACE_H

#include "live/wire.h"
#include "ops/workers.h"

/* Every rank calls it at the same place, those that compute nothing with `computes` false.
 * Rank 0 gets the pace of the slowest rank, others 0. Takes some milliseconds. */
double dts_live_pace_s(const struct dts_wire *wire, bool computes, struct dts_workers *workers);

#endif
