/* test_traffic_spread.c -- how sure the median of several sweeps is. */
#include "live/calibrate_pattern.h"

#include "check.h"

/* Sweeps of three batches each, with these medians; batches differ by 20 % within a sweep. */
static struct dts_traffic_times sweeps(const double *medians, int count)
{
    struct dts_traffic_times times = {.count = 0};
    for (int s = 0; s < count; s++) {
        times.seconds[times.count++] = 1.2 * medians[s];
        times.seconds[times.count++] = medians[s];
        times.seconds[times.count++] = 0.8 * medians[s];
        dts_traffic_end_sweep(&times);
    }
    return times;
}

static void sweeps_that_agree_are_sure(void)
{
    const double medians[] = {2, 2, 2, 2};
    const struct dts_traffic_times times = sweeps(medians, 4);
    CHECK_NEAR(dts_traffic_median(&times), 2, 1e-12);
    CHECK_NEAR(dts_traffic_spread(&times), 0, 1e-12);
}

/* MAD 0.1 of 1: 2 x 1.2533 x 1.4826 x 0.1 / sqrt(n). */
static void more_sweeps_are_surer(void)
{
    const double medians[] = {0.9, 1,   1.1, 0.8, 1.2, 0.9, 1, 1.1,
                              1,   0.9, 1.1, 1.1, 0.9, 1,   1, 1};
    const struct dts_traffic_times five = sweeps(medians, 5), all = sweeps(medians, 16);
    CHECK_CLOSE(dts_traffic_spread(&five), 0.37163 / sqrt(5), 1e-3);
    CHECK(dts_traffic_spread(&all) < dts_traffic_spread(&five) / 1.7);
}

static void one_sweep_that_was_disturbed_does_not_count(void)
{
    const double medians[] = {1, 1, 10, 1, 1};
    const struct dts_traffic_times times = sweeps(medians, 5);
    CHECK_NEAR(dts_traffic_spread(&times), 0, 1e-12);
}

TESTS(TEST(sweeps_that_agree_are_sure), TEST(more_sweeps_are_surer),
      TEST(one_sweep_that_was_disturbed_does_not_count))
