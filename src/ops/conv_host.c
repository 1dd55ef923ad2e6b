/* conv_host.c -- convolution on a CPU: each sample's windows are laid out as columns, so that
 * a convolution becomes a product of matrices (Chellapilla et al. 2006, "High Performance
 * Convolutional Neural Networks for Document Processing"):
 *
 *     y[o, p] = sum over c, k of w[o, (c k)] columns[(c k), p]
 *
 * A window of one value needs no columns. Workers share each product.
 */
#include <string.h>

#include "ops/conv.h"
#include "ops/gemm.h"

static bool is_pointwise(const struct dts_op_call *call)
{
    for (int i = 0; i < call->output.count - 1; i++)
        if (call->window.kernel[i] != 1 || call->window.stride[i] != 1 ||
            call->window.before[i] != 0 ||
            call->inputs[0].size[i + 1] != call->output.size[i + 1])
            return false;
    return true;
}

static size_t columns_bytes(const struct dts_op_call *call)
{
    const struct dts_conv_sizes s = dts_conv_sizes(call);
    return is_pointwise(call) ? 0 : s.in_channels * s.window * s.out_pixels * sizeof(float);
}

size_t dts_conv_forward_scratch(const struct dts_op_call *call, int batch, int workers)
{
    (void)batch, (void)workers;
    return columns_bytes(call);
}

size_t dts_conv_backward_scratch(const struct dts_op_call *call, int batch, int workers)
{
    (void)batch, (void)workers;
    return columns_bytes(call);
}

static void lay_out(const struct dts_op_call *call, const float *x, float *columns)
{
    const struct dts_conv_sizes s = dts_conv_sizes(call);
    for (size_t c = 0; c < s.in_channels; c++)
        for (size_t k = 0; k < s.window; k++)
            for (size_t p = 0; p < s.out_pixels; p++) {
                const size_t at = dts_conv_pixel(call, p, k);
                columns[(c * s.window + k) * s.out_pixels + p] =
                    at == DTS_CONV_OUTSIDE ? 0 : x[c * s.in_pixels + at];
            }
}

static void add_back(const struct dts_op_call *call, const float *columns, float *x)
{
    const struct dts_conv_sizes s = dts_conv_sizes(call);
    memset(x, 0, s.in_channels * s.in_pixels * sizeof(*x));
    for (size_t c = 0; c < s.in_channels; c++)
        for (size_t k = 0; k < s.window; k++)
            for (size_t p = 0; p < s.out_pixels; p++) {
                const size_t at = dts_conv_pixel(call, p, k);
                if (at != DTS_CONV_OUTSIDE)
                    x[c * s.in_pixels + at] += columns[(c * s.window + k) * s.out_pixels + p];
            }
}

void dts_conv_forward_host(const struct dts_op_call *call, const struct dts_arrays *a,
                           const struct dts_place *place)
{
    const struct dts_conv_sizes s = dts_conv_sizes(call);
    const size_t sums = s.in_channels * s.window;
    const bool pointwise = is_pointwise(call);
    for (size_t i = 0; i < (size_t)a->batch * s.groups; i++) {
        const size_t group = i % s.groups;
        const float *x = (const float *)a->x[0] + i * s.in_channels * s.in_pixels;
        float *y = (float *)a->y + i * s.out_channels * s.out_pixels;
        if (!pointwise)
            lay_out(call, x, a->scratch);
        for (size_t o = 0; o < s.out_channels; o++)
            for (size_t p = 0; p < s.out_pixels && call->bias; p++)
                y[o * s.out_pixels + p] = ((const float *)a->w[1])[group * s.out_channels + o];
        const struct dts_gemm product = {
            .m = s.out_channels,
            .n = s.out_pixels,
            .k = sums,
            .a = (const float *)a->w[0] + group * s.out_channels * sums,
            .lda = sums,
            .b = pointwise ? x : a->scratch,
            .ldb = s.out_pixels,
            .c = y,
            .ldc = s.out_pixels,
            .beta = call->bias ? 1 : 0,
        };
        dts_gemm(&product, place->workers);
    }
}

static void weights_backward(const struct dts_op_call *call, const struct dts_arrays *a,
                             const struct dts_place *place, size_t i)
{
    const struct dts_conv_sizes s = dts_conv_sizes(call);
    const size_t sums = s.in_channels * s.window, group = i % s.groups;
    const float *x = (const float *)a->x[0] + i * s.in_channels * s.in_pixels;
    const bool pointwise = is_pointwise(call);
    if (!pointwise)
        lay_out(call, x, a->scratch);
    const struct dts_gemm product = {
        .transpose_b = true,
        .m = s.out_channels,
        .n = sums,
        .k = s.out_pixels,
        .a = (const float *)a->dy + i * s.out_channels * s.out_pixels,
        .lda = s.out_pixels,
        .b = pointwise ? x : a->scratch,
        .ldb = s.out_pixels,
        .c = (float *)a->dw[0] + group * s.out_channels * sums,
        .ldc = sums,
        .beta = 1,
    };
    dts_gemm(&product, place->workers);
}

static void data_backward(const struct dts_op_call *call, const struct dts_arrays *a,
                          const struct dts_place *place, size_t i)
{
    const struct dts_conv_sizes s = dts_conv_sizes(call);
    const size_t sums = s.in_channels * s.window, group = i % s.groups;
    float *dx = (float *)a->dx[0] + i * s.in_channels * s.in_pixels;
    const bool pointwise = is_pointwise(call);
    const struct dts_gemm product = {
        .transpose_a = true,
        .m = sums,
        .n = s.out_pixels,
        .k = s.out_channels,
        .a = (const float *)a->w[0] + group * s.out_channels * sums,
        .lda = sums,
        .b = (const float *)a->dy + i * s.out_channels * s.out_pixels,
        .ldb = s.out_pixels,
        .c = pointwise ? dx : a->scratch,
        .ldc = s.out_pixels,
    };
    dts_gemm(&product, place->workers);
    if (!pointwise)
        add_back(call, a->scratch, dx);
}

static void bias_backward(const struct dts_op_call *call, const struct dts_arrays *a)
{
    const struct dts_conv_sizes s = dts_conv_sizes(call);
    const size_t outs = s.groups * s.out_channels;
    const float *dy = a->dy;
    float *db = a->dw[1];
    for (size_t i = 0; i < (size_t)a->batch * outs; i++) {
        float sum = 0;
        for (size_t p = 0; p < s.out_pixels; p++)
            sum += dy[i * s.out_pixels + p];
        db[i % outs] += sum;
    }
}

void dts_conv_backward_host(const struct dts_op_call *call, const struct dts_arrays *a,
                            const struct dts_place *place)
{
    for (size_t i = 0; i < (size_t)a->batch * (size_t)call->groups; i++) {
        if (a->dw[0] != NULL)
            weights_backward(call, a, place, i);
        if (a->dx[0] != NULL)
            data_backward(call, a, place, i);
    }
    if (call->bias && a->dw[1] != NULL)
        bias_backward(call, a);
}
