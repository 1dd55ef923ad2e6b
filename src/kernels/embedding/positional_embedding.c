/* positional_embedding.c -- a learned row for each position p, added:
 *
 *     y[b, p] = x[b, p] + w[p],  dx = dy,  dw[p] += sum over b of dy[b, p]
 */
#include <string.h>

#include "kernels/op.h"
#include "kernels/op_cost.h"
#include "kernels/ranges.h"

static void forward(const struct dts_op_call *call, const struct dts_arrays *a,
                    const struct dts_place *place)
{
    (void)place;
    const size_t n = dts_dims_elements(&call->output);
    for (size_t i = 0; i < (size_t)a->batch * n; i++)
        ((double *)a->y)[i] = ((const double *)a->x[0])[i] + ((const double *)a->w[0])[i % n];
}

static void backward(const struct dts_op_call *call, const struct dts_arrays *a,
                     const struct dts_place *place)
{
    (void)place;
    const size_t n = dts_dims_elements(&call->output);
    for (size_t i = 0; i < (size_t)a->batch * n; i++) {
        const double dy = ((const double *)a->dy)[i];
        if (a->dx[0] != NULL)
            ((double *)a->dx[0])[i] = dy;
        if (a->dw[0] != NULL)
            ((double *)a->dw[0])[i % n] += dy;
    }
}

static void forward_range(const struct dts_op_call *call, const struct dts_arrays *a,
                          struct dts_range range)
{
    const size_t n = dts_dims_elements(&call->output);
    const float *w = (const float *)a->w[0] + range.first;
    for (size_t b = 0; b < (size_t)a->batch; b++) {
        const float *x = (const float *)a->x[0] + b * n + range.first;
        float *y = (float *)a->y + b * n + range.first;
#pragma omp simd
        for (size_t i = 0; i < range.count; i++)
            y[i] = x[i] + w[i];
    }
}

static void backward_range(const struct dts_op_call *call, const struct dts_arrays *a,
                           struct dts_range range)
{
    const size_t n = dts_dims_elements(&call->output);
    for (size_t b = 0; b < (size_t)a->batch; b++) {
        const float *dy = (const float *)a->dy + b * n + range.first;
        if (a->dx[0] != NULL && a->dx[0] != a->dy)
            memcpy((float *)a->dx[0] + b * n + range.first, dy, range.count * sizeof(*dy));
        if (a->dw[0] == NULL)
            continue;
        float *dw = (float *)a->dw[0] + range.first;
#pragma omp simd
        for (size_t i = 0; i < range.count; i++)
            dw[i] += dy[i];
    }
}

static void forward_host(const struct dts_op_call *call, const struct dts_arrays *a,
                         const struct dts_place *place)
{
    dts_ranges(forward_range, dts_dims_elements(&call->output), call, a, place);
}

static void backward_host(const struct dts_op_call *call, const struct dts_arrays *a,
                          const struct dts_place *place)
{
    dts_ranges(backward_range, dts_dims_elements(&call->output), call, a, place);
}

dts_op_fn dts_positional_embedding_forward_cuda; // positional_embedding.cu
dts_op_fn dts_positional_embedding_backward_cuda;

const struct dts_operation dts_op_positional_embedding = {
    .name = "positional_embedding",
    .summary = "adds a learned row for each position to its input",
    .in_place = true,
    .cost = dts_positional_embedding_cost,
    .reference = {forward, backward},
    .host = {forward_host, backward_host},
    .cuda = DTS_CUDA(
        {dts_positional_embedding_forward_cuda, dts_positional_embedding_backward_cuda}),
};
