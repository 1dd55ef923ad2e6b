/* activation.c -- functions of one value, y = f(x), dx = f'(x) dy:
 *
 *     relu        max(0, x), x if not a number                0 where y <= 0, else 1
 *     leaky_relu  x where x > 0, else a x (a: slope)          1 where x > 0, else a
 *     gelu        x s, s = sigmoid(2 u), see activation.h     s + x s (1 - s) 2 u'
 *     silu        x s, s = sigmoid(x)                         s + x s (1 - s)
 *     sigmoid     1 / (1 + e^-x)                              y (1 - y)
 *     tanh        tanh x                                      1 - y^2
 *
 * y may lie in x's place where the slope is found from y alone.
 */
#include <math.h>

#include "kernels/activation/activation.h"
#include "kernels/op_cost.h"

/* The function; its slope from x and y, of which only what the row says is there. */
struct function {
    double (*value)(double x, double a);
    double (*slope)(double x, double y, double a);
};

static void map(const struct dts_op_call *call, const struct dts_arrays *a,
                const struct function *f)
{
    const double *x = a->x[0];
    for (size_t i = 0; i < (size_t)a->batch * dts_dims_elements(&call->output); i++)
        ((double *)a->y)[i] = f->value(x[i], call->slope);
}

static void map_back(const struct dts_op_call *call, const struct dts_arrays *a,
                     const struct function *f)
{
    const double *x = a->x[0], *y = a->y, *dy = a->dy;
    const size_t n = (size_t)a->batch * dts_dims_elements(&call->output);
    for (size_t i = 0; i < n && a->dx[0] != NULL; i++)
        ((double *)a->dx[0])[i] =
            dy[i] * f->slope(x != NULL ? x[i] : NAN, y != NULL ? y[i] : NAN, call->slope);
}

static double sigmoid_value(double x, double a)
{
    (void)a;
    return 1 / (1 + exp(-x));
}

static double relu_value(double x, double a)
{
    (void)a;
    return x < 0 ? 0 : x;
}

static double relu_slope(double x, double y, double a)
{
    (void)x, (void)a;
    return !(y <= 0);
}

static double leaky_value(double x, double a)
{
    return x > 0 ? x : a * x;
}

static double leaky_slope(double x, double y, double a)
{
    (void)y;
    return x > 0 ? 1 : a;
}

static double gelu_value(double x, double a)
{
    return x * sigmoid_value(2 * DTS_GELU_SCALE * (x + DTS_GELU_CUBE * x * x * x), a);
}

static double gelu_slope(double x, double y, double a)
{
    (void)y;
    const double s = sigmoid_value(2 * DTS_GELU_SCALE * (x + DTS_GELU_CUBE * x * x * x), a);
    return s + x * s * (1 - s) * 2 * DTS_GELU_SCALE * (1 + 3 * DTS_GELU_CUBE * x * x);
}

static double silu_value(double x, double a)
{
    return x * sigmoid_value(x, a);
}

static double silu_slope(double x, double y, double a)
{
    (void)y;
    const double s = sigmoid_value(x, a);
    return s + x * s * (1 - s);
}

static double sigmoid_slope(double x, double y, double a)
{
    (void)x, (void)a;
    return y * (1 - y);
}

static double tanh_value(double x, double a)
{
    (void)a;
    return tanh(x);
}

static double tanh_slope(double x, double y, double a)
{
    (void)x, (void)a;
    return 1 - y * y;
}

static const struct function relu = {relu_value, relu_slope};
static const struct function leaky_relu = {leaky_value, leaky_slope};
static const struct function gelu = {gelu_value, gelu_slope};
static const struct function silu = {silu_value, silu_slope};
static const struct function sigmoid = {sigmoid_value, sigmoid_slope};
static const struct function hyperbolic = {tanh_value, tanh_slope};

static void relu_forward(const struct dts_op_call *call, const struct dts_arrays *a,
                         const struct dts_place *place)
{
    (void)place;
    map(call, a, &relu);
}

static void relu_backward(const struct dts_op_call *call, const struct dts_arrays *a,
                          const struct dts_place *place)
{
    (void)place;
    map_back(call, a, &relu);
}

static void leaky_relu_forward(const struct dts_op_call *call, const struct dts_arrays *a,
                               const struct dts_place *place)
{
    (void)place;
    map(call, a, &leaky_relu);
}

