/* test_noise_scale.c -- gradients with a known mean and a known noise give the known scale. */
#include "base/noise_scale.h"

#include <stdlib.h>

#include "base/rng.h"
#include "check.h"

enum { VALUES = 64, RANKS = 4 };

/* |G|^2 = 1 and tr(Sigma) = 64 VALUES' shares: much more noise than gradient in either batch.
 */
static const double TRACE = 128, SMALL = 8;

static double square_sum(const float *values, int count)
{
    double sum = 0;
    for (int i = 0; i < count; i++)
        sum += (double)values[i] * (double)values[i];
    return sum;
}

/* One step: RANKS gradients of SMALL samples, and their mean. */
static void add_step(struct dts_noise_scale *noise, uint64_t seed, long step)
{
    const double deviation = sqrt(TRACE / VALUES / SMALL), mean = 1 / sqrt((double)VALUES);
    float sum[VALUES] = {0}, gradient[VALUES];
    double squares = 0;
    for (int r = 0; r < RANKS; r++) {
        for (int i = 0; i < VALUES; i++) {
            const uint64_t counter = ((uint64_t)step * RANKS + (uint64_t)r) * VALUES;
            gradient[i] =
                (float)(mean + deviation * dts_normal(seed, 7, counter + (uint64_t)i));
            sum[i] += gradient[i] / RANKS;
        }
        squares += square_sum(gradient, VALUES) / RANKS;
    }
    dts_noise_add(noise, step, squares, square_sum(sum, VALUES));
}

static struct dts_noise_scale run(uint64_t seed, long steps)
{
    struct dts_noise_scale noise = {.small = SMALL, .large = SMALL * RANKS};
    for (long s = 0; s < steps; s++)
        add_step(&noise, seed, s);
    return noise;
}

/* |g_B|^2 alone would say 1 + 128/32 = 5 for |G|^2. */
static void estimates_have_no_bias(void)
{
    struct dts_noise_scale noise = run(1, 20000);
    const struct dts_noise_ratio all = dts_noise_of_run(&noise);
    CHECK_CLOSE(all.trace, TRACE, 0.01);
    CHECK_NEAR(all.gradient_squared, 1, 0.03);
    CHECK_CLOSE(all.scale, TRACE, 0.03);
    CHECK(all.low < TRACE && TRACE < all.high);
    CHECK(all.high - all.low < 0.1 * TRACE);
    dts_noise_free(&noise);
}

/* Two batches whose squares are the expected ones: both estimates are exact. */
static void expected_squares_give_the_scale(void)
{
    struct dts_noise_scale noise = {.small = 2, .large = 10};
    dts_noise_add(&noise, 5, 3 + 40.0 / 2, 3 + 40.0 / 10);
    CHECK_INT(noise.steps[0].step, 5);
    CHECK_NEAR(noise.steps[0].trace, 40, 1e-12);
    CHECK_NEAR(noise.steps[0].gradient_squared, 3, 1e-12);
    CHECK_NEAR(noise.steps[0].smoothed, 40.0 / 3, 1e-12);
    CHECK_NEAR(dts_noise_of_run(&noise).scale, 40.0 / 3, 1e-12);
    CHECK_NEAR(dts_noise_of_run(&noise).low, 0, 0); // one step has no interval
    CHECK(isinf(dts_noise_of_run(&noise).high));
    dts_noise_free(&noise);
}

/* The mean of quotients would be far off: single steps have |G|^2 of both signs. */
static void intervals_hold_the_truth_in_four_of_five(void)
{
    enum { RUNS = 400 };
    int held = 0, below = 0;
    for (int i = 0; i < RUNS; i++) {
        struct dts_noise_scale noise = run(100 + (uint64_t)i, 200);
        const struct dts_noise_ratio r = dts_noise_of_run(&noise);
        held += r.low <= TRACE && TRACE <= r.high;
        below += r.high < TRACE;
        dts_noise_free(&noise);
    }
    CHECK_NEAR((double)held / RUNS, 0.8, 0.06); // three deviations
    CHECK_NEAR((double)below / RUNS, 0.1, 0.045);
}

static void the_end_forgets_the_beginning(void)
{
    struct dts_noise_scale noise = {.small = 1, .large = 2};
    for (long s = 0; s < 1000; s++)
        dts_noise_add(&noise, s, 1 + 10, 1 + 10.0 / 2);
    for (long s = 1000; s < 2000; s++)
        dts_noise_add(&noise, s, 1 + 30, 1 + 30.0 / 2);
    CHECK_CLOSE(dts_noise_of_run(&noise).scale, (10 + 10 + 20 + 30 + 30) / 5.0, 1e-12);
    CHECK_CLOSE(dts_noise_of_end(&noise).scale, 30.0, 1e-3);
    CHECK_CLOSE(noise.steps[1999].smoothed, 30.0, 1e-3);
    CHECK_CLOSE(noise.steps[1099].smoothed, 30 - 20 * pow(0.99, 100), 1e-3);
    dts_noise_free(&noise);
}

/* Large gradients of the beginning count no more than small ones: their quotient would be 10.2.
 */
static void stretches_count_alike(void)
{
    struct dts_noise_scale noise = {.small = 1, .large = 2};
    for (long s = 0; s < 500; s++) {
        const double g = s < 200 ? 100 : 1, scale = s < 200 ? 10 : 40;
        const double wave = 1 + 0.01 * (double)(s % 2); // or there would be no interval
        dts_noise_add(&noise, s, g * (1 + scale * wave), g * (1 + scale * wave / 2));
    }
    const struct dts_noise_ratio r = dts_noise_of_run(&noise);
    CHECK_INT(r.stretches, 5);
    CHECK_CLOSE(r.scale, 28.0 * 1.005, 1e-6);
    CHECK(r.low < r.scale && r.scale < r.high && r.high < 1.01 * r.low);
    dts_noise_free(&noise);
}

/* Where |G|^2 is not above 0, nothing is said but that the scale is large. */
static void noise_alone_has_no_scale(void)
{
    struct dts_noise_scale noise = {.small = 1, .large = 2};
    CHECK(isnan(dts_noise_of_run(&noise).scale));
    for (long s = 0; s < 10; s++)
        dts_noise_add(&noise, s, 10, 4);
    CHECK(isnan(dts_noise_of_run(&noise).scale));
    CHECK(isinf(dts_noise_of_run(&noise).high));
    CHECK(isnan(noise.steps[9].smoothed));
    dts_noise_free(&noise);
}

TESTS(TEST(estimates_have_no_bias), TEST(expected_squares_give_the_scale),
      TEST(intervals_hold_the_truth_in_four_of_five), TEST(the_end_forgets_the_beginning),
      TEST(stretches_count_alike), TEST(noise_alone_has_no_scale))
