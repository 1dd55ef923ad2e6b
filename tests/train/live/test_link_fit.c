/* test_link_fit.c -- measured seconds by size become a transport's latency, rate and factors.
 */
#include "check.h"
#include "train/live/link_fit.h"

enum { SIZES = 7 };
static const double sizes[SIZES] = {1, 1024, 4096, 65536, 262144, 1048576, 4194304};

static void a_straight_line_is_found_again(void)
{
    double seconds[SIZES];
    struct dts_link_fit fit;
    for (int i = 0; i < SIZES; i++)
        seconds[i] = 50e-6 + sizes[i] / 25e6;
    dts_link_fit(sizes, seconds, SIZES, true, &fit);
    CHECK_CLOSE(fit.bytes_per_s, 25e6, 1e-6);
    CHECK_CLOSE(fit.latency_s, 50e-6, 1e-2);
    for (int i = 0; i < SIZES; i++)
        CHECK_CLOSE(dts_link_fit_seconds(&fit, sizes[i]), seconds[i], 1e-3);
}

static void slow_small_messages_keep_the_ends_of_their_range(void)
{
    double seconds[SIZES];
    struct dts_link_fit fit;
    for (int i = 0; i < SIZES; i++)
        seconds[i] = sizes[i] < 65536 ? 20e-6 + sizes[i] / 1e8 : 400e-6 + sizes[i] / 1e9;
    dts_link_fit(sizes, seconds, SIZES, true, &fit);
    CHECK_CLOSE(fit.bytes_per_s, 1e9, 1e-6);
    for (int i = 0; i < SIZES; i++)
        if (sizes[i] != 1024)
            CHECK_CLOSE(dts_link_fit_seconds(&fit, sizes[i]), seconds[i], 0.02);
}

static void noise_makes_no_factor_that_a_transport_refuses(void)
{
    static const double seconds[SIZES] = {5e-6, 4e-6, 9e-6, 3e-6, 2e-3, 1e-3, 9e-4};
    struct dts_link_fit fit;
    dts_link_fit(sizes, seconds, SIZES, true, &fit);
    CHECK(fit.bytes_per_s > 0 && fit.bytes_per_s < 1e11);
    for (int r = 0; r < fit.range_count; r++) {
        CHECK(fit.ranges[r].bandwidth_factor >= 0.001 && fit.ranges[r].bandwidth_factor <= 1);
        CHECK(fit.ranges[r].latency_factor >= 0 && isfinite(fit.ranges[r].latency_factor));
    }
}

static void what_caches_hold_is_faster_for_good_and_a_burst_is_not(void)
{
    double seconds[SIZES];
    struct dts_link_fit fit;
    for (int i = 0; i < SIZES; i++)
        seconds[i] =
            sizes[i] <= 1048576 ? sizes[i] / 2e9 : 1048576 / 2e9 + (sizes[i] - 1048576) / 1e9;
    dts_link_fit(sizes, seconds, SIZES, false, &fit);
    CHECK_CLOSE(fit.bytes_per_s, 2e9, 1e-6);
    for (int i = 0; i < SIZES; i++)
        if (i > 0 && sizes[i] != 1048576) // a latency is never 0; where both lines meet
            CHECK_CLOSE(dts_link_fit_seconds(&fit, sizes[i]), seconds[i], 0.01);
    dts_link_fit(sizes, seconds, SIZES, true, &fit);
    CHECK(fit.bytes_per_s < 1.2e9);
}

static void in_memory_every_size_is_met(void)
{
    // as fast as caches are: a line through two neighbours would often begin below 0
    static const double rates[SIZES] = {1e6, 5e8, 1.4e9, 2e9, 2.4e9, 2.2e9, 1.8e9};
    double seconds[SIZES];
    struct dts_link_fit fit;
    for (int i = 0; i < SIZES; i++)
        seconds[i] = sizes[i] / rates[i];
    dts_link_fit(sizes, seconds, SIZES, false, &fit);
    for (int i = 0; i < SIZES; i++)
        CHECK_CLOSE(dts_link_fit_seconds(&fit, sizes[i]), seconds[i], 0.11);
    for (int i = 0; i < 100; i++) // and what is between two of them takes no less than before
        CHECK(dts_link_fit_seconds(&fit, 65536 + 1e4 * i) <
              dts_link_fit_seconds(&fit, 65536 + 1e4 * (i + 4)));
    for (int r = 0; r < fit.range_count; r++) {
        CHECK(fit.ranges[r].bandwidth_factor >= 0.001 && fit.ranges[r].bandwidth_factor <= 1);
        CHECK(fit.ranges[r].latency_factor >= 0);
    }
}

TESTS(TEST(a_straight_line_is_found_again),
      TEST(slow_small_messages_keep_the_ends_of_their_range),
      TEST(noise_makes_no_factor_that_a_transport_refuses),
      TEST(what_caches_hold_is_faster_for_good_and_a_burst_is_not),
      TEST(in_memory_every_size_is_met))
