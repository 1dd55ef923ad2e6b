/* adamw.c -- Adam with weight decay apart from the gradient (Loshchilov and Hutter 2019,
 * arXiv:1711.05101), as PyTorch:
 *
 *     m  = b1 m + (1 - b1) g
 *     v  = b2 v + (1 - b2) g^2
 *     w  = (1 - rate decay) w - rate / (1 - b1^t) m / (sqrt(v / (1 - b2^t)) + epsilon)
 */
#include <math.h>

#include "kernels/update/update_host.h"

static void reference(const struct dts_update_settings *s, const struct dts_update_arrays *a,
                      const struct dts_place *place)
{
    (void)place;
    double *w = a->w, *m = a->state, *v = m + a->count;
    const double *g = a->g;
    for (size_t i = 0; i < a->count; i++) {
        m[i] = s->beta1 * m[i] + (1 - s->beta1) * g[i];
        v[i] = s->beta2 * v[i] + (1 - s->beta2) * g[i] * g[i];
        const double mean = m[i] / (1 - pow(s->beta1, (double)s->step));
        const double square = v[i] / (1 - pow(s->beta2, (double)s->step));
        w[i] *= 1 - s->rate * s->decay;
        w[i] -= s->rate * mean / (sqrt(square) + s->epsilon);
    }
}

/* factors: of the mean, with the rate; of the root of the square; of the weight. */
static void part(const struct dts_update_settings *s, const struct dts_update_arrays *a,
                 const double *factors, size_t begin, size_t end)
{
    float *restrict w = a->w, *restrict m = a->state, *restrict v = m + a->count;
    const float *restrict g = a->g;
    const float epsilon = (float)s->epsilon;
    const float keep1 = (float)s->beta1, take1 = (float)(1 - s->beta1);
    const float keep2 = (float)s->beta2, take2 = (float)(1 - s->beta2);
    const float rate = (float)factors[0], root = (float)factors[1], keep = (float)factors[2];
    for (size_t i = begin; i < end; i++) {
        m[i] = keep1 * m[i] + take1 * g[i];
        v[i] = keep2 * v[i] + take2 * g[i] * g[i];
        w[i] = keep * w[i] - rate * m[i] / (sqrtf(v[i]) * root + epsilon);
    }
}

static void host(const struct dts_update_settings *s, const struct dts_update_arrays *a,
                 const struct dts_place *place)
{
    const double factors[] = {s->rate / (1 - pow(s->beta1, (double)s->step)),
                              1 / sqrt(1 - pow(s->beta2, (double)s->step)),
                              1 - s->rate * s->decay};
    dts_update_each(part, s, a, factors, place->workers);
}

dts_update_fn dts_update_adamw_cuda; // update.cu

const struct dts_update dts_update_adamw = {
    .optimizer = &dts_optimizer_adamw,
    .usual = {.beta1 = 0.9, .beta2 = 0.999, .epsilon = 1e-8},
    .reference = reference,
    .host = host,
    .cuda = DTS_CUDA_FUNCTION(dts_update_adamw_cuda),
};
