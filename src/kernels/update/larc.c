/* larc.c -- LARS whose rate for a tensor is never above the global one (You, Gitman and
 * Ginsburg 2017, arXiv:1708.03888; clipped as in NVIDIA's apex), before PyTorch's momentum:
 *
 *     local = trust |w| / (|g| + decay |w| + epsilon)
 *     d     = min(local / rate, 1) (g + decay w)
 *     v     = m v + d
 *     w    -= rate v
 *
 * d is g where |w| or |g| is zero, g + decay w with trust 0.
 */
#include <math.h>

#include "kernels/update/update_host.h"

/* factors: of the gradient and of the weight in d. */
static void find_factors(const struct dts_update_settings *s, double w, double g,
                         double factors[2])
{
    factors[0] = 1;
    factors[1] = s->decay;
    if (s->trust <= 0)
        return;
    if (w <= 0 || g <= 0) {
        factors[1] = 0;
        return;
    }
    const double local = s->trust * w / (g + s->decay * w + s->epsilon);
    factors[0] = local < s->rate ? local / s->rate : 1;
    factors[1] = factors[0] * s->decay;
}

static void reference(const struct dts_update_settings *s, const struct dts_update_arrays *a,
                      const struct dts_place *place)
{
    (void)place;
    double *w = a->w, *v = a->state, squares[2] = {0}, factors[2];
    const double *g = a->g;
    for (size_t i = 0; i < a->count; i++) {
        squares[0] += w[i] * w[i];
        squares[1] += g[i] * g[i];
    }
    find_factors(s, sqrt(squares[0]), sqrt(squares[1]), factors);
    for (size_t i = 0; i < a->count; i++) {
        v[i] = s->momentum * v[i] + factors[0] * g[i] + factors[1] * w[i];
        w[i] -= s->rate * v[i];
    }
}

static void part(const struct dts_update_settings *s, const struct dts_update_arrays *a,
                 const double *factors, size_t begin, size_t end)
{
    float *restrict w = a->w, *restrict v = a->state;
    const float *restrict g = a->g;
    const float rate = (float)s->rate, m = (float)s->momentum;
    const float of_g = (float)factors[0], of_w = (float)factors[1];
    for (size_t i = begin; i < end; i++) {
        v[i] = m * v[i] + (of_g * g[i] + of_w * w[i]);
        w[i] -= rate * v[i];
    }
}

static void host(const struct dts_update_settings *s, const struct dts_update_arrays *a,
                 const struct dts_place *place)
{
    double squares[2], factors[2];
    dts_update_sum(dts_update_squares, s, a, NULL, place->workers, squares);
    find_factors(s, sqrt(squares[0]), sqrt(squares[1]), factors);
    dts_update_each(part, s, a, factors, place->workers);
}

dts_update_fn dts_update_larc_cuda; // update.cu

const struct dts_update dts_update_larc = {
    .optimizer = &dts_optimizer_larc,
    .norms = true,
    .apart = true,
    .usual = {.momentum = 0.9, .trust = 0.02, .epsilon = 1e-8}, // as apex
    .reference = reference,
    .host = host,
    .cuda = DTS_CUDA_FUNCTION(dts_update_larc_cuda),
};
