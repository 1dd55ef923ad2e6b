/* test_parts_fit.c -- multiples of parts of a call's time. */
#include <math.h>

#include "check.h"
#include "device/parts_fit.h"

static void what_all_have_in_common_is_found_exactly(void)
{
    const struct dts_parts_row rows[] = {
        {{1, 0.5, 0, 0.01}, 3.02, 1}, {{2, 7, 1, 0.01}, 20.02, 5}, {{0, 1, 0, 0.01}, 2.02, 2}};
    const double asked[DTS_PARTS] = {3, 1, 2, 0.01};
    CHECK_CLOSE(dts_parts_seconds(rows, 3, asked), 12.02, 1e-9);
    CHECK_CLOSE(dts_parts_seconds(rows, 1, asked), 12.02, 1e-9);
}

/* Arithmetic takes its time once, values four times: what is half of each is nearer to
 * the sum than to the usual multiple, 2, of both. */
static void each_part_has_its_own_multiple(void)
{
    const struct dts_parts_row rows[] = {
        {{1, 0.01, 0, 0}, 1.04, 1}, {{0.01, 1, 0, 0}, 4.01, 1}, {{4, 1, 0, 0}, 8, 1}};
    const double half[DTS_PARTS] = {1, 1, 0, 0}, most[DTS_PARTS] = {1, 9, 0, 0};
    const double seconds = dts_parts_seconds(rows, 3, half);
    CHECK_NEAR(seconds, 4.7, 0.5);
    CHECK_NEAR(dts_parts_seconds(rows, 3, most), 37, 6); // not 20
}

/* The more values, the less time: no multiple below 0 says so. */
static void no_part_takes_less_than_no_time(void)
{
    const struct dts_parts_row rows[] = {{{1, 1, 0, 0}, 2, 1}, {{1, 8, 0, 0}, 1.8, 1}};
    const double values[DTS_PARTS] = {0, 1, 0, 0}, both[DTS_PARTS] = {1, 4, 0, 0};
    const double least = 1.8 / 9; // of the sum of parts
    CHECK_CLOSE(dts_parts_seconds(rows, 2, values), least, 1e-9);
    CHECK_NEAR(dts_parts_seconds(rows, 2, both), 1.9, 0.15);
}

static void what_none_has_takes_the_usual_multiple(void)
{
    const struct dts_parts_row rows[] = {{{1, 0, 0, 0}, 2, 1}, {{3, 0, 0, 0}, 6, 1}};
    const double weights[DTS_PARTS] = {0, 0, 5, 0};
    CHECK_CLOSE(dts_parts_seconds(rows, 2, weights), 10.0, 1e-9);
}

static void a_near_row_counts_more(void)
{
    struct dts_parts_row rows[] = {{{1, 0, 0, 0}, 1, 1}, {{1, 0, 0, 0}, 4, 1}};
    const double asked[DTS_PARTS] = {1, 0, 0, 0};
    CHECK_CLOSE(dts_parts_seconds(rows, 2, asked), 2.0, 1e-6); // the mean of logarithms
    rows[1].weight = 3;
    CHECK_CLOSE(dts_parts_seconds(rows, 2, asked), pow(4, 0.75), 1e-3);
}

static void what_was_told_far_off_counts_and_nothing_breaks(void)
{
    const struct dts_parts_row rows[] = {{{1e-9, 1, 0, 0}, 1e-12, 1},
                                         {{1, 1e-9, 0, 0}, 1e6, 1}};
    const double asked[DTS_PARTS] = {1, 1, 1, 1};
    const double seconds = dts_parts_seconds(rows, 2, asked);
    CHECK(isfinite(seconds) && seconds > 0);
}

TESTS(TEST(what_all_have_in_common_is_found_exactly), TEST(each_part_has_its_own_multiple),
      TEST(no_part_takes_less_than_no_time), TEST(what_none_has_takes_the_usual_multiple),
      TEST(a_near_row_counts_more), TEST(what_was_told_far_off_counts_and_nothing_breaks))
