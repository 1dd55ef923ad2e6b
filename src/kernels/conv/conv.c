/* conv.c -- convolution of [channels, ...axes], one to three axes, in groups:
 *
 *     y[b, o, p]   = bias[o] + sum over c, k of w[o, c, k] x[b, c, p stride + k dilation -
 * before] dx[b, c, q]  = sum over o, k, and p with p stride + k dilation - before = q, of w
 * dy[b, o, p] dw[o, c, k] += sum over b, p of dy[b, o, p] x[b, c, p stride + k dilation -
 * before]
 *
 * x outside of the input is zero; o runs over the outputs of c's group. The fast version is
 * conv_host.c.
 */
#include <string.h>

#include "kernels/conv/conv.h"
#include "kernels/op.h"
#include "kernels/op_cost.h"

struct dts_conv_sizes dts_conv_sizes(const struct dts_op_call *call)
{
    struct dts_conv_sizes s = {.groups = (size_t)call->groups, .axes = call->output.count - 1};
    s.in_channels = call->inputs[0].size[0] / s.groups;
    s.out_channels = call->output.size[0] / s.groups;
    s.window = s.in_pixels = s.out_pixels = 1;
    for (int i = 0; i < s.axes; i++) {
        s.window *= (size_t)call->window.kernel[i];
        s.in_pixels *= call->inputs[0].size[i + 1];
        s.out_pixels *= call->output.size[i + 1];
    }
    return s;
}

size_t dts_conv_pixel(const struct dts_op_call *call, size_t pixel, size_t tap)
{
    const struct dts_op_call_window *window = &call->window;
    size_t result = 0, scale = 1;
    for (int i = call->output.count - 2; i >= 0; i--) {
        const size_t out = call->output.size[i + 1], in = call->inputs[0].size[i + 1];
        const size_t kernel = (size_t)window->kernel[i];
        const long at = (long)(pixel % out) * window->stride[i] +
                        (long)(tap % kernel) * window->dilation[i] - window->before[i];
        if (at < 0 || at >= (long)in)
            return DTS_CONV_OUTSIDE;
        result += (size_t)at * scale;
        scale *= in;
        pixel /= out;
        tap /= kernel;
    }
    return result;
}

/* What a visit of one product sees: indices into x, y and w. */
struct visit {
    size_t x, y, w;
};

/* All products of one sample and one output value, in the order of the sum. */
static void for_each_product(const struct dts_op_call *call, size_t sample, size_t out_channel,
                             size_t pixel, void (*see)(const struct dts_arrays *, struct visit),
                             const struct dts_arrays *a)
{
    const struct dts_conv_sizes s = dts_conv_sizes(call);
    const size_t group = out_channel / s.out_channels;
    for (size_t c = 0; c < s.in_channels; c++)
        for (size_t k = 0; k < s.window; k++) {
            const size_t at = dts_conv_pixel(call, pixel, k);
            if (at == DTS_CONV_OUTSIDE)
                continue;
            const size_t in_channel = group * s.in_channels + c;
            see(a,
                (struct visit){
                    (sample * s.groups * s.in_channels + in_channel) * s.in_pixels + at,
                    (sample * s.groups * s.out_channels + out_channel) * s.out_pixels + pixel,
                    (out_channel * s.in_channels + c) * s.window + k});
        }
}

static void see_forward(const struct dts_arrays *a, struct visit v)
{
    ((double *)a->y)[v.y] += ((const double *)a->w[0])[v.w] * ((const double *)a->x[0])[v.x];
}

static void see_backward(const struct dts_arrays *a, struct visit v)
{
    const double dy = ((const double *)a->dy)[v.y];
    if (a->dx[0] != NULL)
        ((double *)a->dx[0])[v.x] += ((const double *)a->w[0])[v.w] * dy;
    if (a->dw[0] != NULL)
        ((double *)a->dw[0])[v.w] += ((const double *)a->x[0])[v.x] * dy;
}

static void forward(const struct dts_op_call *call, const struct dts_arrays *a,
                    const struct dts_place *place)
{
    (void)place;
    const struct dts_conv_sizes s = dts_conv_sizes(call);
    const size_t outs = s.groups * s.out_channels;
    double *y = a->y;
    for (size_t b = 0; b < (size_t)a->batch; b++)
        for (size_t o = 0; o < outs; o++)
            for (size_t p = 0; p < s.out_pixels; p++) {
                y[(b * outs + o) * s.out_pixels + p] =
                    call->bias ? ((const double *)a->w[1])[o] : 0;
                for_each_product(call, b, o, p, see_forward, a);
            }
}

static void backward(const struct dts_op_call *call, const struct dts_arrays *a,
                     const struct dts_place *place)
{
    (void)place;
    const struct dts_conv_sizes s = dts_conv_sizes(call);
    const size_t outs = s.groups * s.out_channels;
    if (a->dx[0] != NULL)
        memset(a->dx[0], 0,
               (size_t)a->batch * s.groups * s.in_channels * s.in_pixels * sizeof(double));
    for (size_t b = 0; b < (size_t)a->batch; b++)
        for (size_t o = 0; o < outs; o++)
            for (size_t p = 0; p < s.out_pixels; p++) {
                for_each_product(call, b, o, p, see_backward, a);
                if (call->bias && a->dw[1] != NULL)
                    ((double *)a->dw[1])[o] +=
                        ((const double *)a->dy)[(b * outs + o) * s.out_pixels + p];
            }
}

dts_op_fn dts_conv_forward_cuda, dts_conv_backward_cuda; // conv.cu
size_t dts_conv_forward_scratch_cuda(const struct dts_op_call *call, int batch, int workers);
size_t dts_conv_backward_scratch_cuda(const struct dts_op_call *call, int batch, int workers);

const struct dts_operation dts_op_conv = {
    .name = "conv",
    .summary = "convolution over one to three axes",
    .needs_x = true,
    .products = true,
    .cost = dts_conv_cost,
    .reference = {forward, backward},
    .host = {dts_conv_forward_host, dts_conv_backward_host, dts_conv_forward_scratch,
             dts_conv_backward_scratch},
    .cuda = DTS_CUDA({dts_conv_forward_cuda, dts_conv_backward_cuda,
                      dts_conv_forward_scratch_cuda, dts_conv_backward_scratch_cuda}),
};
