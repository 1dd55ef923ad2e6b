/* mean.c -- the mean of each feature, the last size, over all positions of a sample:
 *
 *     y[b, f] = sum over p of x[b, p, f] / positions,  dx[b, p, f] = dy[b, f] / positions
 *
 * The fast version adds rows of features, PIECE at a time, so that sums stay in registers.
 */
#include "base/sizes.h"
#include "kernels/op_cost.h"
#include "kernels/ranges.h"

static size_t positions_of(const struct dts_op_call *call)
{
    return dts_dims_positions(&call->inputs[0]);
}

static void forward(const struct dts_op_call *call, const struct dts_arrays *a,
                    const struct dts_place *place)
{
    (void)place;
    const size_t n = dts_dims_features(&call->inputs[0]), positions = positions_of(call);
    for (size_t i = 0; i < (size_t)a->batch * n; i++) {
        const double *x = (const double *)a->x[0] + i / n * positions * n + i % n;
        double sum = 0;
        for (size_t p = 0; p < positions; p++)
            sum += x[p * n];
        ((double *)a->y)[i] = sum / (double)positions;
    }
}

static void backward(const struct dts_op_call *call, const struct dts_arrays *a,
                     const struct dts_place *place)
{
    (void)place;
    const size_t n = dts_dims_features(&call->inputs[0]), positions = positions_of(call);
    for (size_t i = 0; i < (size_t)a->batch * positions * n && a->dx[0] != NULL; i++)
        ((double *)a->dx[0])[i] =
            ((const double *)a->dy)[i / (positions * n) * n + i % n] / (double)positions;
}

enum { PIECE = 64 }; // features

static size_t pieces_of(const struct dts_op_call *call)
{
    return (dts_dims_features(&call->inputs[0]) + PIECE - 1) / PIECE;
}

/* Piece i: features of sample i / pieces. */
static void forward_pieces(const struct dts_op_call *call, const struct dts_arrays *a,
                           struct dts_range range)
{
    const size_t n = dts_dims_features(&call->inputs[0]), positions = positions_of(call);
    const size_t pieces = pieces_of(call);
    for (size_t i = range.first; i < range.first + range.count; i++) {
        const size_t first = i % pieces * PIECE, count = dts_least(n - first, PIECE);
        const float *x = (const float *)a->x[0] + i / pieces * positions * n + first;
        float *y = (float *)a->y + i / pieces * n + first, sum[PIECE] = {0};
        for (size_t p = 0; p < positions; p++)
#pragma omp simd
            for (size_t k = 0; k < count; k++)
                sum[k] += x[p * n + k];
        for (size_t k = 0; k < count; k++)
            y[k] = sum[k] / (float)positions;
    }
}

/* A range of rows. */
static void backward_rows(const struct dts_op_call *call, const struct dts_arrays *a,
                          struct dts_range range)
{
    const size_t n = dts_dims_features(&call->inputs[0]), positions = positions_of(call);
    const float share = 1 / (float)positions;
    for (size_t row = range.first; row < range.first + range.count; row++) {
        const float *dy = (const float *)a->dy + row / positions * n;
        float *dx = (float *)a->dx[0] + row * n;
#pragma omp simd
        for (size_t k = 0; k < n; k++)
            dx[k] = dy[k] * share;
    }
}

static void forward_host(const struct dts_op_call *call, const struct dts_arrays *a,
                         const struct dts_place *place)
{
    dts_ranges(forward_pieces, (size_t)a->batch * pieces_of(call), call, a, place);
}

static void backward_host(const struct dts_op_call *call, const struct dts_arrays *a,
                          const struct dts_place *place)
{
    if (a->dx[0] != NULL)
        dts_ranges(backward_rows, (size_t)a->batch * positions_of(call), call, a, place);
}

dts_op_fn dts_mean_forward_cuda, dts_mean_backward_cuda; // mean.cu

const struct dts_operation dts_op_mean = {
    .name = "mean",
    .summary = "mean of each feature over all positions",
    .cost = dts_mean_cost,
    .reference = {forward, backward},
    .host = {forward_host, backward_host},
    .cuda = DTS_CUDA({dts_mean_forward_cuda, dts_mean_backward_cuda}),
};
