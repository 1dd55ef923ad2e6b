/* test_measure.c -- medians that a spike cannot move, on a clock that the test turns. */
#include "check.h"
#include "kernels/measure.h"

struct fake {
    double now_s;
    int runs, spike_at; // the run that takes 1000 times as long; -1: none
    double drift;       // each run takes so much longer than the one before
};

static double now(void *clock)
{
    return ((struct fake *)clock)->now_s;
}

static void work(void *argument)
{
    struct fake *fake = argument;
    const double s = 0.001 * (1 + fake->drift * fake->runs);
    fake->now_s += fake->runs == fake->spike_at ? 1000 * s : s;
    fake->runs++;
}

static struct dts_measured measure(struct fake *fake, double limit_s)
{
    const struct dts_meter meter = {now, fake, limit_s, 5, 0.01};
    struct dts_measured out;
    dts_measure(&meter, work, fake, &out);
    return out;
}

static void a_steady_time_is_known_after_the_least_runs(void)
{
    struct fake fake = {.spike_at = -1};
    const struct dts_measured out = measure(&fake, 10);
    CHECK_INT(out.count, 5);
    CHECK_INT(fake.runs, 6); // one to warm up
    CHECK_NEAR(out.median_s, 0.001, 1e-9);
}

static void a_spike_does_not_move_the_median(void)
{
    for (int at = 0; at < 6; at++) {
        struct fake fake = {.spike_at = at};
        CHECK_NEAR(measure(&fake, 10).median_s, 0.001, 1e-9);
    }
}

static void what_never_settles_ends_at_the_limit(void)
{
    struct fake fake = {.spike_at = -1, .drift = 0.5};
    const struct dts_measured out = measure(&fake, 0.1);
    CHECK(out.count >= 5 && out.count < 30);
    CHECK(fake.now_s < 0.2);
    CHECK(out.mad_s > 0);
}

TESTS(TEST(a_steady_time_is_known_after_the_least_runs), TEST(a_spike_does_not_move_the_median),
      TEST(what_never_settles_ends_at_the_limit))
