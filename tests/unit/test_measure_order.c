/* test_measure_order.c -- what is done before a run, and how long a pace keeps it waiting. */
#include <string.h>

#include "base/clock.h"
#include "check.h"
#include "kernels/measure.h"

static char order[16];

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

static void note_between(void *argument)
{
    (void)argument;
    strcat(order, "b");
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
    const double begin_s = dts_now_s();
    (void)argument;
    while (dts_now_s() < begin_s + 0.01)
        ;
    return 0.001;
}

static void a_pace_takes_longer_than_what_of_it_counts(void)
{
    struct dts_pace pace = {.take_s = long_pace};
    CHECK_NEAR(dts_pace_take(&pace), 0.001, 0);
    CHECK(pace.took_s >= 0.0099);
}

TESTS(TEST(a_pace_takes_longer_than_what_of_it_counts),
      TEST(what_comes_between_is_right_before_a_run))
