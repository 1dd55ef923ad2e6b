/* novograd.c -- momentum of gradients that are normalized tensor by tensor (Ginsburg et
 * al. 2019, arXiv:1905.11286, algorithm 1):
 *
 *     s  = b2 s + (1 - b2) |g|^2           one number for the tensor; at first |g|^2
 *     m  = b1 m + g / (sqrt(s) + epsilon) + decay w
 *     w -= rate m
 */
#include <math.h>

#include "kernels/update/update_host.h"

static double next_square(const struct dts_update_settings *s, double before, double square)
{
    return s->step <= 1 ? square : s->beta2 * before + (1 - s->beta2) * square;
}

static void reference(const struct dts_update_settings *s, const struct dts_update_arrays *a,
                      const struct dts_place *place)
{
    (void)place;
    double *w = a->w, *m = a->state, *square = m + a->count, sum = 0;
    const double *g = a->g;
    for (size_t i = 0; i < a->count; i++)
        sum += g[i] * g[i];
    *square = next_square(s, *square, sum);
    for (size_t i = 0; i < a->count; i++) {
        m[i] = s->beta1 * m[i] + g[i] / (sqrt(*square) + s->epsilon) + s->decay * w[i];
        w[i] -= s->rate * m[i];
    }
}

/* factors: of the gradient. */
static void part(const struct dts_update_settings *s, const struct dts_update_arrays *a,
                 const double *factors, size_t begin, size_t end)
{
    float *restrict w = a->w, *restrict m = a->state;
    const float *restrict g = a->g;
    const float rate = (float)s->rate, decay = (float)s->decay, keep = (float)s->beta1;
    const float scale = (float)factors[0];
    for (size_t i = begin; i < end; i++) {
        m[i] = keep * m[i] + (scale * g[i] + decay * w[i]);
        w[i] -= rate * m[i];
    }
}

static void host(const struct dts_update_settings *s, const struct dts_update_arrays *a,
                 const struct dts_place *place)
{
    float *square = (float *)a->state + a->count;
    double squares[2];
    dts_update_sum(dts_update_squares, s, a, NULL, place->workers, squares);
    *square = (float)next_square(s, (double)*square, squares[1]);
    const double scale = 1 / (sqrt((double)*square) + s->epsilon);
    dts_update_each(part, s, a, &scale, place->workers);
}

dts_update_fn dts_update_novograd_cuda; // update.cu

const struct dts_update dts_update_novograd = {
    .optimizer = &dts_optimizer_novograd,
    .scalars = 1,
    .norms = true,
    .usual = {.beta1 = 0.95, .beta2 = 0.98, .epsilon = 1e-8},
    .reference = reference,
    .host = host,
    .cuda = DTS_CUDA_FUNCTION(dts_update_novograd_cuda),
};
