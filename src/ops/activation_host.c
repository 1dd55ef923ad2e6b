/* activation_host.c -- functions of one value on a CPU: vectorized loops. */
#include "ops/activation.h"
#include "ops/ranges.h"
#include "ops/vector_math.h"

static size_t values(const struct dts_op_call *call, const struct dts_arrays *a)
{
    return (size_t)a->batch * dts_dims_elements(&call->output);
}

static float gelu_argument(float x)
{
    return (float)(2 * DTS_GELU_SCALE) * (x + (float)DTS_GELU_CUBE * x * x * x);
}

/* The slope of x sigmoid(g(x)), where e = e^-g, and g' is the slope of g. */
static float gated_slope(float x, float e, float slope)
{
    const float s = 1 / (1 + e);
    return s + x * s * (e * s) * slope;
}

static void relu_forward(const struct dts_op_call *call, const struct dts_arrays *a,
                         struct dts_range range)
{
    (void)call;
    const float *x = (const float *)a->x[0] + range.first;
    float *y = (float *)a->y + range.first;
#pragma omp simd
    for (size_t i = 0; i < range.count; i++)
        y[i] = x[i] > 0 ? x[i] : 0;
}

static void relu_backward(const struct dts_op_call *call, const struct dts_arrays *a,
                          struct dts_range range)
{
    (void)call;
    const float *y = (const float *)a->y + range.first,
                *dy = (const float *)a->dy + range.first;
    float *dx = (float *)a->dx[0] + range.first;
#pragma omp simd
    for (size_t i = 0; i < range.count; i++)
        dx[i] = y[i] > 0 ? dy[i] : 0;
}

static void leaky_relu_forward(const struct dts_op_call *call, const struct dts_arrays *a,
                               struct dts_range range)
{
    const float slope = (float)call->slope;
    const float *x = (const float *)a->x[0] + range.first;
    float *y = (float *)a->y + range.first;
#pragma omp simd
    for (size_t i = 0; i < range.count; i++)
        y[i] = x[i] > 0 ? x[i] : slope * x[i];
}

static void leaky_relu_backward(const struct dts_op_call *call, const struct dts_arrays *a,
                                struct dts_range range)
{
    const float slope = (float)call->slope;
    const float *x = (const float *)a->x[0] + range.first,
                *dy = (const float *)a->dy + range.first;
    float *dx = (float *)a->dx[0] + range.first;
#pragma omp simd
    for (size_t i = 0; i < range.count; i++)
        dx[i] = x[i] > 0 ? dy[i] : slope * dy[i];
}

static void gelu_forward(const struct dts_op_call *call, const struct dts_arrays *a,
                         struct dts_range range)
{
    (void)call;
    const float *x = (const float *)a->x[0] + range.first;
    float *y = (float *)a->y + range.first;
#pragma omp simd
    for (size_t i = 0; i < range.count; i++)
        y[i] = x[i] / (1 + dts_exp(-gelu_argument(x[i])));
}

static void gelu_backward(const struct dts_op_call *call, const struct dts_arrays *a,
                          struct dts_range range)
{
    (void)call;
    const float *x = (const float *)a->x[0] + range.first,
                *dy = (const float *)a->dy + range.first;
    float *dx = (float *)a->dx[0] + range.first;
    const float scale = (float)(2 * DTS_GELU_SCALE), cube = (float)(3 * DTS_GELU_CUBE);
#pragma omp simd
    for (size_t i = 0; i < range.count; i++)
        dx[i] = dy[i] * gated_slope(x[i], dts_exp(-gelu_argument(x[i])),
                                    scale * (1 + cube * x[i] * x[i]));
}

static void silu_forward(const struct dts_op_call *call, const struct dts_arrays *a,
                         struct dts_range range)
{
    (void)call;
    const float *x = (const float *)a->x[0] + range.first;
    float *y = (float *)a->y + range.first;
#pragma omp simd
    for (size_t i = 0; i < range.count; i++)
        y[i] = x[i] / (1 + dts_exp(-x[i]));
}

static void silu_backward(const struct dts_op_call *call, const struct dts_arrays *a,
                          struct dts_range range)
{
    (void)call;
    const float *x = (const float *)a->x[0] + range.first,
                *dy = (const float *)a->dy + range.first;
    float *dx = (float *)a->dx[0] + range.first;
#pragma omp simd
    for (size_t i = 0; i < range.count; i++)
        dx[i] = dy[i] * gated_slope(x[i], dts_exp(-x[i]), 1);
}

