/* test_winner.c -- the fastest strategy is found among those that do the same work, with what
 * it needs for that. */
#include <math.h>
#include <stdio.h>

#include "answer/winner.h"
#include "check.h"

static struct dts_result point(const char *strategy, int devices, int nodes, double rate,
                               double bytes)
{
    struct dts_result result;
    dts_result_init(&result);
    snprintf(result.strategy, sizeof(result.strategy), "%s", strategy);
    result.devices = devices;
    result.nodes = nodes;
    result.global_batch = 32 * devices;
    result.throughput_samples_per_s = rate;
    result.step.total_s = result.global_batch / rate;
    result.memory.total_bytes = bytes;
    return result;
}

static void the_fastest_wins_by_what_it_is_ahead(void)
{
    struct dts_result points[] = {
        point("ring", 8, 1, 100, 4e9),     point("ps", 8, 3, 120, 4e9),
        point("small", 8, 2, 90, 2e9),     point("ring", 16, 2, 200, 4e9),
        point("ps", 16, 2, 201, 4e9),      point("alone", 32, 4, 1, 1e9),
        point("refused", 8, 1, 1000, 1e9),
    };
    points[6].error.cause = DTS_BAD_INPUT;
    const struct dts_report report = {.points = points, .count = 7};
    struct dts_winner winners[7];
    CHECK_INT(dts_winners(&report, winners, 7), 2);
    CHECK_STRING(winners[0].best->strategy, "ps");
    CHECK_STRING(winners[0].second->strategy, "ring");
    CHECK_NEAR(winners[0].ahead_percent, 20, 1e-9);
    CHECK(!winners[0].even);
    CHECK(winners[0].fewer == &points[0] && winners[0].lean == &points[2]);
    CHECK_NEAR(dts_faster_percent(&points[2], &points[1]), 100.0 * 30 / 90, 1e-9);
    CHECK_STRING(winners[1].best->strategy, "ps");
    CHECK(winners[1].even && winners[1].fewer == NULL && winners[1].lean == NULL);
    CHECK_INT(dts_winners(&report, winners, 1), 1);
}

/* Points of another batch, another setting or another amount of data are another question. */
static void only_the_same_work_is_compared(void)
{
    struct dts_result points[] = {
        point("ring", 8, 1, 100, 4e9), point("ps", 8, 1, 120, 4e9),
        point("ring", 8, 1, 100, 4e9), point("tree", 8, 1, 100, 0),
        point("ring", 8, 1, 100, 0),   point("ring", 8, 1, 100, 0),
    };
    points[1].global_batch = 512;
    snprintf(points[2].setting, sizeof(points[2].setting), "steps=5");
    const double bytes[] = {1e6, 2e6, 1e6}, seconds[] = {1, 1, 2};
    for (int i = 0; i < 3; i++) {
        struct dts_result *alone = &points[3 + i];
        alone->throughput_samples_per_s = NAN;
        alone->global_batch = 0;
        alone->step.total_s = seconds[i];
        alone->algbw_bytes_s = bytes[i] / seconds[i];
    }
    const struct dts_report report = {.points = points, .count = 6};
    struct dts_winner winners[6];
    CHECK_INT(dts_winners(&report, winners, 6), 1);
    CHECK(winners[0].best == &points[3] && winners[0].second == &points[5]);
    CHECK_NEAR(winners[0].ahead_percent, 100, 1e-9);
    CHECK(winners[0].lean == NULL);
}

TESTS(TEST(the_fastest_wins_by_what_it_is_ahead), TEST(only_the_same_work_is_compared))
