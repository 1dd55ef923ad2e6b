/* batch_norm.c -- batch normalization (Ioffe and Szegedy 2015, arXiv:1502.03167). Channel c,
 * the first size, has n = batch pixels values:
 *
 *     mean = sum x / n, variance = sum (x - mean)^2 / n, r = 1 / sqrt(variance + epsilon)
 *     h = (x - mean) r,  y = w h + b,  with `relu` y = max(0, w h + b)
 *     g = dy, with `relu` 0 where y is not above 0
 *     db += sum g,  dw += sum g h,  dx = w r (g - sum g / n - h sum (g h) / n)
 *
 * Inference takes mean and variance from the state: running mean, running variance (of each
 * channel), number of batches. A batch moves them by a tenth of the difference, the variance
 * over n - 1; before the first they are 0 and 1. saved: mean, r. Whether y was above 0 is
 * computed anew from x, which is read anyway.
 */
#include <math.h>

#include "ops/batch_norm.h"

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

/* Mean and variance of a channel of the batch, and their trace in the running ones. */
static void measure(struct sizes s, const struct dts_arrays *a, size_t c, double *mean,
                    double *variance)
{
    const double *x = a->x[0];
    const size_t n = s.batch * s.pixels;
    double sum = 0, squares = 0;
    for (size_t k = 0; k < n; k++)
        sum += x[place_of(s, c, k)];
    *mean = sum / (double)n;
    for (size_t k = 0; k < n; k++)
        squares += pow(x[place_of(s, c, k)] - *mean, 2);
    *variance = squares / (double)n;

    double *running_mean = a->state, *running_variance = running_mean + s.channels;
    const bool first = running_mean[2 * s.channels] == 0;
    const double old = first ? 1 : running_variance[c];
    const double unbiased = n > 1 ? squares / (double)(n - 1) : squares;
    running_mean[c] += DTS_BATCH_NORM_MOMENTUM * (*mean - running_mean[c]);
    running_variance[c] = old + DTS_BATCH_NORM_MOMENTUM * (unbiased - old);
}

static void forward(const struct dts_op_call *call, const struct dts_arrays *a,
                    const struct dts_place *place)
{
    (void)place;
    const struct sizes s = sizes_of(call, a);
    const double *x = a->x[0], *w = a->w[0], *b = a->w[1];
    double *y = a->y, *saved = a->saved, *state = a->state;
    for (size_t c = 0; c < s.channels; c++) {
        double mean = state[c],
               variance = state[2 * s.channels] > 0 ? state[s.channels + c] : 1;
        if (a->training)
            measure(s, a, c, &mean, &variance);
        const double r = 1 / sqrt(variance + dts_op_epsilon(call));
        for (size_t k = 0; k < s.batch * s.pixels; k++) {
            const size_t i = place_of(s, c, k);
            y[i] = w[c] * (x[i] - mean) * r + b[c];
            if (call->relu)
                y[i] = fmax(0, y[i]);
        }
        if (a->training) {
            saved[c] = mean;
            saved[s.channels + c] = r;
        }
    }
    state[2 * s.channels] += a->training;
}

static void backward(const struct dts_op_call *call, const struct dts_arrays *a,
                     const struct dts_place *place)
{
    (void)place;
    const struct sizes s = sizes_of(call, a);
    const size_t n = s.batch * s.pixels;
    const double *x = a->x[0], *dy = a->dy, *w = a->w[0], *b = a->w[1], *saved = a->saved;
    double *dx = a->dx[0], *dw = a->dw[0], *db = a->dw[1];
    for (size_t c = 0; c < s.channels; c++) {
        const double mean = saved[c], r = saved[s.channels + c];
        double sum = 0, products = 0;
        for (size_t k = 0; k < n; k++) {
            const size_t i = place_of(s, c, k);
            const double h = (x[i] - mean) * r;
            const double g = call->relu && w[c] * h + b[c] <= 0 ? 0 : dy[i];
            sum += g;
            products += g * h;
        }
        for (size_t k = 0; k < n && dx != NULL; k++) {
            const size_t i = place_of(s, c, k);
            const double h = (x[i] - mean) * r;
            const double g = call->relu && w[c] * h + b[c] <= 0 ? 0 : dy[i];
            dx[i] = w[c] * r * (g - sum / (double)n - h * products / (double)n);
        }
        if (dw != NULL)
            dw[c] += products;
        if (db != NULL)
            db[c] += sum;
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
    .saved_bytes = saved_bytes,
    .state_bytes = state_bytes,
    .reference = {forward, backward},
    .host = {dts_batch_norm_forward_host, dts_batch_norm_backward_host},
    .cuda = DTS_CUDA({dts_batch_norm_forward_cuda, dts_batch_norm_backward_cuda,
                      dts_batch_norm_scratch_cuda, dts_batch_norm_scratch_cuda}),
};
