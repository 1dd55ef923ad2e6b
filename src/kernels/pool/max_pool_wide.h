/* max_pool_wide.h -- the largest of usual windows, vectors of them at once. */
#ifndef DTS_KERNELS_POOL_MAX_POOL_WIDE_H
#define DTS_KERNELS_POOL_MAX_POOL_WIDE_H

#include "kernels/pool/pool.h"
#include "kernels/ranges.h"

enum { DTS_MAX_POOL_WIDE_MOST = 512 }; // windows of a line

/* Of pools that are wide, see pool_wide.h; over planes. Backward a line has at least as many
 * windows as a vector holds, of 8 values or more. */
dts_range_fn dts_max_pool_wide_forward, dts_max_pool_wide_backward;

/* Bytes of scratch that a worker needs, backward. */
size_t dts_max_pool_wide_room(const struct dts_pool *pool);

#endif
