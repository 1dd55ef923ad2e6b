/* group_norm.c -- normalization of a sample's channels by groups (Wu and He 2018,
 * arXiv:1803.08494). Of n values of a group, channels c, the first size, and their pixels:
 *
 *     mean = sum x / n,  r = 1 / sqrt(sum (x - mean)^2 / n + epsilon)
 *     h = (x - mean) r,  y = w h + b,  of each channel its own w and b
 *     g = w dy,  dw += sum over samples and pixels of dy h,  db += sum of dy
 *     dx = r (g - sum g / n - h sum (g h) / n)
 *
 * Groups of one channel are instance normalization (Ulyanov et al. 2016, arXiv:1607.08022); a
 * call without parameters has w = 1 and b = 0. saved: r of each group, then the mean of each.
 */
#include <math.h>

#include "kernels/layer_norm/group_norm.h"
#include "kernels/op_cost.h"

struct dts_group_norm dts_group_norm_of(const struct dts_op_call *call, int batch)
{
    const size_t channels = call->output.size[0], groups = (size_t)call->groups;
    const size_t pixels = dts_dims_elements(&call->output) / channels;
    return (struct dts_group_norm){.batch = (size_t)batch,
                                   .channels = channels,
                                   .count = (size_t)batch * groups,
                                   .of_group = channels / groups,
                                   .pixels = pixels,
                                   .values = channels / groups * pixels};
}

/* The channel of value i of group k. */
static size_t channel_of(const struct dts_group_norm *s, size_t k, size_t i)
{
    return (k * s->of_group + i / s->pixels) % s->channels;
}

static void measure(const struct dts_op_call *call, const double *x, size_t n, double *r,
                    double *mean)
{
    double squares = 0;
    *mean = 0;
    for (size_t i = 0; i < n; i++)
        *mean += x[i] / (double)n;
    for (size_t i = 0; i < n; i++)
        squares += (x[i] - *mean) * (x[i] - *mean);
    *r = 1 / sqrt(squares / (double)n + dts_op_epsilon(call));
}

static void forward(const struct dts_op_call *call, const struct dts_arrays *a,
                    const struct dts_place *place)
{
    (void)place;
    const struct dts_group_norm s = dts_group_norm_of(call, a->batch);
    const double *w = a->w[0], *b = a->w[1];
    double *r = a->saved, *mean = r + s.count;
    for (size_t k = 0; k < s.count; k++) {
        const double *x = (const double *)a->x[0] + k * s.values;
        double *y = (double *)a->y + k * s.values;
        measure(call, x, s.values, &r[k], &mean[k]);
        for (size_t i = 0; i < s.values; i++) {
            const size_t c = channel_of(&s, k, i);
            y[i] = (w != NULL ? w[c] : 1) * (x[i] - mean[k]) * r[k] + (b != NULL ? b[c] : 0);
        }
    }
}

static void backward(const struct dts_op_call *call, const struct dts_arrays *a,
                     const struct dts_place *place)
{
    (void)place;
    const struct dts_group_norm s = dts_group_norm_of(call, a->batch);
    const double *w = a->w[0], *r = a->saved, *mean = r + s.count;
    double *dw = a->dw[0], *db = a->dw[1];
    for (size_t k = 0; k < s.count; k++) {
        const double *x = (const double *)a->x[0] + k * s.values;
        const double *dy = (const double *)a->dy + k * s.values;
        double sum = 0, products = 0;
        for (size_t i = 0; i < s.values; i++) {
            const size_t c = channel_of(&s, k, i);
            const double h = (x[i] - mean[k]) * r[k], g = (w != NULL ? w[c] : 1) * dy[i];
            sum += g / (double)s.values;
            products += g * h / (double)s.values;
            if (dw != NULL)
                dw[c] += dy[i] * h;
            if (db != NULL)
                db[c] += dy[i];
        }
        for (size_t i = 0; i < s.values && a->dx[0] != NULL; i++) {
            const double g = (w != NULL ? w[channel_of(&s, k, i)] : 1) * dy[i];
            ((double *)a->dx[0])[k * s.values + i] =
                r[k] * (g - sum - (x[i] - mean[k]) * r[k] * products);
        }
    }
}

static size_t saved_bytes(const struct dts_op_call *call, int batch, size_t real)
{
    return 2 * dts_group_norm_of(call, batch).count * real;
}

size_t dts_group_norm_scratch(const struct dts_op_call *call, int batch, int workers)
{
    (void)workers;
    return 2 * (size_t)batch * call->output.size[0] * sizeof(float);
}

const struct dts_operation dts_op_group_norm = {
    .name = "group_norm",
    .summary = "normalize each group of channels, then scale and shift each channel",
    .needs_x = true,
    .saved_bytes = saved_bytes,
    .cost = dts_group_norm_cost,
    .reference = {forward, backward},
    .host = {dts_group_norm_forward_host, dts_group_norm_backward_host, NULL,
             dts_group_norm_scratch},
    .cuda = DTS_CUDA({dts_group_norm_forward_cuda, dts_group_norm_backward_cuda, NULL,
                      dts_group_norm_scratch}),
};
