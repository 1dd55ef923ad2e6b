/* conv_transpose.cu -- the GPU version of conv_transpose.c, which says what is computed: the
 * passes of conv.cu in another order, and the bias. */
#include "kernels/product/products.cuh"

extern "C" {
#include "kernels/conv/conv_transpose.h"

dts_op_fn dts_conv_forward_cuda, dts_conv_backward_cuda; // conv.cu
size_t dts_conv_forward_scratch_cuda(const struct dts_op_call *call, int batch, int workers);
size_t dts_conv_backward_scratch_cuda(const struct dts_op_call *call, int batch, int workers);
}

extern "C" size_t dts_conv_transpose_forward_scratch_cuda(const struct dts_op_call *call,
                                                          int batch, int workers)
{
    const struct dts_op_call conv = dts_conv_transposed(call);
    return dts_conv_backward_scratch_cuda(&conv, batch, workers);
}

extern "C" size_t dts_conv_transpose_backward_scratch_cuda(const struct dts_op_call *call,
                                                           int batch, int workers)
{
    const struct dts_op_call conv = dts_conv_transposed(call);
    const size_t dx = dts_conv_forward_scratch_cuda(&conv, batch, workers);
    const size_t dw = dts_conv_backward_scratch_cuda(&conv, batch, workers);
    return dx > dw ? dx : dw;
}

extern "C" void dts_conv_transpose_forward_cuda(const struct dts_op_call *call,
                                                const struct dts_arrays *a,
                                                const struct dts_place *place)
{
    const struct dts_op_call conv = dts_conv_transposed(call);
    const struct dts_arrays made = dts_conv_transpose_makes_y(a);
    const size_t channels = call->output.size[0];
    const size_t pixels = dts_dims_elements(&call->output) / channels;
    const float *bias = (const float *)a->w[1];
    float *y = (float *)a->y;
    dts_conv_backward_cuda(&conv, &made, place);
    if (call->bias)
        dts_for_each_pixel((size_t)a->batch * channels, pixels, place,
                           [=] __device__(size_t plane, size_t p) {
                               y[plane * pixels + p] += bias[plane % channels];
                           });
}

extern "C" void dts_conv_transpose_backward_cuda(const struct dts_op_call *call,
                                                 const struct dts_arrays *a,
                                                 const struct dts_place *place)
{
    const struct dts_op_call conv = dts_conv_transposed(call);
    const struct dts_arrays dx = dts_conv_transpose_makes_dx(a);
    const struct dts_arrays dw = dts_conv_transpose_makes_dw(a);
    if (a->dx[0] != NULL)
        dts_conv_forward_cuda(&conv, &dx, place);
    if (a->dw[0] != NULL)
        dts_conv_backward_cuda(&conv, &dw, place);
    dts_conv_bias_backward_cuda(call, a, place);
}