static void leaky_relu_backward(const struct dts_op_call *call, const struct dts_arrays *a,
                                const struct dts_place *place)
{
    (void)place;
    map_back(call, a, &leaky_relu);
}

static void gelu_forward(const struct dts_op_call *call, const struct dts_arrays *a,
                         const struct dts_place *place)
{
    (void)place;
    map(call, a, &gelu);
}

static void gelu_backward(const struct dts_op_call *call, const struct dts_arrays *a,
                          const struct dts_place *place)
{
    (void)place;
    map_back(call, a, &gelu);
}

static void silu_forward(const struct dts_op_call *call, const struct dts_arrays *a,
                         const struct dts_place *place)
{
    (void)place;
    map(call, a, &silu);
}

static void silu_backward(const struct dts_op_call *call, const struct dts_arrays *a,
                          const struct dts_place *place)
{
    (void)place;
    map_back(call, a, &silu);
}

static void sigmoid_forward(const struct dts_op_call *call, const struct dts_arrays *a,
                            const struct dts_place *place)
{
    (void)place;
    map(call, a, &sigmoid);
}

static void sigmoid_backward(const struct dts_op_call *call, const struct dts_arrays *a,
                             const struct dts_place *place)
{
    (void)place;
    map_back(call, a, &sigmoid);
}

static void tanh_forward(const struct dts_op_call *call, const struct dts_arrays *a,
                         const struct dts_place *place)
{
    (void)place;
    map(call, a, &hyperbolic);
}

static void tanh_backward(const struct dts_op_call *call, const struct dts_arrays *a,
                          const struct dts_place *place)
{
    (void)place;
    map_back(call, a, &hyperbolic);
}

const struct dts_operation dts_op_relu = {
    .name = "relu",
    .summary = "max(x, 0)",
    .needs_y = true,
    .in_place = true,
    .cost = dts_relu_cost,
    .reference = {relu_forward, relu_backward},
    .host = {dts_relu_forward_host, dts_relu_backward_host},
    .cuda = DTS_CUDA({dts_relu_forward_cuda, dts_relu_backward_cuda}),
};

const struct dts_operation dts_op_leaky_relu = {
    .name = "leaky_relu",
    .summary = "x, or a small part of it where it is negative",
    .needs_x = true,
    .cost = dts_leaky_relu_cost,
    .reference = {leaky_relu_forward, leaky_relu_backward},
    .host = {dts_leaky_relu_forward_host, dts_leaky_relu_backward_host},
    .cuda = DTS_CUDA({dts_leaky_relu_forward_cuda, dts_leaky_relu_backward_cuda}),
};

const struct dts_operation dts_op_gelu = {
    .name = "gelu",
    .summary = "x times the normal distribution at x, by tanh",
    .needs_x = true,
    .cost = dts_gelu_cost,
    .reference = {gelu_forward, gelu_backward},
    .host = {dts_gelu_forward_host, dts_gelu_backward_host},
    .cuda = DTS_CUDA({dts_gelu_forward_cuda, dts_gelu_backward_cuda}),
};

const struct dts_operation dts_op_silu = {
    .name = "silu",
    .summary = "x times its sigmoid",
    .needs_x = true,
    .cost = dts_silu_cost,
    .reference = {silu_forward, silu_backward},
    .host = {dts_silu_forward_host, dts_silu_backward_host},
    .cuda = DTS_CUDA({dts_silu_forward_cuda, dts_silu_backward_cuda}),
};

const struct dts_operation dts_op_sigmoid = {
    .name = "sigmoid",
    .summary = "1 / (1 + exp(-x))",
    .needs_y = true,
    .in_place = true,
    .cost = dts_sigmoid_cost,
    .reference = {sigmoid_forward, sigmoid_backward},
    .host = {dts_sigmoid_forward_host, dts_sigmoid_backward_host},
    .cuda = DTS_CUDA({dts_sigmoid_forward_cuda, dts_sigmoid_backward_cuda}),
};

const struct dts_operation dts_op_tanh = {
    .name = "tanh",
    .summary = "hyperbolic tangent",
    .needs_y = true,
    .in_place = true,
    .cost = dts_tanh_cost,
    .reference = {tanh_forward, tanh_backward},
    .host = {dts_tanh_forward_host, dts_tanh_backward_host},
    .cuda = DTS_CUDA({dts_tanh_forward_cuda, dts_tanh_backward_cuda}),
};
