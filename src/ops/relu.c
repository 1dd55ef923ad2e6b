/* relu.c -- y = max(0, x), dx = dy where y is above 0, else 0. */
#include <math.h>

#include "ops/ranges.h"

static size_t values(const struct dts_op_call *call, const struct dts_arrays *a)
{
    return (size_t)a->batch * dts_dims_elements(&call->output);
}

static void forward(const struct dts_op_call *call, const struct dts_arrays *a,
                    const struct dts_place *place)
{
    (void)place;
    for (size_t i = 0; i < values(call, a); i++)
        ((double *)a->y)[i] = fmax(0, ((const double *)a->x[0])[i]);
}

static void backward(const struct dts_op_call *call, const struct dts_arrays *a,
                     const struct dts_place *place)
{
    (void)place;
    for (size_t i = 0; i < values(call, a) && a->dx[0] != NULL; i++)
        ((double *)a->dx[0])[i] =
            ((const double *)a->y)[i] > 0 ? ((const double *)a->dy)[i] : 0;
}

static void forward_range(const struct dts_op_call *call, const struct dts_arrays *a,
                          struct dts_range range)
{
    (void)call;
    const float *x = (const float *)a->x[0] + range.first;
    float *y = (float *)a->y + range.first;
#pragma omp simd
    for (size_t i = 0; i < range.count; i++)
        y[i] = x[i] > 0 ? x[i] : 0;
}

static void backward_range(const struct dts_op_call *call, const struct dts_arrays *a,
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

static void forward_host(const struct dts_op_call *call, const struct dts_arrays *a,
                         const struct dts_place *place)
{
    dts_ranges(forward_range, values(call, a), call, a, place);
}

static void backward_host(const struct dts_op_call *call, const struct dts_arrays *a,
                          const struct dts_place *place)
{
    if (a->dx[0] != NULL)
        dts_ranges(backward_range, values(call, a), call, a, place);
}

const struct dts_op dts_op_relu = {
    .name = "relu",
    .summary = "max(x, 0)",
    .needs_y = true,
    .in_place = true,
    .reference = {forward, backward},
    .host = {forward_host, backward_host},
};
