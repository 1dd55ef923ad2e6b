/* noise_scale.c -- averages of two estimates, and the interval of their quotient. */
#include "base/noise_scale.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/mem.h"

static const double FADES = 0.99; // weight of a step against the one behind it
enum { BLOCKS = 20, END_STEPS = 100, STRETCHES = 5 };

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

/* Block after block, the last steps first: the block that is short
 * is the oldest. Returns how many there are. */
static int sum_blocks(const struct dts_noise_step *steps, size_t count, double fades,
                      size_t length, struct sums *blocks)
{
    double weight = 1;
    for (size_t i = 0; i < count; i++) {
        const struct dts_noise_step *step = &steps[count - 1 - i];
        struct sums *block = &blocks[i / length];
        block->weight += weight;
        block->trace += weight * step->trace;
        block->gradient_squared += weight * step->gradient_squared;
        weight *= fades;
    }
    return (int)((count + length - 1) / length);
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

/* Of some steps behind one another: the averages, and how sure they are. Returns the number of
 * blocks. */
static int average(const struct dts_noise_step *steps, size_t count, double fades,
                   size_t length, struct dts_noise_ratio *r, struct spread *s)
{
    struct sums *blocks = dts_alloc(count / length + 1, sizeof(*blocks)), all = {0};
    const int found = sum_blocks(steps, count, fades, length, blocks);
    for (int k = 0; k < found; k++) {
        all.weight += blocks[k].weight;
        all.trace += blocks[k].trace;
        all.gradient_squared += blocks[k].gradient_squared;
    }
    *r = (struct dts_noise_ratio){.trace = all.trace / all.weight,
                                  .gradient_squared = all.gradient_squared / all.weight,
                                  .high = INFINITY,
                                  .stretches = 1};
    r->scale = quotient(r->trace, r->gradient_squared);
    *s = spread_of(blocks, found, &all);
    free(blocks);
    return found;
}

static size_t block_length(size_t steps)
{
    return (steps + BLOCKS - 1) / BLOCKS;
}

static const struct dts_noise_ratio nothing = {NAN, NAN, NAN, 0, INFINITY, 0};

static struct dts_noise_ratio of_one(const struct dts_noise_scale *n, double fades, size_t most)
{
    struct dts_noise_ratio r = nothing;
    struct spread s;
    if (n->count == 0)
        return r;
    const size_t length = block_length(n->count < most ? n->count : most);
    if (average(n->steps, n->count, fades, length, &r, &s) > 1)
        fieller(&r, &s);
    return r;
}

/* Half of the interval of a mean of quotients: by their slopes, each stretch by itself. False:
 * a stretch does not stand out of its noise. */
static bool of_several(const struct dts_noise_scale *n, int stretches,
                       struct dts_noise_ratio *r)
{
    double scale = 0, variance = 0, freedom = 0;
    for (int k = 0; k < stretches; k++) {
        const size_t first = n->count * (size_t)k / (size_t)stretches;
        const size_t end = n->count * (size_t)(k + 1) / (size_t)stretches;
        struct dts_noise_ratio part;
        struct spread s;
        if (end - first < 2 ||
            average(n->steps + first, end - first, 1, block_length(end - first), &part, &s) <
                2 ||
            part.gradient_squared <= 2 * sqrt(s.gradient_squared))
            return false;
        const double q = part.scale;
        scale += q / stretches;
        variance += (s.trace - 2 * q * s.both + q * q * s.gradient_squared) /
                    (part.gradient_squared * part.gradient_squared) / stretches / stretches;
        freedom += s.freedom;
    }
    const double half = student(freedom) * sqrt(fmax(variance, 0));
    r->scale = scale;
    r->low = fmax(scale - half, 0);
    r->high = scale + half;
    r->stretches = stretches;
    return true;
}

struct dts_noise_ratio dts_noise_of_run(const struct dts_noise_scale *n)
{
    struct dts_noise_ratio r = of_one(n, 1, n->count);
    for (int stretches = STRETCHES; stretches > 1; stretches--)
        if (of_several(n, stretches, &r))
            break;
    return r;
}

struct dts_noise_ratio dts_noise_of_end(const struct dts_noise_scale *n)
{
    return of_one(n, FADES, END_STEPS);
}
