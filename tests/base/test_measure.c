/* test_measure.c -- medians that a spike cannot move, on a clock that the test turns. */
#include "base/measure/measure.h"
#include "check.h"

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
    const struct dts_meter meter = {
        .clock = {now, fake}, .limit_s = limit_s, .least = 5, .spread = 0.01};
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

/* A machine whose neighbour is busy in some moments: all takes 1.8 times as long then. */
struct busy {
    double now_s;
    int moments, quick; // of every ten, so many are undisturbed
    int runs;
};

static double slowness(struct busy *busy)
{
    return busy->moments++ % 10 < busy->quick ? 1 : 1.8;
}

static double busy_now(void *clock)
{
    return ((struct busy *)clock)->now_s;
}

static double busy_pace(void *argument)
{
    return 1e-4 * slowness(argument);
}

/* As slow as the next moment. */
static void busy_work(void *argument)
{
    struct busy *busy = argument;
    busy->now_s += busy->moments % 10 < busy->quick ? 0.001 : 0.0018;
    busy->runs++;
}

/* asked_s: the pace that counts; 0: the usual one. */
static struct dts_measured measure_busy(struct busy *busy, double patience_s, double asked_s)
{
    struct dts_pace pace = {.take_s = busy_pace, .argument = busy, .patience_s = patience_s};
    const struct dts_meter meter = {
        .clock = {busy_now, busy}, .limit_s = 1, .least = 5, .spread = 0.01, .pace = &pace};
    struct dts_measured out;
    for (int i = 0; i < 10; i++)
        dts_pace_take(&pace);
    CHECK_NEAR(dts_pace_usual_s(&pace), busy->quick >= 5 ? 1e-4 : 1.8e-4, 2e-6);
    pace.asked_s = asked_s;
    dts_measure(&meter, busy_work, busy, &out);
    return out;
}

static void what_ran_in_disturbed_moments_does_not_count(void)
{
    for (int quick = 5; quick <= 10; quick++) {
        struct busy busy = {.quick = quick};
        CHECK_NEAR(measure_busy(&busy, 0, 0).median_s, 0.001, 1e-9);
    }
}

static void a_patient_run_waits_for_a_moment_that_counts(void)
{
    struct busy hasty = {.quick = 5}, patient = {.quick = 5};
    measure_busy(&hasty, 0, 0);
    CHECK_NEAR(measure_busy(&patient, 10, 0).median_s, 0.001, 1e-9);
    CHECK(patient.runs < hasty.runs);
}

/* Each run notes how many there were since the last nap. */
struct napper {
    double now_s;
    int paces, since_nap, least_since_nap;
};

static double napping_now(void *clock)
{
    return ((struct napper *)clock)->now_s;
}

/* Every third moment is a slow one, after which somebody waits. */
static double napping_pace(void *argument)
{
    struct napper *napper = argument;
    if (++napper->paces % 3 != 0)
        return 1e-4;
    napper->since_nap = 0;
    return 2e-4;
}

static void work_after_a_nap(void *argument)
{
    struct napper *napper = argument;
    napper->now_s += napper->since_nap++ > 0 ? 1e-3 : 2e-3; // caches are cold
}

static void what_runs_first_after_a_nap_is_not_seen(void)
{
    struct napper napper = {.now_s = 0};
    struct dts_pace pace = {
        .take_s = napping_pace, .argument = &napper, .patience_s = 10, .asked_s = 1e-4};
    const struct dts_meter meter = {.clock = {napping_now, &napper},
                                    .limit_s = 1,
                                    .least = 20,
                                    .spread = 0.01,
                                    .pace = &pace};
    struct dts_runs runs = {.count = 0};
    dts_measure_more(&meter, work_after_a_nap, &napper, &runs);
    dts_runs_drop_others(&runs, &pace);
    CHECK(runs.count >= 10);
    for (int i = 0; i < runs.count; i++)
        CHECK_NEAR(runs.seconds[i], 1e-3, 1e-9);
}

/* While somebody prepares for long, the pace changes. */
static void prepare_for_long(void *argument)
{
    ((struct busy *)argument)->moments++;
}

