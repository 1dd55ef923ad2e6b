/* momentum.c -- SGD with momentum (Sutskever et al. 2013, ICML), as PyTorch without
 * dampening:
 *
 *     v  = m v + g + decay w
 *     w -= rate v
 */
#include "kernels/update/update_host.h"

static void reference(const struct dts_update_settings *s, const struct dts_update_arrays *a,
                      const struct dts_place *place)
{
    (void)place;
    double *w = a->w, *v = a->state;
    const double *g = a->g;
    for (size_t i = 0; i < a->count; i++) {
        v[i] = s->momentum * v[i] + g[i] + s->decay * w[i];
        w[i] -= s->rate * v[i];
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
        v[i] = m * v[i] + (g[i] + decay * w[i]);
        w[i] -= rate * v[i];
    }
}

static void host(const struct dts_update_settings *s, const struct dts_update_arrays *a,
                 const struct dts_place *place)
{
    dts_update_each(part, s, a, NULL, place->workers);
}

dts_update_fn dts_update_momentum_cuda; // update.cu

const struct dts_update dts_update_momentum = {
    .optimizer = &dts_optimizer_momentum,
    .usual = {.momentum = 0.9},
    .reference = reference,
    .host = host,
    .cuda = DTS_CUDA_FUNCTION(dts_update_momentum_cuda),
};