static void sigmoid_forward(const struct dts_op_call *call, const struct dts_arrays *a,
                            struct dts_range range)
{
    (void)call;
    const float *x = (const float *)a->x[0] + range.first;
    float *y = (float *)a->y + range.first;
#pragma omp simd
    for (size_t i = 0; i < range.count; i++)
        y[i] = dts_sigmoid(x[i]);
}

static void sigmoid_backward(const struct dts_op_call *call, const struct dts_arrays *a,
                             struct dts_range range)
{
    (void)call;
    const float *y = (const float *)a->y + range.first,
                *dy = (const float *)a->dy + range.first;
    float *dx = (float *)a->dx[0] + range.first;
#pragma omp simd
    for (size_t i = 0; i < range.count; i++)
        dx[i] = dy[i] * y[i] * (1 - y[i]);
}

static void tanh_forward(const struct dts_op_call *call, const struct dts_arrays *a,
                         struct dts_range range)
{
    (void)call;
    const float *x = (const float *)a->x[0] + range.first;
    float *y = (float *)a->y + range.first;
#pragma omp simd
    for (size_t i = 0; i < range.count; i++)
        y[i] = dts_tanh(x[i]);
}

static void tanh_backward(const struct dts_op_call *call, const struct dts_arrays *a,
                          struct dts_range range)
{
    (void)call;
    const float *y = (const float *)a->y + range.first,
                *dy = (const float *)a->dy + range.first;
    float *dx = (float *)a->dx[0] + range.first;
#pragma omp simd
    for (size_t i = 0; i < range.count; i++)
        dx[i] = dy[i] * (1 - y[i] * y[i]);
}

void dts_relu_forward_host(const struct dts_op_call *call, const struct dts_arrays *a,
                           const struct dts_place *place)
{
    dts_ranges(relu_forward, values(call, a), call, a, place);
}

void dts_relu_backward_host(const struct dts_op_call *call, const struct dts_arrays *a,
                            const struct dts_place *place)
{
    if (a->dx[0] != NULL)
        dts_ranges(relu_backward, values(call, a), call, a, place);
}

void dts_leaky_relu_forward_host(const struct dts_op_call *call, const struct dts_arrays *a,
                                 const struct dts_place *place)
{
    dts_ranges(leaky_relu_forward, values(call, a), call, a, place);
}

void dts_leaky_relu_backward_host(const struct dts_op_call *call, const struct dts_arrays *a,
                                  const struct dts_place *place)
{
    if (a->dx[0] != NULL)
        dts_ranges(leaky_relu_backward, values(call, a), call, a, place);
}

void dts_gelu_forward_host(const struct dts_op_call *call, const struct dts_arrays *a,
                           const struct dts_place *place)
{
    dts_ranges(gelu_forward, values(call, a), call, a, place);
}

void dts_gelu_backward_host(const struct dts_op_call *call, const struct dts_arrays *a,
                            const struct dts_place *place)
{
    if (a->dx[0] != NULL)
        dts_ranges(gelu_backward, values(call, a), call, a, place);
}

void dts_silu_forward_host(const struct dts_op_call *call, const struct dts_arrays *a,
                           const struct dts_place *place)
{
    dts_ranges(silu_forward, values(call, a), call, a, place);
}

void dts_silu_backward_host(const struct dts_op_call *call, const struct dts_arrays *a,
                            const struct dts_place *place)
{
    if (a->dx[0] != NULL)
        dts_ranges(silu_backward, values(call, a), call, a, place);
}

void dts_sigmoid_forward_host(const struct dts_op_call *call, const struct dts_arrays *a,
                              const struct dts_place *place)
{
    dts_ranges(sigmoid_forward, values(call, a), call, a, place);
}

void dts_sigmoid_backward_host(const struct dts_op_call *call, const struct dts_arrays *a,
                               const struct dts_place *place)
{
    if (a->dx[0] != NULL)
        dts_ranges(sigmoid_backward, values(call, a), call, a, place);
}

void dts_tanh_forward_host(const struct dts_op_call *call, const struct dts_arrays *a,
                           const struct dts_place *place)
{
    dts_ranges(tanh_forward, values(call, a), call, a, place);
}

void dts_tanh_backward_host(const struct dts_op_call *call, const struct dts_arrays *a,
                            const struct dts_place *place)
{
    if (a->dx[0] != NULL)
        dts_ranges(tanh_backward, values(call, a), call, a, place);
}
