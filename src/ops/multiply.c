/* multiply.c -- the product of two inputs, value by value: y = a b, da = b dy, db = a dy. The
 * second may be one factor for each channel, b[c] for a[c, p]; db is then summed over p.
 */
#include "ops/ranges.h"

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

static void product(const float *a, const float *b, float *y, size_t count)
{
#pragma omp simd
    for (size_t i = 0; i < count; i++)
        y[i] = a[i] * b[i];
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

static void forward_range(const struct dts_op_call *call, const struct dts_arrays *a,
                          struct dts_range range)
{
    const size_t pixels = pixels_of(call), at = range.first * pixels;
    const float *x = (const float *)a->x[0] + at, *b = (const float *)a->x[1] + range.first;
    float *y = (float *)a->y + at;
    if (pixels == 1)
        product(x, b, y, range.count);
    for (size_t i = 0; i < range.count && pixels > 1; i++)
        scale(x + i * pixels, b[i], y + i * pixels, pixels);
}

static void backward_range(const struct dts_op_call *call, const struct dts_arrays *a,
                           struct dts_range range)
{
    const size_t pixels = pixels_of(call), at = range.first * pixels;
    const float *x = (const float *)a->x[0] + at, *b = (const float *)a->x[1] + range.first;
    const float *dy = (const float *)a->dy + at;
    float *dx = a->dx[0] != NULL ? (float *)a->dx[0] + at : NULL;
    float *db = a->dx[1] != NULL ? (float *)a->dx[1] + range.first : NULL;
    if (pixels == 1 && dx != NULL)
        product(dy, b, dx, range.count);
    if (pixels == 1 && db != NULL)
        product(dy, x, db, range.count);
    for (size_t i = 0; i < range.count && pixels > 1; i++) {
        if (dx != NULL)
            scale(dy + i * pixels, b[i], dx + i * pixels, pixels);
        if (db != NULL)
            db[i] = inner_product(dy + i * pixels, x + i * pixels, pixels);
    }
}

static void forward_host(const struct dts_op_call *call, const struct dts_arrays *a,
                         const struct dts_place *place)
{
    dts_ranges(forward_range, factors_of(call, a), call, a, place);
}

static void backward_host(const struct dts_op_call *call, const struct dts_arrays *a,
                          const struct dts_place *place)
{
    dts_ranges(backward_range, factors_of(call, a), call, a, place);
}

dts_op_fn dts_multiply_forward_cuda, dts_multiply_backward_cuda; // multiply.cu

const struct dts_operation dts_op_multiply = {
    .name = "multiply",
    .summary = "product of two inputs; the second may be one factor for each channel",
    .needs_x = true,
    .reference = {forward, backward},
    .host = {forward_host, backward_host},
    .cuda = DTS_CUDA({dts_multiply_forward_cuda, dts_multiply_backward_cuda}),
};
