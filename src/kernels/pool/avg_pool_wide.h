/* avg_pool_wide.h -- means of usual windows over lines that vectors of windows fit into. */
#ifndef DTS_KERNELS_POOL_AVG_POOL_WIDE_H
#define DTS_KERNELS_POOL_AVG_POOL_WIDE_H

#include "kernels/ranges.h"

/* Of pools that are wide, see pool_wide.h; over planes. */
dts_range_fn dts_avg_pool_wide_forward, dts_avg_pool_wide_backward;

#endif
