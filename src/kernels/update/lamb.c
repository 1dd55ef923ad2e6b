/* lamb.c -- Adam with a rate for each tensor (You et al. 2020, arXiv:1904.00962,
 * algorithm 2 with its bias corrections):
 *
 *     m  = b1 m + (1 - b1) g
 *     v  = b2 v + (1 - b2) g^2
 *     u  = m / (1 - b1^t) / (sqrt(v / (1 - b2^t)) + epsilon) + decay w
 *     w -= rate trust |w| / |u| u
 *
 * trust |w| / |u| is 1 where a norm is zero, and with trust 0: for biases and normalizations.
 * u is not kept between the two passes over the tensor, but made twice.
 */
#include <math.h>

#include "kernels/update/update_host.h"

static double ratio(const struct dts_update_settings *s, double w, double u)
{
    return s->trust > 0 && w > 0 && u > 0 ? s->trust * w / u : 1;
}

static double change(const struct dts_update_settings *s, double w, double m, double v)
{
    const double mean = m / (1 - pow(s->beta1, (double)s->step));
    const double square = v / (1 - pow(s->beta2, (double)s->step));
    return mean / (sqrt(square) + s->epsilon) + s->decay * w;
}

static void reference(const struct dts_update_settings *s, const struct dts_update_arrays *a,
                      const struct dts_place *place)
{
    (void)place;
    double *w = a->w, *m = a->state, *v = m + a->count, squares[2] = {0};
    const double *g = a->g;
    for (size_t i = 0; i < a->count; i++) {
        m[i] = s->beta1 * m[i] + (1 - s->beta1) * g[i];
        v[i] = s->beta2 * v[i] + (1 - s->beta2) * g[i] * g[i];
        const double u = change(s, w[i], m[i], v[i]);
        squares[0] += w[i] * w[i];
        squares[1] += u * u;
    }
    const double scale = s->rate * ratio(s, sqrt(squares[0]), sqrt(squares[1]));
    for (size_t i = 0; i < a->count; i++)
        w[i] -= scale * change(s, w[i], m[i], v[i]);
}

/* factors: of the mean; of the root of the square; of the whole change. */
static void sum(const struct dts_update_settings *s, const struct dts_update_arrays *a,
                const double *factors, size_t begin, size_t end, double sums[2])
{
    const float *restrict w = a->w, *restrict g = a->g;
    float *restrict m = a->state, *restrict v = m + a->count;
    const float decay = (float)s->decay, epsilon = (float)s->epsilon;
    const float keep1 = (float)s->beta1, take1 = (float)(1 - s->beta1);
    const float keep2 = (float)s->beta2, take2 = (float)(1 - s->beta2);
    const float mean = (float)factors[0], root = (float)factors[1];
    float changes[DTS_UPDATE_BLOCK];
    for (size_t i = begin; i < end; i++) {
        m[i] = keep1 * m[i] + take1 * g[i];
        v[i] = keep2 * v[i] + take2 * g[i] * g[i];
        changes[i - begin] = mean * m[i] / (sqrtf(v[i]) * root + epsilon) + decay * w[i];
    }
    sums[0] = dts_update_square(w + begin, end - begin);
    sums[1] = dts_update_square(changes, end - begin);
}

static void part(const struct dts_update_settings *s, const struct dts_update_arrays *a,
                 const double *factors, size_t begin, size_t end)
{
    float *restrict w = a->w;
    const float *restrict m = a->state, *restrict v = m + a->count;
    const float decay = (float)s->decay, epsilon = (float)s->epsilon;
    const float mean = (float)factors[0], root = (float)factors[1], rate = (float)factors[2];
    for (size_t i = begin; i < end; i++)
        w[i] -= rate * (mean * m[i] / (sqrtf(v[i]) * root + epsilon) + decay * w[i]);
}

static void host(const struct dts_update_settings *s, const struct dts_update_arrays *a,
                 const struct dts_place *place)
{
    double squares[2], factors[3] = {1 / (1 - pow(s->beta1, (double)s->step)),
                                     1 / sqrt(1 - pow(s->beta2, (double)s->step))};
    dts_update_sum(sum, s, a, factors, place->workers, squares);
    factors[2] = s->rate * ratio(s, sqrt(squares[0]), sqrt(squares[1]));
    dts_update_each(part, s, a, factors, place->workers);
}

dts_update_fn dts_update_lamb_cuda; // update.cu

const struct dts_update dts_update_lamb = {
    .optimizer = &dts_optimizer_lamb,
    .norms = true,
    .apart = true,
    .usual = {.beta1 = 0.9, .beta2 = 0.999, .epsilon = 1e-6, .trust = 1},
    .reference = reference,
    .host = host,
    .cuda = DTS_CUDA_FUNCTION(dts_update_lamb_cuda),
};
