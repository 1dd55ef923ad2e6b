/* activation_host.c -- functions of one value on a CPU: vectorized loops. */
#include "kernels/activation/activation_map.h"

static void relu_forward(const struct dts_op_call *call, const struct dts_arrays *a,
                         struct dts_range range)
{
    map(call, a, range, NULL, relu);
}

static void relu_backward(const struct dts_op_call *call, const struct dts_arrays *a,
                          struct dts_range range)
{
    map_back(call, a, a->y, range, NULL, relu_back);
}

static void leaky_relu_forward(const struct dts_op_call *call, const struct dts_arrays *a,
                               struct dts_range range)
{
    map(call, a, range, NULL, leaky_relu);
}

static void leaky_relu_backward(const struct dts_op_call *call, const struct dts_arrays *a,
                                struct dts_range range)
{
    map_back(call, a, a->x[0], range, NULL, leaky_relu_back);
}

static void gelu_forward(const struct dts_op_call *call, const struct dts_arrays *a,
                         struct dts_range range)
{
    map(call, a, range, gelu_exponent, gelu);
}

static void gelu_backward(const struct dts_op_call *call, const struct dts_arrays *a,
                          struct dts_range range)
{
    map_back(call, a, a->x[0], range, gelu_exponent, gelu_back);
}

static void silu_forward(const struct dts_op_call *call, const struct dts_arrays *a,
                         struct dts_range range)
{
    map(call, a, range, minus, silu);
}

static void silu_backward(const struct dts_op_call *call, const struct dts_arrays *a,
                          struct dts_range range)
{
    map_back(call, a, a->x[0], range, minus, silu_back);
}

static void sigmoid_forward(const struct dts_op_call *call, const struct dts_arrays *a,
                            struct dts_range range)
{
    map(call, a, range, minus, sigmoid);
}

static void sigmoid_backward(const struct dts_op_call *call, const struct dts_arrays *a,
                             struct dts_range range)
{
    map_back(call, a, a->y, range, NULL, sigmoid_back);
}

static void tanh_forward(const struct dts_op_call *call, const struct dts_arrays *a,
                         struct dts_range range)
{
    map(call, a, range, twice, tanh_of);
}

static void tanh_backward(const struct dts_op_call *call, const struct dts_arrays *a,
                          struct dts_range range)
{
    map_back(call, a, a->y, range, NULL, tanh_back);
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
