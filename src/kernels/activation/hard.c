/* hard.c -- functions of one value made of straight lines, y = f(x), dx = f'(x) dy:
 *
 *     relu6        min(max(0, x), 6)              1 where 0 < y < 6, else 0
 *     hardsigmoid  h = min(max(0, x + 3), 6) / 6  1/6 where -3 < x < 3, else 0
 *     hardswish    x h                            0 where x <= -3, 1 where x >= 3, else x/3 +
 * 1/2
 *
 * As MobileNetV2 and V3 have them (arXiv:1801.04381, arXiv:1905.02244). What is not a number
 * stays so. relu6 finds its slope from y alone, which may lie in x's place.
 */
#include <math.h>

#include "kernels/activation/activation.h"
#include "kernels/op_cost.h"

/* The function; its slope from x, of relu6 from y. */
struct function {
    double (*value)(double x), (*slope)(double x_or_y);
};

static void map(const struct dts_op_call *call, const struct dts_arrays *a,
                const struct function *f)
{
    for (size_t i = 0; i < (size_t)a->batch * dts_dims_elements(&call->output); i++)
        ((double *)a->y)[i] = f->value(((const double *)a->x[0])[i]);
}

static void map_back(const struct dts_op_call *call, const struct dts_arrays *a,
                     const void *x_or_y, const struct function *f)
{
    const double *from = x_or_y, *dy = a->dy;
    const size_t n = (size_t)a->batch * dts_dims_elements(&call->output);
    for (size_t i = 0; i < n && a->dx[0] != NULL; i++)
        ((double *)a->dx[0])[i] = dy[i] * f->slope(from[i]);
}

static double relu6_value(double x)
{
    return x < 0 ? 0 : x > 6 ? 6 : x;
}

static double relu6_slope(double y)
{
    return !(y <= 0 || y >= 6);
}

static double hardsigmoid_value(double x)
{
    return relu6_value(x + 3) / 6;
}

static double hardsigmoid_slope(double x)
{
    return x <= -3 || x >= 3 ? 0 : 1.0 / 6;
}

static double hardswish_value(double x)
{
    return x * hardsigmoid_value(x);
}

static double hardswish_slope(double x)
{
    return x <= -3 ? 0 : x >= 3 ? 1 : x / 3 + 0.5;
}

static const struct function relu6 = {relu6_value, relu6_slope};
static const struct function hardsigmoid = {hardsigmoid_value, hardsigmoid_slope};
static const struct function hardswish = {hardswish_value, hardswish_slope};

static void relu6_forward(const struct dts_op_call *call, const struct dts_arrays *a,
                          const struct dts_place *place)
{
    (void)place;
    map(call, a, &relu6);
}

static void relu6_backward(const struct dts_op_call *call, const struct dts_arrays *a,
                           const struct dts_place *place)
{
    (void)place;
    map_back(call, a, a->y, &relu6);
}

static void hardsigmoid_forward(const struct dts_op_call *call, const struct dts_arrays *a,
                                const struct dts_place *place)
{
    (void)place;
    map(call, a, &hardsigmoid);
}

static void hardsigmoid_backward(const struct dts_op_call *call, const struct dts_arrays *a,
                                 const struct dts_place *place)
{
    (void)place;
    map_back(call, a, a->x[0], &hardsigmoid);
}

static void hardswish_forward(const struct dts_op_call *call, const struct dts_arrays *a,
                              const struct dts_place *place)
{
    (void)place;
    map(call, a, &hardswish);
}

static void hardswish_backward(const struct dts_op_call *call, const struct dts_arrays *a,
                               const struct dts_place *place)
{
    (void)place;
    map_back(call, a, a->x[0], &hardswish);
}

const struct dts_operation dts_op_relu6 = {
    .name = "relu6",
    .summary = "max(x, 0), at most 6",
    .needs_y = true,
    .in_place = true,
    .cost = dts_relu6_cost,
    .reference = {relu6_forward, relu6_backward},
    .host = {dts_relu6_forward_host, dts_relu6_backward_host},
    .cuda = DTS_CUDA({dts_relu6_forward_cuda, dts_relu6_backward_cuda}),
};

const struct dts_operation dts_op_hardsigmoid = {
    .name = "hardsigmoid",
    .summary = "sigmoid of straight lines: max(x + 3, 0), at most 6, over 6",
    .needs_x = true,
    .cost = dts_hardsigmoid_cost,
    .reference = {hardsigmoid_forward, hardsigmoid_backward},
    .host = {dts_hardsigmoid_forward_host, dts_hardsigmoid_backward_host},
    .cuda = DTS_CUDA({dts_hardsigmoid_forward_cuda, dts_hardsigmoid_backward_cuda}),
};

const struct dts_operation dts_op_hardswish = {
    .name = "hardswish",
    .summary = "x times its hardsigmoid",
    .needs_x = true,
    .cost = dts_hardswish_cost,
    .reference = {hardswish_forward, hardswish_backward},
    .host = {dts_hardswish_forward_host, dts_hardswish_backward_host},
    .cuda = DTS_CUDA({dts_hardswish_forward_cuda, dts_hardswish_backward_cuda}),
};
