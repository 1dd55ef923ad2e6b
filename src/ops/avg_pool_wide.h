/* avg_pool_wide.h -- means of usual windows over lines that vectors of windows fit into. */
#ifndef DTS_OPS_AVG_POOL_WIDE_H
#define DTS_OPS_AVG_POOL_WIDE_H

#include "ops/pool.h"
#include "ops/ranges.h"

/* Whether these functions can do it; they go over planes. */
bool dts_avg_pool_is_wide(const struct dts_pool *pool);
size_t dts_avg_pool_wide_scratch(const struct dts_pool *pool, int workers);
dts_range_fn dts_avg_pool_wide_forward, dts_avg_pool_wide_backward;

#endif
