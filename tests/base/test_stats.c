/* test_stats.c -- order statistics, and the expected maximum by closed forms and by another
 * integral. */
#include "base/stats.h"
#include "check.h"

static void medians_are_in_the_middle(void)
{
    CHECK_NEAR(dts_median((double[]){3}, 1), 3, 0);
    CHECK_NEAR(dts_median((double[]){4, 1}, 2), 2.5, 0);
    CHECK_NEAR(dts_median((double[]){9, 1, 5}, 3), 5, 0);
    CHECK_NEAR(dts_median((double[]){4, 3, 2, 1}, 4), 2.5, 0);
}

static void one_spike_moves_neither_median_nor_mad(void)
{
    double clean[] = {1.0, 1.1, 1.2, 1.3, 1.4}, spiked[] = {1.0, 1.1, 1.2, 1.3, 1e9};
    CHECK_NEAR(dts_median(spiked, 5), dts_median(clean, 5), 0);
    CHECK_NEAR(dts_mad(spiked, 5), 0.1, 1e-12);
    CHECK_NEAR(dts_mad(clean, 5), 0.1, 1e-12);
    CHECK_NEAR(dts_mad((double[]){7}, 1), 0, 0);
}

static void mad_keeps_the_values(void)
{
    double values[] = {5, 1, 3};
    dts_mad(values, 3);
    CHECK_NEAR(values[0] + values[1] + values[2], 9, 0);
    CHECK_NEAR(values[0] * values[1] * values[2], 15, 0);
}

static void quantiles_are_linear_between_values(void)
{
    double values[] = {40, 10, 30, 20, 50};
    CHECK_NEAR(dts_quantile(values, 5, 0), 10, 0);
    CHECK_NEAR(dts_quantile(values, 5, 1), 50, 0);
    CHECK_NEAR(dts_quantile(values, 5, 0.25), 20, 0);
    CHECK_NEAR(dts_quantile(values, 5, 0.9), 46, 1e-12);
}

static void expected_maximum_meets_the_closed_forms(void)
{
    const double pi = 3.14159265358979323846;
    CHECK_NEAR(dts_expected_maximum(1), 0, 0);
    CHECK_NEAR(dts_expected_maximum(2), 1 / sqrt(pi), 1e-8);
    CHECK_NEAR(dts_expected_maximum(3), 1.5 / sqrt(pi), 1e-8);
    CHECK_NEAR(dts_expected_maximum(5), 5 / (4 * sqrt(pi)) * (1 + 6 / pi * asin(1.0 / 3)),
               1e-8);
    CHECK_NEAR(dts_expected_maximum(100), 2.5076, 5e-5);
}

/* The mean of x over the density n f(x) F(x)^(n-1), with erfc() of libm. */
static double by_density(int n)
{
    double sum = 0, h = 1.0 / 512;
    for (double x = -8; x < 9; x += h) {
        double tail = 0.5 * erfc(x / sqrt(2));
        sum += x * n * exp(-x * x / 2 + (n - 1) * log1p(-tail));
    }
    return sum * h / sqrt(2 * 3.14159265358979323846);
}

static void expected_maximum_agrees_with_another_integral(void)
{
    static const int sizes[] = {4, 7, 10, 64, 1000, 4096, 27648, 1000000};
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
        CHECK_NEAR(dts_expected_maximum(sizes[i]), by_density(sizes[i]), 1e-7);
}

static void expected_maximum_grows_with_n(void)
{
    for (int n = 1; n < 200; n++)
        CHECK(dts_expected_maximum(n + 1) > dts_expected_maximum(n));
}

static void the_largest_is_found_wherever_it_is(void)
{
    CHECK_NEAR(dts_largest((double[]){3, 1, 2}, 3), 3, 0);
    CHECK_NEAR(dts_largest((double[]){1, 2, 3}, 3), 3, 0);
    CHECK_NEAR(dts_largest((double[]){-3, -1}, 2), 0, 0);
    CHECK_NEAR(dts_largest(NULL, 3), 0, 0);
}

TESTS(TEST(the_largest_is_found_wherever_it_is), TEST(medians_are_in_the_middle),
      TEST(one_spike_moves_neither_median_nor_mad), TEST(mad_keeps_the_values),
      TEST(quantiles_are_linear_between_values), TEST(expected_maximum_meets_the_closed_forms),
      TEST(expected_maximum_agrees_with_another_integral), TEST(expected_maximum_grows_with_n))