static void the_pace_is_that_right_before_a_run(void)
{
    struct busy busy = {.quick = 5};
    struct dts_pace pace = {.take_s = busy_pace, .argument = &busy, .asked_s = 1e-4};
    const struct dts_meter meter = {.clock = {busy_now, &busy},
                                    .limit_s = 1,
                                    .least = 5,
                                    .spread = 0.01,
                                    .prepare = prepare_for_long,
                                    .pace = &pace};
    struct dts_runs runs = {.count = 0};
    dts_measure_more(&meter, busy_work, &busy, &runs);
    CHECK_INT(busy.moments, 1 + 3 * runs.count); // prepared, before it and behind it
}

static void a_few_moments_of_a_higher_clock_do_not_count_either(void)
{
    struct busy busy = {.quick = 2};
    CHECK_NEAR(measure_busy(&busy, 0, 0).median_s, 0.0018, 1e-9);
}

static void a_pace_that_is_asked_for_counts_in_place_of_the_usual_one(void)
{
    struct busy quick = {.quick = 2}, slow = {.quick = 8};
    CHECK_NEAR(measure_busy(&quick, 10, 1e-4).median_s, 0.001, 1e-9);
    CHECK_NEAR(measure_busy(&slow, 10, 1.8e-4).median_s, 0.0018, 1e-9);
}

static void where_all_count_the_pace_does_not_matter(void)
{
    struct dts_pace pace = {.asked_s = 1e-4, .all_count = true};
    struct dts_runs runs = {
        .seconds = {3, 5, 4}, .before_s = {1e-4, 1, 1}, .after_s = {1e-4, 1, 1}, .count = 3};
    CHECK_NEAR(dts_measured_of(&runs, &pace).median_s, 4, 1e-12);
    dts_runs_drop_others(&runs, &pace);
    CHECK_INT(runs.count, 3);
    pace.all_count = false;
    CHECK_NEAR(dts_measured_of(&runs, &pace).median_s, 3, 1e-12);
}

static void where_most_do_not_count_all_do(void)
{
    struct dts_pace usual = {.all_count = false}, asked = {.asked_s = 1e-4};
    const struct dts_run_count half = {10, 5}, few = {10, 4}, none = {0, 0};
    CHECK_NEAR(dts_runs_disturbed_percent(&none), 0, 0);
    CHECK_NEAR(dts_runs_disturbed_percent(&half), 50, 0);
    CHECK_NEAR(dts_runs_disturbed_percent(&few), 60, 1e-12);
    dts_pace_judge(&usual, &none);
    dts_pace_judge(&usual, &half);
    CHECK(!usual.all_count);
    dts_pace_judge(&usual, &few);
    CHECK(usual.all_count);
    dts_pace_judge(&asked, &few);
    CHECK(!asked.all_count); // who asks for a pace gets what ran at it
}

static void where_no_run_counts_all_do(void)
{
    const struct dts_pace slower = {.moments = {[300] = 10}, .count = 10};
    const struct dts_runs runs = {
        .seconds = {3, 5, 4}, .before_s = {1, 1, 1}, .after_s = {1, 1, 1}, .count = 3};
    CHECK_INT(dts_measured_of(&runs, &slower).count, 3);
    CHECK_NEAR(dts_measured_of(&runs, &slower).median_s, 4, 1e-12);
}

TESTS(TEST(a_steady_time_is_known_after_the_least_runs), TEST(a_spike_does_not_move_the_median),
      TEST(what_never_settles_ends_at_the_limit),
      TEST(what_ran_in_disturbed_moments_does_not_count),
      TEST(a_patient_run_waits_for_a_moment_that_counts),
      TEST(a_few_moments_of_a_higher_clock_do_not_count_either),
      TEST(a_pace_that_is_asked_for_counts_in_place_of_the_usual_one),
      TEST(what_runs_first_after_a_nap_is_not_seen), TEST(the_pace_is_that_right_before_a_run),
      TEST(where_most_do_not_count_all_do), TEST(where_all_count_the_pace_does_not_matter),
      TEST(where_no_run_counts_all_do))
