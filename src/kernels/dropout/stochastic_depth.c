/* stochastic_depth.c -- drops samples at random, so that the branch that ends here is not there
 * for them (Huang et al. 2016, arXiv:1603.09382; torchvision's mode "row"):
 *
 *     y = f x,  dx = f dy,  f = keep / (1 - rate) of the sample;  f = 1 when it does not train
 *
 * `keep` is drawn as dropout's of the sample's first value (dropout.c); the rate is a multiple
 * of 2^-16. saved: keep, a byte for each sample. A value that is no number stays so.
 */
#include <string.h>

#include "base/philox.h"
#include "kernels/dropout/dropout.h"
#include "kernels/op_cost.h"
#include "kernels/ranges.h"
#include "kernels/vector/fetch.h"

enum { PIECE = 64, AHEAD = 512 }; // values together; so much later fetched

static bool keeps(const struct dts_op_call *call, const struct dts_arrays *a, size_t sample)
{
    const uint64_t number = a->first_sample + sample;
    uint32_t x[4] = {0, (uint32_t)a->step, (uint32_t)number, (uint32_t)(number >> 32)};
    dts_philox(x, a->seed);
    return (x[0] & 0xffff) >= dts_dropout_threshold(call);
}

/* Draw `keep` of all samples. */
static void draw(const struct dts_op_call *call, const struct dts_arrays *a)
{
    for (size_t b = 0; b < (size_t)a->batch; b++)
        ((uint8_t *)a->saved)[b] = !a->training || keeps(call, a, b);
}

static double factor_of(const struct dts_op_call *call, const struct dts_arrays *a,
                        size_t sample)
{
    return ((const uint8_t *)a->saved)[sample] ? dts_dropout_scale(call) : 0;
}

static void forward(const struct dts_op_call *call, const struct dts_arrays *a,
                    const struct dts_place *place)
{
    (void)place;
    const size_t n = dts_dims_elements(&call->output);
    draw(call, a);
    for (size_t i = 0; i < (size_t)a->batch * n; i++)
        ((double *)a->y)[i] =
            ((const double *)a->x[0])[i] * (a->training ? factor_of(call, a, i / n) : 1);
}

static void backward(const struct dts_op_call *call, const struct dts_arrays *a,
                     const struct dts_place *place)
{
    (void)place;
    const size_t n = dts_dims_elements(&call->output);
    for (size_t i = 0; i < (size_t)a->batch * n && a->dx[0] != NULL; i++)
        ((double *)a->dx[0])[i] = ((const double *)a->dy)[i] * factor_of(call, a, i / n);
}

static void scale(const float *x, float factor, float *y, size_t count)
{
    for (size_t i = 0, some; i < count; i += some) {
        some = count - i < PIECE ? count - i : PIECE;
        dts_fetch(x + i + AHEAD, PIECE);
#pragma omp simd
        for (size_t k = i; k < i + some; k++)
            y[k] = x[k] * factor;
    }
}

/* A range of values: the parts of samples that it has. */
static void scale_range(const struct dts_op_call *call, const struct dts_arrays *a,
                        struct dts_range range, const float *x, float *y)
{
    const size_t n = dts_dims_elements(&call->output), end = range.first + range.count;
    for (size_t i = range.first, some; i < end; i += some) {
        const size_t left = n - i % n;
        some = left < end - i ? left : end - i;
        scale(x + i, (float)factor_of(call, a, i / n), y + i, some);
    }
}

static void forward_range(const struct dts_op_call *call, const struct dts_arrays *a,
                          struct dts_range range)
{
    scale_range(call, a, range, a->x[0], a->y);
}

static void backward_range(const struct dts_op_call *call, const struct dts_arrays *a,
                           struct dts_range range)
{
    scale_range(call, a, range, a->dy, a->dx[0]);
}

static void forward_host(const struct dts_op_call *call, const struct dts_arrays *a,
                         const struct dts_place *place)
{
    const size_t n = (size_t)a->batch * dts_dims_elements(&call->output);
    draw(call, a);
    if (a->training)
        dts_ranges(forward_range, n, call, a, place);
    else if (a->y != a->x[0])
        memcpy(a->y, a->x[0], n * sizeof(float));
}

static void backward_host(const struct dts_op_call *call, const struct dts_arrays *a,
                          const struct dts_place *place)
{
    if (a->dx[0] != NULL)
        dts_ranges(backward_range, (size_t)a->batch * dts_dims_elements(&call->output), call, a,
                   place);
}

static size_t saved_bytes(const struct dts_op_call *call, int batch, size_t real)
{
    (void)call, (void)real;
    return (size_t)batch;
}

const struct dts_operation dts_op_stochastic_depth = {
    .name = "stochastic_depth",
    .summary = "zero whole samples at random",
    .in_place = true,
    .saved_bytes = saved_bytes,
    .cost = dts_stochastic_depth_cost,
    .reference = {forward, backward},
    .host = {forward_host, backward_host},
    .cuda = DTS_CUDA({dts_stochastic_depth_forward_cuda, dts_stochastic_depth_backward_cuda}),
};
