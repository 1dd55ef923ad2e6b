/* sgd.c -- stochastic gradient descent:
 *
 *     w -= rate (g + decay w)
 */
#include "kernels/update/update_host.h"

static void reference(const struct dts_update_settings *s, const struct dts_update_arrays *a,
                      const struct dts_place *place)
{
    (void)place;
    double *w = a->w;
    const double *g = a->g;
    for (size_t i = 0; i < a->count; i++)
        w[i] -= s->rate * (g[i] + s->decay * w[i]);
}

static void part(const struct dts_update_settings *s, const struct dts_update_arrays *a,
                 const double *factors, size_t begin, size_t end)
{
    (void)factors;
    float *restrict w = a->w;
    const float *restrict g = a->g;
    const float rate = (float)s->rate, decay = (float)s->decay;
    for (size_t i = begin; i < end; i++)
        w[i] -= rate * (g[i] + decay * w[i]);
}

static void host(const struct dts_update_settings *s, const struct dts_update_arrays *a,
                 const struct dts_place *place)
{
    dts_update_each(part, s, a, NULL, place->workers);
}

dts_update_fn dts_update_sgd_cuda; // update.cu

const struct dts_update dts_update_sgd = {
    .optimizer = &dts_optimizer_sgd,
    .reference = reference,
    .host = host,
    .cuda = DTS_CUDA_FUNCTION(dts_update_sgd_cuda),
};
