/* lars.c -- momentum with a rate for each tensor (You, Gitman and Ginsburg 2017,
 * arXiv:1708.03888, algorithm 1):
 *
 *     local = trust |w| / (|g| + decay |w|)
 *     v     = m v + rate local (g + decay w)
 *     w    -= v
 *
 * local is 1 where |w| or |g| is zero, and with trust 0: for biases and normalizations.
 */
#include <math.h>

#include "kernels/update/update_host.h"

static double local_rate(const struct dts_update_settings *s, double w, double g)
{
    return s->trust > 0 && w > 0 && g > 0 ? s->trust * w / (g + s->decay * w) : 1;
}

static void reference(const struct dts_update_settings *s, const struct dts_update_arrays *a,
                      const struct dts_place *place)
{
    (void)place;
    double *w = a->w, *v = a->state, squares[2] = {0};
    const double *g = a->g;
    for (size_t i = 0; i < a->count; i++) {
        squares[0] += w[i] * w[i];
        squares[1] += g[i] * g[i];
    }
    const double local = local_rate(s, sqrt(squares[0]), sqrt(squares[1]));
    for (size_t i = 0; i < a->count; i++) {
        v[i] = s->momentum * v[i] + s->rate * local * (g[i] + s->decay * w[i]);
        w[i] -= v[i];
    }
}

/* factors: rate local. */
static void part(const struct dts_update_settings *s, const struct dts_update_arrays *a,
                 const double *factors, size_t begin, size_t end)
{
    float *restrict w = a->w, *restrict v = a->state;
    const float *restrict g = a->g;
    const float rate = (float)factors[0], decay = (float)s->decay, m = (float)s->momentum;
    for (size_t i = begin; i < end; i++) {
        v[i] = m * v[i] + rate * (g[i] + decay * w[i]);
        w[i] -= v[i];
    }
}

static void host(const struct dts_update_settings *s, const struct dts_update_arrays *a,
                 const struct dts_place *place)
{
    double squares[2];
    dts_update_sum(dts_update_squares, s, a, NULL, place->workers, squares);
    const double local = local_rate(s, sqrt(squares[0]), sqrt(squares[1]));
    dts_update_each(part, s, a, (const double[]){s->rate * local}, place->workers);
}

dts_update_fn dts_update_lars_cuda; // update.cu

const struct dts_update dts_update_lars = {
    .optimizer = &dts_optimizer_lars,
    .norms = true,
    .apart = true,
    .usual = {.momentum = 0.9, .trust = 0.001},
    .reference = reference,
    .host = host,
    .cuda = DTS_CUDA_FUNCTION(dts_update_lars_cuda),
};
