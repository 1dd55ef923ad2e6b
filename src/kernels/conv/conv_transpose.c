/* conv_transpose.c -- the gradient of a convolution used forward (Dumoulin and Visin 2016,
 * arXiv:1603.07285, chapter 4): of channels c of the input and o of the output, one to three
 * axes, in groups
 *
 *     y[b, o, q]   = bias[o] + sum over c, k, and p with p stride + k dilation - before = q, of
 *                    w[c, o, k] x[b, c, p]
 *     dx[b, c, p]  = sum over o, k of w[c, o, k] dy[b, o, p stride + k dilation - before]
 *     dw[c, o, k] += sum over b, p of x[b, c, p] dy[b, o, p stride + k dilation - before]
 *
 * Weights are PyTorch's: [in, out / groups, ...kernel], those of the convolution from y to x.
 * Its three passes are used in another order: its gradient of the input is y, forward it makes
 * dx from dy, and its gradient of the weights has x in the place of the gradient.
 */
#include "kernels/conv/conv_transpose.h"
#include "kernels/op_cost.h"
#include "kernels/ranges.h"

extern const struct dts_operation dts_op_conv;

struct dts_op_call dts_conv_transposed(const struct dts_op_call *call)
{
    struct dts_op_call conv = *call;
    conv.op = "conv";
    conv.inputs[0] = call->output;
    conv.output = call->inputs[0];
    conv.param_count = 1;
    conv.bias = false;
    return conv;
}

struct dts_arrays dts_conv_transpose_makes_y(const struct dts_arrays *a)
{
    struct dts_arrays conv = *a;
    conv.x[0] = NULL; // the gradient of an input does not depend on it
    conv.dy = a->x[0];
    conv.dx[0] = a->y;
    conv.dw[0] = conv.dw[1] = NULL;
    return conv;
}

struct dts_arrays dts_conv_transpose_makes_dx(const struct dts_arrays *a)
{
    struct dts_arrays conv = *a;
    conv.x[0] = a->dy;
    conv.y = a->dx[0];
    return conv;
}

struct dts_arrays dts_conv_transpose_makes_dw(const struct dts_arrays *a)
{
    struct dts_arrays conv = *a;
    conv.x[0] = a->dy;
    conv.dy = a->x[0];
    conv.dx[0] = NULL;
    return conv;
}

static void transposed_forward(const struct dts_op_call *call, const struct dts_arrays *a,
                               const struct dts_place *place,
                               const struct dts_op_version *version)
{
    const struct dts_op_call conv = dts_conv_transposed(call);
    const struct dts_arrays y = dts_conv_transpose_makes_y(a);
    version->backward(&conv, &y, place);
}

static void transposed_backward(const struct dts_op_call *call, const struct dts_arrays *a,
                                const struct dts_place *place,
                                const struct dts_op_version *version)
{
    const struct dts_op_call conv = dts_conv_transposed(call);
    const struct dts_arrays dx = dts_conv_transpose_makes_dx(a);
    const struct dts_arrays dw = dts_conv_transpose_makes_dw(a);
    if (a->dx[0] != NULL)
        version->forward(&conv, &dx, place);
    if (a->dw[0] != NULL)
        version->backward(&conv, &dw, place);
}

static size_t pixels_of(const struct dts_op_call *call)
{
    return dts_dims_elements(&call->output) / call->output.size[0];
}

static void forward(const struct dts_op_call *call, const struct dts_arrays *a,
                    const struct dts_place *place)
{
    const size_t channels = call->output.size[0], pixels = pixels_of(call);
    transposed_forward(call, a, place, &dts_op_conv.reference);
    for (size_t i = 0; i < (size_t)a->batch * channels * pixels && call->bias; i++)
        ((double *)a->y)[i] += ((const double *)a->w[1])[i / pixels % channels];
}

static void backward(const struct dts_op_call *call, const struct dts_arrays *a,
                     const struct dts_place *place)
{
    const size_t channels = call->output.size[0], pixels = pixels_of(call);
    transposed_backward(call, a, place, &dts_op_conv.reference);
    for (size_t i = 0; i < (size_t)a->batch * channels * pixels && call->bias; i++)
        if (a->dw[1] != NULL)
            ((double *)a->dw[1])[i / pixels % channels] += ((const double *)a->dy)[i];
}

/* A range of planes. */
static void add_bias(const struct dts_op_call *call, const struct dts_arrays *a,
                     struct dts_range range)
{
    const size_t channels = call->output.size[0], pixels = pixels_of(call);
    for (size_t plane = range.first; plane < range.first + range.count; plane++) {
        const float bias = ((const float *)a->w[1])[plane % channels];
        float *y = (float *)a->y + plane * pixels;
#pragma omp simd
        for (size_t p = 0; p < pixels; p++)
            y[p] += bias;
    }
}

static void forward_host(const struct dts_op_call *call, const struct dts_arrays *a,
                         const struct dts_place *place)
{
    transposed_forward(call, a, place, &dts_op_conv.host);
    if (call->bias)
        dts_ranges(add_bias, (size_t)a->batch * call->output.size[0], call, a, place);
}

static void backward_host(const struct dts_op_call *call, const struct dts_arrays *a,
                          const struct dts_place *place)
{
    transposed_backward(call, a, place, &dts_op_conv.host);
    dts_conv_bias_backward_host(call, a, place);
}

static size_t forward_scratch(const struct dts_op_call *call, int batch, int workers)
{
    const struct dts_op_call conv = dts_conv_transposed(call);
    return dts_conv_backward_scratch(&conv, batch, workers);
}

static size_t backward_scratch(const struct dts_op_call *call, int batch, int workers)
{
    const struct dts_op_call conv = dts_conv_transposed(call);
    const size_t dx = dts_conv_forward_scratch(&conv, batch, workers);
    const size_t dw = dts_conv_backward_scratch(&conv, batch, workers);
    return dx > dw ? dx : dw;
}

const struct dts_operation dts_op_conv_transpose = {
    .name = "conv_transpose",
    .summary = "the gradient of a convolution, used forward, over one to three axes",
    .needs_x = true,
    .products = true,
    .cost = dts_conv_transpose_cost,
    .reference = {forward, backward},
    .host = {forward_host, backward_host, forward_scratch, backward_scratch},
    .cuda = DTS_CUDA({dts_conv_transpose_forward_cuda, dts_conv_transpose_backward_cuda,
                      dts_conv_transpose_forward_scratch_cuda,
                      dts_conv_transpose_backward_scratch_cuda}),
};
