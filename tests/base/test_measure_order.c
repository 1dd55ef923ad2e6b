/* test_measure_order.c -- what is done before a run, and how long a pace keeps it waiting. */
#include <string.h>

#include "base/measure/measure.h"
#include "check.h"

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

/* A clock of the test's own, that no other process can delay; it adds binary fractions, without
 * rounding. */
static double shown_s;

static double read_clock(void *clock)
{
    (void)clock;
    return shown_s;
}

static void wait(double seconds)
{
    shown_s += seconds;
}

static void note_between(void *argument)
{
    (void)argument;
    strcat(order, "b");
    wait(0x1p-10);
}

static void note_run(void *argument)
{
    (void)argument;
    strcat(order, "r");
}

static void what_comes_between_is_right_before_a_run(void)
{
    struct dts_pace pace = {.take_s = note_pace, .clock = {read_clock, NULL}};
    const struct dts_meter meter = {.clock = {read_clock, NULL},
                                    .limit_s = 1,
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

/* A sixteenth of the time that it takes is the piece of work. */
static double long_pace(void *argument)
{
    (void)argument;
    wait(0x1p-6);
    return 0x1p-10;
}

static void a_pace_takes_longer_than_what_of_it_counts(void)
{
    struct dts_pace pace = {.take_s = long_pace, .clock = {read_clock, NULL}};
    CHECK_NEAR(dts_pace_take(&pace), 0x1p-10, 0);
    CHECK_NEAR(pace.took_s, 0x1p-6, 0);
}

static int between;

static void count_between(void *argument)
{
    (void)argument;
    wait(0x1p-9);
    between++;
}

static void what_comes_between_takes_as_long_as_the_pace(void)
{
    struct dts_pace pace = {.take_s = long_pace, .clock = {read_clock, NULL}};
    const struct dts_meter meter = {.clock = {read_clock, NULL},
                                    .limit_s = 1,
                                    .least = 1,
                                    .between = count_between,
                                    .pace = &pace};
    struct dts_runs runs = {.count = 0};
    order[0] = 0;
    dts_measure_more(&meter, note_run, NULL, &runs);
    CHECK_INT(runs.count, 1);
    CHECK_INT(between, 8);
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
    struct dts_pace pace = {.take_s = long_pace, .clock = {read_clock, NULL}};
    const struct dts_meter meter = {.clock = {no_time, NULL},
                                    .limit_s = 1,
                                    .least = 1,
                                    .between = note_nothing,
                                    .pace = &pace};
    struct dts_runs runs = {.count = 0};
    dts_measure_more(&meter, note_nothing, NULL, &runs);
    CHECK_INT(runs.count, 1);
}

TESTS(TEST(what_comes_between_takes_as_long_as_the_pace),
      TEST(a_clock_that_stands_still_ends_it_all),
      TEST(a_pace_takes_longer_than_what_of_it_counts),
      TEST(what_comes_between_is_right_before_a_run))
