/* conv_transpose.h -- what the files of transposed convolutions tell one another. */
#ifndef DTS_KERNELS_CONV_CONV_TRANSPOSE_H
#define DTS_KERNELS_CONV_CONV_TRANSPOSE_H

#include "kernels/conv/conv.h"

/* The convolution whose gradient the call is: from its output to its input, without a bias. */
struct dts_op_call dts_conv_transposed(const struct dts_op_call *call);

/* The arrays of its three passes: what forward makes, and both gradients of backward. */
struct dts_arrays dts_conv_transpose_makes_y(const struct dts_arrays *a);
struct dts_arrays dts_conv_transpose_makes_dx(const struct dts_arrays *a);
struct dts_arrays dts_conv_transpose_makes_dw(const struct dts_arrays *a);

dts_op_fn dts_conv_transpose_forward_cuda, dts_conv_transpose_backward_cuda;
size_t dts_conv_transpose_forward_scratch_cuda(const struct dts_op_call *call, int batch,
                                               int workers);
size_t dts_conv_transpose_backward_scratch_cuda(const struct dts_op_call *call, int batch,
                                                int workers);

#endif
