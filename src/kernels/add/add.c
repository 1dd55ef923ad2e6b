/* add.c -- the sum of two inputs or more: y = x[0] + x[1] + ..., added in this order; with
 * `relu` y = max(0, sum). Backward every dx is dy, with `relu` 0 where y <= 0.
 */
#include <math.h>
#include <string.h>

#include "kernels/op_cost.h"
#include "kernels/ranges.h"
#include "kernels/vector/fetch.h"
#include "kernels/vector/past_caches.h"

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
        ((double *)a->y)[i] = call->relu && sum < 0 ? 0 : sum;
    }
}

static void backward(const struct dts_op_call *call, const struct dts_arrays *a,
                     const struct dts_place *place)
{
    (void)place;
    for (size_t i = 0; i < values(call, a); i++) {
        const double dy = ((const double *)a->dy)[i];
        const bool passes = !call->relu || !(((const double *)a->y)[i] <= 0);
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
            y[i] = sum < 0 ? 0 : sum;
        }
    } else {
#pragma omp simd
        for (size_t i = 0; i < count; i++)
            y[i] = first[i] + second[i];
    }
}

/* Values that are taken together: what is summed so far, and what several inputs' gradients are
 * made of, stays in the first cache. Those AHEAD are fetched meanwhile. */
enum { PIECE = 4 * DTS_LINE_VALUES, AHEAD = 512 };

/* One piece; with `past` its last sum goes past the caches. */
static void forward_piece(const struct dts_op_call *call, const struct dts_arrays *a, size_t at,
                          size_t count, bool past)
{
    float *y = (float *)a->y + at, block[PIECE];
    float *sums = dts_begin_block(y, 0, block, past);
    const float *sum = (const float *)a->x[0] + at;
    dts_fetch(sum + AHEAD, PIECE);
    for (int k = 1; k < call->input_count; k++) {
        dts_fetch((const float *)a->x[k] + at + AHEAD, PIECE);
        const bool last = k == call->input_count - 1;
        add_two(sum, (const float *)a->x[k] + at, sums, count, call->relu && last);
        sum = sums;
    }
    dts_end_block(y, 0, count, block, past);
}

static void forward_range(const struct dts_op_call *call, const struct dts_arrays *a,
                          struct dts_range range)
{
    const bool large = dts_goes_past_caches(a->y, values(call, a) * sizeof(float));
    for (size_t i = 0, count; i < range.count; i += count) {
        const size_t at = range.first + i;
        const float *y = (const float *)a->y + at;
        count = dts_turn(y, range.count - i, PIECE);
        forward_piece(call, a, at, count, large && dts_turn_goes_past(y, count));
    }
    dts_lanes_streamed();
}

static void pass_back(const float *y, const float *dy, float *dx, size_t count)
{
#pragma omp simd
    for (size_t i = 0; i < count; i++)
        dx[i] = y[i] <= 0 ? 0 : dy[i];
}

/* One piece; dx[0] may be dy, and is written last. */
static void backward_piece(const struct dts_op_call *call, const struct dts_arrays *a,
                           size_t at, size_t count, bool large)
{
    const float *dy = (const float *)a->dy + at;
    dts_fetch(dy + AHEAD, PIECE);
    if (call->relu)
        dts_fetch((const float *)a->y + at + AHEAD, PIECE);
    for (int k = call->input_count - 1; k >= 0; k--) {
        if (a->dx[k] == NULL || (a->dx[k] == a->dy && !call->relu))
            continue;
        float *dx = (float *)a->dx[k] + at, block[PIECE];
        const bool past = large && dts_turn_goes_past(dx, count);
        if (call->relu) {
            pass_back((const float *)a->y + at, dy, dts_begin_block(dx, 0, block, past), count);
            dts_end_block(dx, 0, count, block, past);
        } else if (past) {
            dts_store_past_caches(dx, dy, count);
        } else {
            memcpy(dx, dy, count * sizeof(*dx));
        }
    }
}

static void backward_range(const struct dts_op_call *call, const struct dts_arrays *a,
                           struct dts_range range)
{
    const bool large = dts_goes_past_caches(a->dy, values(call, a) * sizeof(float));
    for (size_t i = 0, count; i < range.count; i += count) {
        const size_t at = range.first + i;
        count = dts_turn((const float *)a->dy + at, range.count - i, PIECE);
        backward_piece(call, a, at, count, large);
    }
    dts_lanes_streamed();
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
    .cost = dts_add_cost,
    .reference = {forward, backward},
    .host = {forward_host, backward_host},
    .cuda = DTS_CUDA({dts_add_forward_cuda, dts_add_backward_cuda}),
};
