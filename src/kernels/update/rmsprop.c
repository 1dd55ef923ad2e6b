/* rmsprop.c -- SGD scaled by recent squares (Hinton 2012, lecture 6e of "Neural Networks
 * for Machine Learning"), with momentum, as PyTorch's RMSprop that is not centered:
 *
 *     d  = g + decay w
 *     s  = b2 s + (1 - b2) d^2
 *     v  = m v + d / (sqrt(s) + epsilon)
 *     w -= rate v
 */
#include <math.h>

#include "kernels/update/update_host.h"

static void reference(const struct dts_update_settings *s, const struct dts_update_arrays *a,
                      const struct dts_place *place)
{
    (void)place;
    double *w = a->w, *squares = a->state, *v = squares + a->count;
    const double *g = a->g;
    for (size_t i = 0; i < a->count; i++) {
        const double d = g[i] + s->decay * w[i];
        squares[i] = s->beta2 * squares[i] + (1 - s->beta2) * d * d;
        v[i] = s->momentum * v[i] + d / (sqrt(squares[i]) + s->epsilon);
        w[i] -= s->rate * v[i];
    }
}

static void part(const struct dts_update_settings *s, const struct dts_update_arrays *a,
                 const double *factors, size_t begin, size_t end)
{
    (void)factors;
    float *restrict w = a->w, *restrict squares = a->state, *restrict v = squares + a->count;
    const float *restrict g = a->g;
    const float rate = (float)s->rate, decay = (float)s->decay, m = (float)s->momentum;
    const float keep = (float)s->beta2, take = (float)(1 - s->beta2);
    const float epsilon = (float)s->epsilon;
    for (size_t i = begin; i < end; i++) {
        const float d = g[i] + decay * w[i];
        squares[i] = keep * squares[i] + take * d * d;
        v[i] = m * v[i] + d / (sqrtf(squares[i]) + epsilon);
        w[i] -= rate * v[i];
    }
}

static void host(const struct dts_update_settings *s, const struct dts_update_arrays *a,
                 const struct dts_place *place)
{
    dts_update_each(part, s, a, NULL, place->workers);
}

dts_update_fn dts_update_rmsprop_cuda; // update.cu

const struct dts_update dts_update_rmsprop = {
    .optimizer = &dts_optimizer_rmsprop,
    .usual = {.beta2 = 0.99, .epsilon = 1e-8},
    .reference = reference,
    .host = host,
    .cuda = DTS_CUDA_FUNCTION(dts_update_rmsprop_cuda),
};
