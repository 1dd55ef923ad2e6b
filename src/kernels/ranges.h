/* ranges.h -- operations whose work is a row of independent things (values, planes, channels):
 * each worker does a range of them. Results do not depend on the number of workers. */
#ifndef DTS_KERNELS_RANGES_H
#define DTS_KERNELS_RANGES_H

#include "kernels/op.h"

struct dts_range {
    size_t first, count;
    int worker; // for scratch of its own
};

typedef void dts_range_fn(const struct dts_op_call *call, const struct dts_arrays *arrays,
                          struct dts_range range);

/* Do all of `count` things. */
void dts_ranges(dts_range_fn *part, size_t count, const struct dts_op_call *call,
                const struct dts_arrays *arrays, const struct dts_place *place);

#endif
