/* test_pace_slope.c -- runs of all paces, brought to one. */
#include "base/measure/measure.h"
#include "base/measure/pace_slope.h"
#include "base/rng.h"
#include "check.h"

enum { RUNS = 15 };

static const double usual_s = 1e-4;

/* Of one run: between 0.8 and 2 times the usual one. */
static double pace_of(int run)
{
    return usual_s * (0.8 + 1.2 * dts_uniform(1, 0, (uint64_t)run));
}

/* Runs `first` and later ones of work that takes 1 ms at the usual pace and follows it with
 * that power; `noise` is that of the clock. */
static struct dts_runs runs_of(double power, int first, double noise)
{
    struct dts_runs runs = {.count = RUNS};
    for (int i = 0; i < RUNS; i++) {
        runs.before_s[i] = runs.after_s[i] = pace_of(first + i);
        runs.seconds[i] = 1e-3 * pow(runs.before_s[i] / usual_s, power) *
                          (1 + noise * dts_normal(2, 0, (uint64_t)(first + i)));
    }
    return runs;
}

static double slope_of(const struct dts_runs *runs)
{
    return dts_pace_slope(runs->seconds, runs->before_s, runs->count);
}

static void the_slope_is_the_power_of_the_pace(void)
{
    const double powers[] = {0, 0.4, 1};
    for (int i = 0; i < 3; i++) {
        const struct dts_runs clean = runs_of(powers[i], 0, 0),
                              noisy = runs_of(powers[i], 0, 0.02);
        CHECK_NEAR(slope_of(&clean), powers[i], 1e-9);
        CHECK_NEAR(slope_of(&noisy), powers[i], 0.1);
    }
}

static void a_spike_hardly_moves_it(void)
{
    for (int at = 0; at < RUNS; at++) {
        struct dts_runs work = runs_of(0.5, 0, 0), pace = work;
        work.seconds[at] *= 1000;
        pace.before_s[at] *= 1000;
        CHECK_NEAR(slope_of(&work), 0.5, 1e-9);
        CHECK_NEAR(slope_of(&pace), 0.5, 0.02);
    }
}

static void it_stays_between_what_can_be(void)
{
    const struct dts_runs back = runs_of(-1, 0, 0), steep = runs_of(3, 0, 0);
    CHECK_NEAR(slope_of(&back), 0, 0);
    CHECK_NEAR(slope_of(&steep), 1.2, 0);
}

static void paces_that_hardly_differ_tell_none(void)
{
    struct dts_runs runs = runs_of(1, 0, 0);
    for (int i = 0; i < RUNS; i++)
        runs.before_s[i] = usual_s * (1 + 1e-3 * i);
    CHECK_NEAR(slope_of(&runs), 0, 0);
    runs.count = 1;
    CHECK_NEAR(slope_of(&runs), 0, 0);
}

/* Two that meet different moments: without their paces they are up to a fifth apart. */
static void runs_at_any_pace_tell_the_usual_one(void)
{
    const struct dts_pace pace = {.asked_s = usual_s, .all_count = true};
    const double powers[] = {0, 0.5, 1};
    for (int i = 0; i < 3; i++)
        for (int first = 0; first < 10 * RUNS; first += RUNS) {
            struct dts_runs runs = runs_of(powers[i], first, 0.01);
            runs.seconds[4] *= 1000; // the spike
            const struct dts_measured out = dts_measured_of(&runs, &pace);
            CHECK_INT(out.count, RUNS);
            CHECK_CLOSE(out.median_s, 1e-3, 0.03);
            CHECK(out.mad_s < 0.03e-3);
            CHECK_CLOSE(out.least_s, 1e-3, 0.05);
        }
}

static void where_the_usual_pace_counts_runs_stay_as_they_are(void)
{
    const struct dts_pace pace = {.asked_s = usual_s};
    struct dts_runs runs = runs_of(1, 0, 0);
    double inside[RUNS];
    int count = 0;
    for (int i = 0; i < RUNS; i++)
        if (dts_pace_is_usual(runs.before_s[i], usual_s))
            inside[count++] = runs.seconds[i];
    CHECK(count > 0 && count < RUNS);
    const struct dts_measured out = dts_measured_of(&runs, &pace);
    CHECK_INT(out.count, count);
    CHECK(out.median_s >= inside[0] * 0.8 && out.least_s >= 1e-3 / 1.15 - 1e-12);
}

static void runs_too_short_for_the_clock_stay_as_they_are(void)
{
    const struct dts_pace pace = {.asked_s = usual_s, .all_count = true};
    struct dts_runs runs = runs_of(1, 0, 0);
    for (int i = 0; i < RUNS; i++)
        runs.seconds[i] = i < 4 ? 0 : 1e-3;
    CHECK_NEAR(dts_measured_of(&runs, &pace).median_s, 1e-3, 0);
}

TESTS(TEST(the_slope_is_the_power_of_the_pace), TEST(a_spike_hardly_moves_it),
      TEST(it_stays_between_what_can_be), TEST(paces_that_hardly_differ_tell_none),
      TEST(runs_at_any_pace_tell_the_usual_one),
      TEST(where_the_usual_pace_counts_runs_stay_as_they_are),
      TEST(runs_too_short_for_the_clock_stay_as_they_are))
