/* noise_scale.c -- averages of two estimates, and the interval of their quotient. */
#include "base/noise_scale.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"

static const double FADES = 0.99; // weight of a step against the one behind it
enum { BLOCKS = 20, END_STEPS = 100 };

void dts_noise_free(struct dts_noise_scale *noise)
{
    free(noise->steps);
    *noise = (struct dts_noise_scale){0};
}

static double quotient(double trace, double gradient_squared)
{
    return gradient_squared > 0 ? trace / gradient_squared : NAN;
}

void dts_noise_add(struct dts_noise_scale *n, long step, double small_squared,
                   double large_squared)
{
    const double b = n->small, all = n->large;
    struct dts_noise_step now = {
        .step = step,
        .trace = (small_squared - large_squared) / (1 / b - 1 / all),
        .gradient_squared = (all * large_squared - b * small_squared) / (all - b),
    };
    n->trace = FADES * n->trace + now.trace;
    n->gradient_squared = FADES * n->gradient_squared + now.gradient_squared;
    now.smoothed = quotient(n->trace, n->gradient_squared);
    n->steps = dts_grow(n->steps, &n->room, n->count + 1, sizeof(*n->steps));
    n->steps[n->count++] = now;
}

/* Sums over a block of steps, or over all. */
struct sums {
    double weight, trace, gradient_squared;
};

/* Block after block, the last steps first: the block that is short is the oldest. */
static int sum_blocks(const struct dts_noise_scale *n, double fades, size_t length,
                      struct sums *blocks)
{
    double weight = 1;
    for (size_t i = 0; i < n->count; i++) {
        const struct dts_noise_step *step = &n->steps[n->count - 1 - i];
        struct sums *block = &blocks[i / length];
        block->weight += weight;
        block->trace += weight * step->trace;
        block->gradient_squared += weight * step->gradient_squared;
        weight *= fades;
    }
    return (int)((n->count + length - 1) / length);
}

/* Variances and covariance of the two averages. */
struct spread {
    double trace, gradient_squared, both;
    double freedom; // degrees of it
};

static struct spread spread_of(const struct sums *blocks, int count, const struct sums *all)
{
    struct spread s = {0};
    double squares = 0;
    for (int k = 0; k < count; k++) {
        const double share = blocks[k].weight / all->weight;
        const double a = blocks[k].trace / all->weight - share * all->trace / all->weight;
        const double b = blocks[k].gradient_squared / all->weight -
                         share * all->gradient_squared / all->weight;
        s.trace += a * a;
        s.gradient_squared += b * b;
        s.both += a * b;
        squares += share * share;
    }
    const double blocks_like = 1 / squares; // so many of equal weight
    const double factor = blocks_like / (blocks_like - 1);
    s.trace *= factor;
    s.gradient_squared *= factor;
    s.both *= factor;
    s.freedom = blocks_like - 1;
    return s;
}

/* The 90 % quantile of Student's t, by the expansion of Cornish and Fisher (Abramowitz and
 * Stegun, 26.7.5), within 0.3 % from 4 degrees of freedom on. */
static double student(double freedom)
{
    const double z = 1.2815515655446004, z3 = z * z * z, z5 = z3 * z * z;
    return z + (z3 + z) / (4 * freedom) + (5 * z5 + 16 * z3 + 3 * z) / (96 * freedom * freedom);
}

/* All r with (trace - r gradient_squared)^2 <= t^2 times its variance. */
static void fieller(struct dts_noise_ratio *r, const struct spread *s)
{
    const double t = student(s->freedom), tt = t * t;
    const double q = r->gradient_squared * r->gradient_squared - tt * s->gradient_squared;
    const double p = r->trace * r->gradient_squared - tt * s->both;
    const double c = r->trace * r->trace - tt * s->trace;
    const double root = sqrt(fmax(p * p - q * c, 0));
    if (r->gradient_squared > 0 && c > 0 && p + root > 0)
        r->low = c / (p + root);
    if (r->gradient_squared > 0 && q > 0)
        r->high = fmax((p + root) / q, 0);
}

static struct dts_noise_ratio ratio_of(const struct dts_noise_scale *n, double fades,
                                       size_t steps)
{
    struct dts_noise_ratio r = {NAN, NAN, NAN, 0, INFINITY};
    const size_t used = n->count < steps ? n->count : steps;
    if (used == 0)
        return r;
    const size_t length = (used + BLOCKS - 1) / BLOCKS;
    struct sums *blocks = dts_alloc(n->count / length + 1, sizeof(*blocks)), all = {0};
    const int count = sum_blocks(n, fades, length, blocks);
    for (int k = 0; k < count; k++) {
        all.weight += blocks[k].weight;
        all.trace += blocks[k].trace;
        all.gradient_squared += blocks[k].gradient_squared;
    }
    r.trace = all.trace / all.weight;
    r.gradient_squared = all.gradient_squared / all.weight;
    r.scale = quotient(r.trace, r.gradient_squared);
    const struct spread s = spread_of(blocks, count, &all);
    if (count > 1 && s.freedom > 0)
        fieller(&r, &s);
    free(blocks);
    return r;
}

struct dts_noise_ratio dts_noise_of_run(const struct dts_noise_scale *n)
{
    return ratio_of(n, 1, n->count);
}

struct dts_noise_ratio dts_noise_of_end(const struct dts_noise_scale *n)
{
    return ratio_of(n, FADES, END_STEPS);
}
