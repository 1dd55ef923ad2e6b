/* mean_pool.h -- what the files of means over a grid tell one another. */
#ifndef DTS_KERNELS_POOL_MEAN_POOL_H
#define DTS_KERNELS_POOL_MEAN_POOL_H

#include "kernels/op.h"

/* Axes that a call does not have are of size 1, behind the others. */
enum { DTS_GRID_AXES = DTS_DIMS - 1 };
struct dts_grid {
    size_t in[DTS_GRID_AXES], out[DTS_GRID_AXES], in_pixels, out_pixels;
};
struct dts_grid dts_grid_of(const struct dts_op_call *call);

dts_op_fn dts_mean_pool_forward_cuda, dts_mean_pool_backward_cuda;

#endif
