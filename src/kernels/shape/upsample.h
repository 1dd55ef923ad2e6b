/* upsample.h -- what the files of interpolation tell one another. */
#ifndef DTS_KERNELS_SHAPE_UPSAMPLE_H
#define DTS_KERNELS_SHAPE_UPSAMPLE_H

#include "kernels/op.h"

/* Axes that a call does not have are of size 1, before the others. */
enum { DTS_UPSAMPLE_AXES = DTS_DIMS - 1 };
struct dts_upsample {
    size_t planes, in[DTS_UPSAMPLE_AXES], out[DTS_UPSAMPLE_AXES], in_pixels, out_pixels;
};
struct dts_upsample dts_upsample_of(const struct dts_op_call *call, int batch);

/* Where an output lies between two inputs of an axis: high counts by `share` of 1. */
struct dts_interpolation {
    size_t low, high;
    double share;
};
struct dts_interpolation dts_interpolation_of(size_t output, size_t in, size_t out);

dts_op_fn dts_upsample_forward_host, dts_upsample_backward_host;
dts_op_fn dts_upsample_forward_cuda, dts_upsample_backward_cuda;
size_t dts_upsample_scratch_host(const struct dts_op_call *call, int batch, int workers);

#endif
