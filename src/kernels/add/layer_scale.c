/* layer_scale.c -- a learned factor for each channel, the first size, or with `last` for each
 * feature, the last (Touvron et al. 2021, arXiv:2103.17239):
 *
 *     y = w x,  dx = w dy,  dw += sum over samples and all else of x dy
 *
 * On the host a factor's gradient is added in double where neighbours have different factors,
 * since it goes row by row.
 */
#include "kernels/add/layer_scale.h"
#include "kernels/op_cost.h"
#include "kernels/ranges.h"

static void forward(const struct dts_op_call *call, const struct dts_arrays *a,
                    const struct dts_place *place)
{
    (void)place;
    const struct dts_layer_scale s = dts_layer_scale_of(call, a->batch);
    for (size_t i = 0; i < s.rows * s.factors * s.alike; i++)
        ((double *)a->y)[i] =
            ((const double *)a->w[0])[i / s.alike % s.factors] * ((const double *)a->x[0])[i];
}

static void backward(const struct dts_op_call *call, const struct dts_arrays *a,
                     const struct dts_place *place)
{
    (void)place;
    const struct dts_layer_scale s = dts_layer_scale_of(call, a->batch);
    for (size_t i = 0; i < s.rows * s.factors * s.alike; i++) {
        const size_t c = i / s.alike % s.factors;
        const double dy = ((const double *)a->dy)[i];
        if (a->dx[0] != NULL)
            ((double *)a->dx[0])[i] = ((const double *)a->w[0])[c] * dy;
        if (a->dw[0] != NULL)
            ((double *)a->dw[0])[c] += ((const double *)a->x[0])[i] * dy;
    }
}

/* A range of rows: to = w from. */
static void scale_rows(const struct dts_op_call *call, const struct dts_arrays *a,
                       struct dts_range range, const float *from, float *to)
{
    const struct dts_layer_scale s = dts_layer_scale_of(call, a->batch);
    const float *w = a->w[0];
    for (size_t row = range.first; row < range.first + range.count; row++) {
        const size_t at = row * s.factors * s.alike;
        if (s.alike == 1) {
#pragma omp simd
            for (size_t c = 0; c < s.factors; c++)
                to[at + c] = w[c] * from[at + c];
            continue;
        }
        for (size_t c = 0; c < s.factors; c++) {
            const size_t first = at + c * s.alike;
#pragma omp simd
            for (size_t i = first; i < first + s.alike; i++)
                to[i] = w[c] * from[i];
        }
    }
}

static void forward_rows(const struct dts_op_call *call, const struct dts_arrays *a,
                         struct dts_range range)
{
    scale_rows(call, a, range, a->x[0], a->y);
}

static void backward_rows(const struct dts_op_call *call, const struct dts_arrays *a,
                          struct dts_range range)
{
    scale_rows(call, a, range, a->dy, a->dx[0]);
}

static float dot(const float *x, const float *dy, size_t count)
{
    float sum = 0;
#pragma omp simd reduction(+ : sum)
    for (size_t i = 0; i < count; i++)
        sum += x[i] * dy[i];
    return sum;
}

enum { PIECE = 64 }; // factors together

/* A range of factors: their gradients. */
static void factors_backward(const struct dts_op_call *call, const struct dts_arrays *a,
                             struct dts_range range)
{
    const struct dts_layer_scale s = dts_layer_scale_of(call, a->batch);
    const float *x = a->x[0], *dy = a->dy;
    for (size_t c = range.first, count; c < range.first + range.count; c += count) {
        double sums[PIECE] = {0};
        const size_t left = range.first + range.count - c;
        count = left < PIECE ? left : PIECE;
        for (size_t row = 0; row < s.rows; row++) {
            const size_t at = (row * s.factors + c) * s.alike;
            for (size_t k = 0; k < count; k++)
                sums[k] += (double)dot(x + at + k * s.alike, dy + at + k * s.alike, s.alike);
        }
        for (size_t k = 0; k < count; k++)
            ((float *)a->dw[0])[c + k] += (float)sums[k];
    }
}

static void forward_host(const struct dts_op_call *call, const struct dts_arrays *a,
                         const struct dts_place *place)
{
    dts_ranges(forward_rows, dts_layer_scale_of(call, a->batch).rows, call, a, place);
}

static void backward_host(const struct dts_op_call *call, const struct dts_arrays *a,
                          const struct dts_place *place)
{
    if (a->dw[0] != NULL)
        dts_ranges(factors_backward, call->params[0], call, a, place);
    if (a->dx[0] != NULL)
        dts_ranges(backward_rows, dts_layer_scale_of(call, a->batch).rows, call, a, place);
}

const struct dts_operation dts_op_layer_scale = {
    .name = "layer_scale",
    .summary = "a learned factor for each channel or feature",
    .needs_x = true,
    .cost = dts_layer_scale_cost,
    .reference = {forward, backward},
    .host = {forward_host, backward_host},
    .cuda = DTS_CUDA({dts_layer_scale_forward_cuda, dts_layer_scale_backward_cuda}),
};
