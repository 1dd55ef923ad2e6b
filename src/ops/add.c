/* add.c -- the sum of two inputs or more: y = x[0] + x[1] + ..., added in this order; with
 * `relu` y = max(0, sum). Backward every dx is dy, with `relu` 0 where y is not above 0.
 */
#include <math.h>
#include <string.h>

#include "ops/ranges.h"

static size_t values(const struct dts_op_call *call, const struct dts_arrays *a)
{
    return (size_t)a->batch * dts_dims_elements(&call->output);
}

static void forward(const struct dts_op_call *call, const struct dts_arrays *a,
                    const struct dts_place *place)
{
    (void)place;
    for (size_t i = 0; i < values(call, a); i++) {
        double sum = 0;
        for (int k = 0; k < call->input_count; k++)
            sum += ((const double *)a->x[k])[i];
        ((double *)a->y)[i] = call->relu ? fmax(0, sum) : sum;
    }
}

static void backward(const struct dts_op_call *call, const struct dts_arrays *a,
                     const struct dts_place *place)
{
    (void)place;
    for (size_t i = 0; i < values(call, a); i++) {
        const double dy = ((const double *)a->dy)[i];
        const bool passes = !call->relu || ((const double *)a->y)[i] > 0;
        for (int k = 0; k < call->input_count; k++)
            if (a->dx[k] != NULL)
                ((double *)a->dx[k])[i] = passes ? dy : 0;
    }
}

/* y may be first. */
static void add_two(const float *first, const float *second, float *y, size_t count, bool relu)
{
    if (relu) {
#pragma omp simd
        for (size_t i = 0; i < count; i++) {
            const float sum = first[i] + second[i];
            y[i] = sum > 0 ? sum : 0;
        }
    } else {
#pragma omp simd
        for (size_t i = 0; i < count; i++)
            y[i] = first[i] + second[i];
    }
}

/* What is summed so far, and what several inputs' gradients are made of, stays in the first
 * cache. */
enum { PIECE = 2048 };

static void forward_range(const struct dts_op_call *call, const struct dts_arrays *a,
                          struct dts_range range)
{
    for (size_t i = 0; i < range.count; i += PIECE) {
        const size_t at = range.first + i;
        const size_t count = range.count - i < PIECE ? range.count - i : PIECE;
        float *y = (float *)a->y + at;
        const float *sum = (const float *)a->x[0] + at;
        for (int k = 1; k < call->input_count; k++) {
            const bool last = k == call->input_count - 1;
            add_two(sum, (const float *)a->x[k] + at, y, count, call->relu && last);
            sum = y;
        }
    }
}

/* One piece; dx[0] may be dy, and is written last. */
static void backward_piece(const struct dts_op_call *call, const struct dts_arrays *a,
                           size_t at, size_t count)
{
    const float *dy = (const float *)a->dy + at;
    for (int k = call->input_count - 1; k >= 0; k--) {
        if (a->dx[k] == NULL)
            continue;
        float *dx = (float *)a->dx[k] + at;
        if (!call->relu) {
            if (dx != dy)
                memcpy(dx, dy, count * sizeof(*dx));
            continue;
        }
        const float *y = (const float *)a->y + at;
#pragma omp simd
        for (size_t i = 0; i < count; i++)
            dx[i] = y[i] > 0 ? dy[i] : 0;
    }
}

static void backward_range(const struct dts_op_call *call, const struct dts_arrays *a,
                           struct dts_range range)
{
    for (size_t i = 0; i < range.count; i += PIECE)
        backward_piece(call, a, range.first + i,
                       range.count - i < PIECE ? range.count - i : PIECE);
}

static void forward_host(const struct dts_op_call *call, const struct dts_arrays *a,
                         const struct dts_place *place)
{
    dts_ranges(forward_range, values(call, a), call, a, place);
}

static void backward_host(const struct dts_op_call *call, const struct dts_arrays *a,
                          const struct dts_place *place)
{
    dts_ranges(backward_range, values(call, a), call, a, place);
}

dts_op_fn dts_add_forward_cuda, dts_add_backward_cuda; // add.cu

const struct dts_operation dts_op_add = {
    .name = "add",
    .summary = "sum of its inputs, which have one shape",
    .in_place = true,
    .reference = {forward, backward},
    .host = {forward_host, backward_host},
    .cuda = DTS_CUDA({dts_add_forward_cuda, dts_add_backward_cuda}),
};
