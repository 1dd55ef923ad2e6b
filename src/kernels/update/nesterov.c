/* nesterov.c -- SGD with Nesterov's momentum (Sutskever et al. 2013, ICML), as PyTorch:
 *
 *     d  = g + decay w
 *     v  = m v + d
 *     w -= rate (d + m v)
 */
#include "kernels/update/update_host.h"

static void reference(const struct dts_update_settings *s, const struct dts_update_arrays *a,
                      const struct dts_place *place)
{
    (void)place;
    double *w = a->w, *v = a->state;
    const double *g = a->g;
    for (size_t i = 0; i < a->count; i++) {
        const double d = g[i] + s->decay * w[i];
        v[i] = s->momentum * v[i] + d;
        w[i] -= s->rate * (d + s->momentum * v[i]);
    }
}

static void part(const struct dts_update_settings *s, const struct dts_update_arrays *a,
                 const double *factors, size_t begin, size_t end)
{
    (void)factors;
    float *restrict w = a->w, *restrict v = a->state;
    const float *restrict g = a->g;
    const float rate = (float)s->rate, decay = (float)s->decay, m = (float)s->momentum;
    for (size_t i = begin; i < end; i++) {
        const float d = g[i] + decay * w[i];
        v[i] = m * v[i] + d;
        w[i] -= rate * (d + m * v[i]);
    }
}

static void host(const struct dts_update_settings *s, const struct dts_update_arrays *a,
                 const struct dts_place *place)
{
    dts_update_each(part, s, a, NULL, place->workers);
}

dts_update_fn dts_update_nesterov_cuda; // update.cu

const struct dts_update dts_update_nesterov = {
    .optimizer = &dts_optimizer_nesterov,
    .usual = {.momentum = 0.9},
    .reference = reference,
    .host = host,
    .cuda = DTS_CUDA_FUNCTION(dts_update_nesterov_cuda),
};
