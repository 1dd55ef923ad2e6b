/* multiply.c -- the product of two inputs, value by value: y = a b, da = b dy, db = a dy. The
 * second may be one factor for each channel, b[c] for a[c, p]; db is then summed over p.
 */
#include "kernels/op_cost.h"
#include "kernels/ranges.h"
#include "kernels/vector/fetch.h"
#include "kernels/vector/past_caches.h"

/* Values that share a factor: 1, or the pixels of a channel. */
static size_t pixels_of(const struct dts_op_call *call)
{
    return dts_dims_elements(&call->inputs[0]) / dts_dims_elements(&call->inputs[1]);
}

/* Factors of the whole batch. */
static size_t factors_of(const struct dts_op_call *call, const struct dts_arrays *a)
{
    return (size_t)a->batch * dts_dims_elements(&call->inputs[1]);
}

static void forward(const struct dts_op_call *call, const struct dts_arrays *a,
                    const struct dts_place *place)
{
    (void)place;
    const size_t pixels = pixels_of(call);
    for (size_t i = 0; i < factors_of(call, a) * pixels; i++)
        ((double *)a->y)[i] =
            ((const double *)a->x[0])[i] * ((const double *)a->x[1])[i / pixels];
}

static void backward(const struct dts_op_call *call, const struct dts_arrays *a,
                     const struct dts_place *place)
{
    (void)place;
    const size_t pixels = pixels_of(call);
    const double *x = a->x[0], *factors = a->x[1], *dy = a->dy;
    for (size_t i = 0; i < factors_of(call, a); i++) {
        double sum = 0;
        for (size_t p = i * pixels; p < (i + 1) * pixels; p++) {
            sum += x[p] * dy[p];
            if (a->dx[0] != NULL)
                ((double *)a->dx[0])[p] = factors[i] * dy[p];
        }
        if (a->dx[1] != NULL)
            ((double *)a->dx[1])[i] = sum;
    }
}

enum { PIECE = 8 * DTS_LINE_VALUES, AHEAD = 512 }; // values together; so much later fetched

/* A piece; with `past` it goes past the caches where it is whole lines. */
static void product(const float *a, const float *b, float *y, size_t count, bool past)
{
    float block[PIECE];
    past = past && dts_turn_goes_past(y, count);
    float *to = dts_begin_block(y, 0, block, past);
#pragma omp simd
    for (size_t i = 0; i < count; i++)
        to[i] = a[i] * b[i];
    dts_end_block(y, 0, count, block, past);
}

static void scale(const float *x, float factor, float *y, size_t count)
{
#pragma omp simd
    for (size_t i = 0; i < count; i++)
        y[i] = x[i] * factor;
}

static float inner_product(const float *a, const float *b, size_t count)
{
    float sum = 0;
#pragma omp simd reduction(+ : sum)
    for (size_t i = 0; i < count; i++)
        sum += a[i] * b[i];
    return sum;
}

static bool is_large(const struct dts_op_call *call, const struct dts_arrays *a)
{
    return dts_goes_past_caches(a->x[0], factors_of(call, a) * pixels_of(call) * sizeof(float));
}

/* One factor for each value. */
static void products(const struct dts_op_call *call, const struct dts_arrays *a,
                     struct dts_range range)
{
    const float *x = (const float *)a->x[0] + range.first;
    const float *b = (const float *)a->x[1] + range.first;
    float *y = (float *)a->y + range.first;
    const bool large = is_large(call, a);
    for (size_t i = 0, count; i < range.count; i += count) {
        count = dts_turn(y + i, range.count - i, PIECE);
        dts_fetch(x + i + AHEAD, PIECE);
        dts_fetch(b + i + AHEAD, PIECE);
        product(x + i, b + i, y + i, count, large);
    }
    dts_lanes_streamed();
}

static void products_back(const struct dts_op_call *call, const struct dts_arrays *a,
                          struct dts_range range)
{
    const float *x[] = {(const float *)a->x[0] + range.first,
                        (const float *)a->x[1] + range.first};
    const float *dy = (const float *)a->dy + range.first;
    const bool large = is_large(call, a);
    for (size_t i = 0, count; i < range.count; i += count) {
        count = dts_turn(dy + i, range.count - i, PIECE);
        dts_fetch(x[0] + i + AHEAD, PIECE);
        dts_fetch(x[1] + i + AHEAD, PIECE);
        dts_fetch(dy + i + AHEAD, PIECE);
        for (int k = 0; k < 2; k++)
            if (a->dx[k] != NULL)
                product(dy + i, x[1 - k] + i, (float *)a->dx[k] + range.first + i, count,
                        large);
    }
    dts_lanes_streamed();
}

/* A factor for the pixels of each channel. */
static void scaled(const struct dts_op_call *call, const struct dts_arrays *a,
                   struct dts_range range)
{
    const size_t pixels = pixels_of(call);
    for (size_t i = range.first; i < range.first + range.count; i++)
        scale((const float *)a->x[0] + i * pixels, ((const float *)a->x[1])[i],
              (float *)a->y + i * pixels, pixels);
}

static void scaled_back(const struct dts_op_call *call, const struct dts_arrays *a,
                        struct dts_range range)
{
    const size_t pixels = pixels_of(call);
    for (size_t i = range.first; i < range.first + range.count; i++) {
        const float *dy = (const float *)a->dy + i * pixels;
        if (a->dx[0] != NULL)
            scale(dy, ((const float *)a->x[1])[i], (float *)a->dx[0] + i * pixels, pixels);
        if (a->dx[1] != NULL)
            ((float *)a->dx[1])[i] =
                inner_product(dy, (const float *)a->x[0] + i * pixels, pixels);
    }
}

static void forward_host(const struct dts_op_call *call, const struct dts_arrays *a,
                         const struct dts_place *place)
{
    dts_ranges(pixels_of(call) == 1 ? products : scaled, factors_of(call, a), call, a, place);
}

static void backward_host(const struct dts_op_call *call, const struct dts_arrays *a,
                          const struct dts_place *place)
{
    dts_ranges(pixels_of(call) == 1 ? products_back : scaled_back, factors_of(call, a), call, a,
               place);
}

dts_op_fn dts_multiply_forward_cuda, dts_multiply_backward_cuda; // multiply.cu

const struct dts_operation dts_op_multiply = {
    .name = "multiply",
    .summary = "product of two inputs; the second may be one factor for each channel",
    .needs_x = true,
    .cost = dts_multiply_cost,
    .reference = {forward, backward},
    .host = {forward_host, backward_host},
    .cuda = DTS_CUDA({dts_multiply_forward_cuda, dts_multiply_backward_cuda}),
};
