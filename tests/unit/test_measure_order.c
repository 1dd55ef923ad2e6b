/* test_measure_order.c -- what is done before a run, and how long a pace keeps it waiting. */
#include <string.h>

#include "base/clock.h"
#include "check.h"
#include "kernels/measure.h"

static char order[256];

static void note_prepared(void *argument)
{
    (void)argument;
    strcat(order, "p");
}

static double note_pace(void *argument)
{
    (void)argument;
    strcat(order, "c");
    return 1e-4;
}

static void wait(double seconds)
{
    const double begin_s = dts_now_s();
    while (dts_now_s() < begin_s + seconds)
        ;
}

/* Takes longer than the pace. */
static void note_between(void *argument)
{
    (void)argument;
    strcat(order, "b");
    wait(1e-3);
}

static void note_run(void *argument)
{
    (void)argument;
    strcat(order, "r");
}

static void what_comes_between_is_right_before_a_run(void)
{
    struct dts_pace pace = {.take_s = note_pace};
    const struct dts_meter meter = {.limit_s = 1,
                                    .least = 1,
                                    .prepare = note_prepared,
                                    .between = note_between,
                                    .pace = &pace};
    struct dts_runs runs = {.count = 0};
    order[0] = 0;
    dts_measure_more(&meter, note_run, NULL, &runs);
    CHECK_STRING(order, "rcpcbrc"); // the first run warms up
    CHECK_INT(runs.count, 1);
}

/* Takes a hundredth of a second; a tenth of that is the piece of work. */
static double long_pace(void *argument)
{
    (void)argument;
    wait(0.01);
    return 0.001;
}

static void a_pace_takes_longer_than_what_of_it_counts(void)
{
    struct dts_pace pace = {.take_s = long_pace};
    CHECK_NEAR(dts_pace_take(&pace), 0.001, 0);
    CHECK(pace.took_s >= 0.0099);
}

static int between;

/* Takes 1 ms. */
static void count_between(void *argument)
{
    (void)argument;
    wait(0.001);
    between++;
}

static void what_comes_between_takes_as_long_as_the_pace(void)
{
    struct dts_pace pace = {.take_s = long_pace};
    const struct dts_meter meter = {
        .limit_s = 1, .least = 1, .between = count_between, .pace = &pace};
    struct dts_runs runs = {.count = 0};
    order[0] = 0;
    dts_measure_more(&meter, note_run, NULL, &runs);
    CHECK(between >= 2 && between <= 12); // fewer where a run was interrupted
}

/* A clock that stands still. */
static double no_time(void *clock)
{
    (void)clock;
    return 0;
}

static void note_nothing(void *argument)
{
    (void)argument;
}

static void a_clock_that_stands_still_ends_it_all(void)
{
    struct dts_pace pace = {.take_s = note_pace};
    const struct dts_meter meter = {
        .now_s = no_time, .limit_s = 1, .least = 1, .between = note_nothing, .pace = &pace};
    struct dts_runs runs = {.count = 0};
    order[0] = 0;
    pace.took_s = 1;
    dts_measure_more(&meter, note_nothing, NULL, &runs);
    CHECK(runs.count >= 1);
}

TESTS(TEST(what_comes_between_takes_as_long_as_the_pace),
      TEST(a_clock_that_stands_still_ends_it_all),
      TEST(a_pace_takes_longer_than_what_of_it_counts),
      TEST(what_comes_between_is_right_before_a_run))
