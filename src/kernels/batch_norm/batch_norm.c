/* batch_norm.c -- batch normalization (Ioffe and Szegedy 2015, arXiv:1502.03167). Channel c,
 * the first size, has n = batch pixels values:
 *
 *     mean = sum x / n, variance = sum (x - mean)^2 / n, r = 1 / sqrt(variance + epsilon)
 *     h = (x - mean) r,  y = w h + b,  with `relu` y = max(0, w h + b)
 *     g = dy, with `relu` 0 where y is not above 0
 *     db += sum g,  dw += sum g h,  dx = w r (g - sum g / n - h sum (g h) / n)
 *
 * In two halves (op.h) n counts the values of all ranks, and for each channel there are two
 * sums in a pass, first all of one, then all of the other:
 *
 *     forward  sum x, sum x^2           backward  sum g, sum g (x - mean)
 *
 * In double the difference of squares loses what a mean of 10^4 deviations makes of 2^-53,
 * which is 10^-8; x itself has lost more. dw and db are of the rank's own samples.
 *
 * Inference takes mean and variance from the state: running mean, running variance (of each
 * channel), number of batches. A batch moves them by a tenth of the difference, the variance
 * over n - 1; before the first they are 0 and 1. saved: mean, r. Whether y was above 0 is
 * computed anew from x, which is read anyway.
 */
#include <math.h>

#include "kernels/batch_norm/batch_norm.h"
#include "kernels/op_cost.h"

struct sizes {
    size_t batch, channels, pixels;
};

static struct sizes sizes_of(const struct dts_op_call *call, const struct dts_arrays *a)
{
    const struct dts_dims *x = &call->inputs[0];
    return (struct sizes){(size_t)a->batch, x->size[0], dts_dims_elements(x) / x->size[0]};
}

/* Where value k of channel c lies. */
static size_t place_of(struct sizes s, size_t c, size_t k)
{
    return (k / s.pixels * s.channels + c) * s.pixels + k % s.pixels;
}

/* Values of a channel that count together. */
static double count_of(struct sizes s, const struct dts_arrays *a)
{
    const int ranks = a->part == DTS_OP_REST ? a->ranks : 1;
    return (double)s.batch * (double)s.pixels * ranks;
}

static double sum_about(struct sizes s, const double *x, size_t c, double origin, int power)
{
    double sum = 0;
    for (size_t k = 0; k < s.batch * s.pixels; k++)
        sum += pow(x[place_of(s, c, k)] - origin, power);
    return sum;
}

/* Mean and variance of a channel of the batch, and their trace in the running ones. */
static void measure(struct sizes s, const struct dts_arrays *a, size_t c, double *mean,
                    double *variance)
{
    const bool rest = a->part == DTS_OP_REST;
    const double n = count_of(s, a);
    *mean = (rest ? a->sums[c] : sum_about(s, a->x[0], c, 0, 1)) / n;
    const double squares = rest ? fmax(0, a->sums[s.channels + c] - n * *mean * *mean)
                                : sum_about(s, a->x[0], c, *mean, 2);
    *variance = squares / n;

    double *running_mean = a->state, *running_variance = running_mean + s.channels;
    const bool first = running_mean[2 * s.channels] == 0;
    const double old = first ? 1 : running_variance[c];
    const double unbiased = n > 1 ? squares / (n - 1) : squares;
    running_mean[c] += DTS_BATCH_NORM_MOMENTUM * (*mean - running_mean[c]);
    running_variance[c] = old + DTS_BATCH_NORM_MOMENTUM * (unbiased - old);
}

static void forward_channel(const struct dts_op_call *call, const struct dts_arrays *a,
                            size_t c)
{
    const struct sizes s = sizes_of(call, a);
    const double *x = a->x[0], *w = a->w[0], *b = a->w[1];
    double *y = a->y, *saved = a->saved, *state = a->state;
    double mean = state[c], variance = state[2 * s.channels] > 0 ? state[s.channels + c] : 1;
    if (a->training)
        measure(s, a, c, &mean, &variance);
    const double r = 1 / sqrt(variance + dts_op_epsilon(call));
    for (size_t k = 0; k < s.batch * s.pixels; k++) {
        const size_t i = place_of(s, c, k);
        y[i] = w[c] * (x[i] - mean) * r + b[c];
        if (call->relu)
            y[i] = y[i] < 0 ? 0 : y[i];
    }
    if (a->training) {
        saved[c] = mean;
        saved[s.channels + c] = r;
    }
}

