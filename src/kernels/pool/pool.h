/* pool.h -- what the files of windowed pools tell one another. */
#ifndef DTS_KERNELS_POOL_POOL_H
#define DTS_KERNELS_POOL_POOL_H

#include "kernels/op.h"

/* Planes (samples times channels) and the window over one. Axes that a call does not have are
 * of size 1, in front of the others, so that the last is always the one that runs fastest. */
enum { DTS_POOL_AXES = DTS_DIMS - 1 };
struct dts_pool {
    size_t planes, in_pixels, out_pixels;
    int in[DTS_POOL_AXES], out[DTS_POOL_AXES];
    int kernel[DTS_POOL_AXES], stride[DTS_POOL_AXES], before[DTS_POOL_AXES];
    bool inside; // an average divides by what is inside of the input alone
};

/* Where a window begins and ends along each axis, inside of the input; never empty. `values`
 * is what an average divides by: all within the padding, too, as far as it is as wide behind
 * as before; with `inside` what it adds. */
struct dts_pool_window {
    int first[DTS_POOL_AXES], end[DTS_POOL_AXES];
    double values; // more than an int counts, where padding makes wide windows
};

struct dts_pool dts_pool_of(const struct dts_op_call *call, int batch);
struct dts_pool_window dts_pool_window_at(const struct dts_pool *pool, size_t out_pixel);

dts_op_fn dts_max_pool_forward_host, dts_max_pool_backward_host;
dts_op_fn dts_avg_pool_forward_host, dts_avg_pool_backward_host;
size_t dts_pool_scratch_host(const struct dts_op_call *call, int batch, int workers);
size_t dts_max_pool_backward_scratch_host(const struct dts_op_call *call, int batch,
                                          int workers);
dts_op_fn dts_max_pool_forward_cuda, dts_max_pool_backward_cuda;
dts_op_fn dts_avg_pool_forward_cuda, dts_avg_pool_backward_cuda;

#endif
