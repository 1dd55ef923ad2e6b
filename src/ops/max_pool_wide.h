/* max_pool_wide.h -- the largest of usual windows, vectors of them at once. */
#ifndef DTS_OPS_MAX_POOL_WIDE_H
#define DTS_OPS_MAX_POOL_WIDE_H

#include "ops/pool.h"
#include "ops/ranges.h"

/* Whether the function can do it; it goes over planes. */
bool dts_max_pool_is_wide(const struct dts_pool *pool);
dts_range_fn dts_max_pool_wide_forward;

#endif