static void forward(const struct dts_op_call *call, const struct dts_arrays *a,
                    const struct dts_place *place)
{
    (void)place;
    const struct sizes s = sizes_of(call, a);
    for (size_t c = 0; c < s.channels; c++)
        if (a->part == DTS_OP_SUMS) {
            a->sums[c] = sum_about(s, a->x[0], c, 0, 1);
            a->sums[s.channels + c] = sum_about(s, a->x[0], c, 0, 2);
        } else {
            forward_channel(call, a, c);
        }
    ((double *)a->state)[2 * s.channels] += a->training && a->part != DTS_OP_SUMS;
}

/* What came through the ReLU. */
static double gradient(const struct dts_op_call *call, const struct dts_arrays *a, size_t c,
                       size_t i, double h)
{
    const double w = ((const double *)a->w[0])[c], b = ((const double *)a->w[1])[c];
    return call->relu && w * h + b <= 0 ? 0 : ((const double *)a->dy)[i];
}

/* Sums of g and g h over the rank's own samples; they are what dw and db grow by. */
static void add_up(const struct dts_op_call *call, const struct dts_arrays *a, size_t c,
                   double *sum, double *products)
{
    const struct sizes s = sizes_of(call, a);
    const double *x = a->x[0], *saved = a->saved;
    double *dw = a->dw[0], *db = a->dw[1];
    for (size_t k = 0; k < s.batch * s.pixels; k++) {
        const size_t i = place_of(s, c, k);
        const double h = (x[i] - saved[c]) * saved[s.channels + c];
        *sum += gradient(call, a, c, i, h);
        *products += gradient(call, a, c, i, h) * h;
    }
    if (dw != NULL)
        dw[c] += *products;
    if (db != NULL)
        db[c] += *sum;
}

static void backward(const struct dts_op_call *call, const struct dts_arrays *a,
                     const struct dts_place *place)
{
    (void)place;
    const struct sizes s = sizes_of(call, a);
    const double n = count_of(s, a);
    const double *x = a->x[0], *w = a->w[0], *saved = a->saved;
    double *dx = a->dx[0];
    for (size_t c = 0; c < s.channels; c++) {
        const double mean = saved[c], r = saved[s.channels + c];
        double sum = 0, products = 0;
        if (a->part == DTS_OP_REST) {
            sum = a->sums[c];
            products = a->sums[s.channels + c] * r;
        } else {
            add_up(call, a, c, &sum, &products);
        }
        if (a->part == DTS_OP_SUMS) {
            a->sums[c] = sum;
            a->sums[s.channels + c] = products / r;
            continue;
        }
        for (size_t k = 0; k < s.batch * s.pixels && dx != NULL; k++) {
            const size_t i = place_of(s, c, k);
            const double h = (x[i] - mean) * r;
            dx[i] = w[c] * r * (gradient(call, a, c, i, h) - sum / n - h * products / n);
        }
    }
}

static size_t saved_bytes(const struct dts_op_call *call, int batch, size_t real)
{
    (void)batch;
    return 2 * call->inputs[0].size[0] * real;
}

static size_t state_bytes(const struct dts_op_call *call, int batch, size_t real)
{
    (void)batch;
    return (2 * call->inputs[0].size[0] + 1) * real;
}

const struct dts_operation dts_op_batch_norm = {
    .name = "batch_norm",
    .summary = "normalize each channel over the batch, then scale and shift it",
    .needs_x = true,
    .halves = true,
    .saved_bytes = saved_bytes,
    .state_bytes = state_bytes,
    .cost = dts_batch_norm_cost,
    .reference = {forward, backward},
    .host = {dts_batch_norm_forward_host, dts_batch_norm_backward_host},
    .cuda = DTS_CUDA({dts_batch_norm_forward_cuda, dts_batch_norm_backward_cuda,
                      dts_batch_norm_scratch_cuda, dts_batch_norm_scratch_cuda}),
};
