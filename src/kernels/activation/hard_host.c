/* hard_host.c -- the functions of hard.c on a CPU: vectorized loops. */
#include "kernels/activation/activation_map.h"

static inline float relu6(float x, struct dts_reduced a, float slope)
{
    (void)a, (void)slope;
    return x < 0 ? 0 : x > 6 ? 6 : x;
}

static inline float relu6_back(float y, float dy, struct dts_reduced a, float slope)
{
    (void)a, (void)slope;
    return y <= 0 || y >= 6 ? 0 : dy;
}

static inline float hardsigmoid(float x, struct dts_reduced a, float slope)
{
    return relu6(x + 3, a, slope) * (1.0f / 6);
}

static inline float hardsigmoid_back(float x, float dy, struct dts_reduced a, float slope)
{
    (void)a, (void)slope;
    return x <= -3 || x >= 3 ? 0 : dy * (1.0f / 6);
}

static inline float hardswish(float x, struct dts_reduced a, float slope)
{
    return x * hardsigmoid(x, a, slope);
}

static inline float hardswish_back(float x, float dy, struct dts_reduced a, float slope)
{
    (void)a, (void)slope;
    return x <= -3 ? 0 : x >= 3 ? dy : dy * (x * (1.0f / 3) + 0.5f);
}

static void relu6_forward(const struct dts_op_call *call, const struct dts_arrays *a,
                          struct dts_range range)
{
    map(call, a, range, NULL, relu6);
}

static void relu6_backward(const struct dts_op_call *call, const struct dts_arrays *a,
                           struct dts_range range)
{
    map_back(call, a, a->y, range, NULL, relu6_back);
}

void dts_relu6_forward_host(const struct dts_op_call *call, const struct dts_arrays *a,
                            const struct dts_place *place)
{
    dts_ranges(relu6_forward, values(call, a), call, a, place);
}

void dts_relu6_backward_host(const struct dts_op_call *call, const struct dts_arrays *a,
                             const struct dts_place *place)
{
    if (a->dx[0] != NULL)
        dts_ranges(relu6_backward, values(call, a), call, a, place);
}

static void hardsigmoid_forward(const struct dts_op_call *call, const struct dts_arrays *a,
                                struct dts_range range)
{
    map(call, a, range, NULL, hardsigmoid);
}

static void hardsigmoid_backward(const struct dts_op_call *call, const struct dts_arrays *a,
                                 struct dts_range range)
{
    map_back(call, a, a->x[0], range, NULL, hardsigmoid_back);
}

void dts_hardsigmoid_forward_host(const struct dts_op_call *call, const struct dts_arrays *a,
                                  const struct dts_place *place)
{
    dts_ranges(hardsigmoid_forward, values(call, a), call, a, place);
}

void dts_hardsigmoid_backward_host(const struct dts_op_call *call, const struct dts_arrays *a,
                                   const struct dts_place *place)
{
    if (a->dx[0] != NULL)
        dts_ranges(hardsigmoid_backward, values(call, a), call, a, place);
}

static void hardswish_forward(const struct dts_op_call *call, const struct dts_arrays *a,
                              struct dts_range range)
{
    map(call, a, range, NULL, hardswish);
}

static void hardswish_backward(const struct dts_op_call *call, const struct dts_arrays *a,
                               struct dts_range range)
{
    map_back(call, a, a->x[0], range, NULL, hardswish_back);
}

void dts_hardswish_forward_host(const struct dts_op_call *call, const struct dts_arrays *a,
                                const struct dts_place *place)
{
    dts_ranges(hardswish_forward, values(call, a), call, a, place);
}

void dts_hardswish_backward_host(const struct dts_op_call *call, const struct dts_arrays *a,
                                 const struct dts_place *place)
{
    if (a->dx[0] != NULL)
        dts_ranges(hardswish_backward, values(call, a), call, a, place);
}
