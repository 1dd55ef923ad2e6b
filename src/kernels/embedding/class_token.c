/* class_token.c -- learned rows in front of a sequence (Devlin et al. 2019, arXiv:1810.04805;
 * Dosovitskiy et al. 2021, arXiv:2010.11929): of t rows and sample b
 *
 *     y[b, k] = w[k] for k < t,  y[b, t + p] = x[b, p]
 *     dx[b, p] = dy[b, t + p],   dw[k] += sum over b of dy[b, k]
 */
#include <string.h>

#include "kernels/op_cost.h"
#include "kernels/ranges.h"

/* Values of a sample: of the rows, of the input. */
struct sizes {
    size_t rows, in, out;
};

static struct sizes sizes_of(const struct dts_op_call *call)
{
    const size_t in = dts_dims_elements(&call->inputs[0]);
    const size_t out = dts_dims_elements(&call->output);
    return (struct sizes){out - in, in, out};
}

static void forward(const struct dts_op_call *call, const struct dts_arrays *a,
                    const struct dts_place *place)
{
    (void)place;
    const struct sizes s = sizes_of(call);
    for (size_t b = 0; b < (size_t)a->batch; b++)
        for (size_t i = 0; i < s.out; i++)
            ((double *)a->y)[b * s.out + i] =
                i < s.rows ? ((const double *)a->w[0])[i]
                           : ((const double *)a->x[0])[b * s.in + i - s.rows];
}

static void backward(const struct dts_op_call *call, const struct dts_arrays *a,
                     const struct dts_place *place)
{
    (void)place;
    const struct sizes s = sizes_of(call);
    for (size_t b = 0; b < (size_t)a->batch; b++) {
        const double *dy = (const double *)a->dy + b * s.out;
        for (size_t i = 0; i < s.rows && a->dw[0] != NULL; i++)
            ((double *)a->dw[0])[i] += dy[i];
        for (size_t i = 0; i < s.in && a->dx[0] != NULL; i++)
            ((double *)a->dx[0])[b * s.in + i] = dy[s.rows + i];
    }
}

static void forward_samples(const struct dts_op_call *call, const struct dts_arrays *a,
                            struct dts_range range)
{
    const struct sizes s = sizes_of(call);
    for (size_t b = range.first; b < range.first + range.count; b++) {
        float *y = (float *)a->y + b * s.out;
        memcpy(y, a->w[0], s.rows * sizeof(*y));
        memcpy(y + s.rows, (const float *)a->x[0] + b * s.in, s.in * sizeof(*y));
    }
}

static void backward_samples(const struct dts_op_call *call, const struct dts_arrays *a,
                             struct dts_range range)
{
    const struct sizes s = sizes_of(call);
    for (size_t b = range.first; b < range.first + range.count; b++)
        memcpy((float *)a->dx[0] + b * s.in, (const float *)a->dy + b * s.out + s.rows,
               s.in * sizeof(float));
}

/* A range of the rows' values. */
static void backward_rows(const struct dts_op_call *call, const struct dts_arrays *a,
                          struct dts_range range)
{
    const struct sizes s = sizes_of(call);
    float *dw = (float *)a->dw[0] + range.first;
    for (size_t b = 0; b < (size_t)a->batch; b++) {
        const float *dy = (const float *)a->dy + b * s.out + range.first;
#pragma omp simd
        for (size_t i = 0; i < range.count; i++)
            dw[i] += dy[i];
    }
}

static void forward_host(const struct dts_op_call *call, const struct dts_arrays *a,
                         const struct dts_place *place)
{
    dts_ranges(forward_samples, (size_t)a->batch, call, a, place);
}

static void backward_host(const struct dts_op_call *call, const struct dts_arrays *a,
                          const struct dts_place *place)
{
    if (a->dx[0] != NULL)
        dts_ranges(backward_samples, (size_t)a->batch, call, a, place);
    if (a->dw[0] != NULL)
        dts_ranges(backward_rows, sizes_of(call).rows, call, a, place);
}

dts_op_fn dts_class_token_forward_cuda, dts_class_token_backward_cuda; // class_token.cu

const struct dts_operation dts_op_class_token = {
    .name = "class_token",
    .summary = "learned rows in front of a sequence",
    .cost = dts_class_token_cost,
    .reference = {forward, backward},
    .host = {forward_host, backward_host},
    .cuda = DTS_CUDA({dts_class_token_forward_cuda, dts_class_token_backward_cuda}),
};
