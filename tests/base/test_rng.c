/* test_rng.c -- random numbers: the published vectors, and the laws that they follow. */
#include <stdlib.h>

#include "base/rng.h"
#include "check.h"

/* Vectors that the authors of Philox publish with their code (Random123, kat_vectors). */
static void philox_gives_the_published_vectors(void)
{
    CHECK(dts_random(0, 0, 0) == 0xe169c58d6627e8d5);
    CHECK(dts_random(UINT64_MAX, UINT64_MAX, UINT64_MAX) == 0x41c83b0e408f276d);
    CHECK(dts_random(0x299f31d0a4093822, 0x0370734413198a2e, 0x85a308d3243f6a88) ==
          0x94fdccebd16cfe09);
}

static void uniform_is_uniform_and_open(void)
{
    enum { COUNT = 100000, BINS = 20 };
    int bins[BINS] = {0};
    for (uint64_t i = 0; i < COUNT; i++) {
        double u = dts_uniform(7, 1, i);
        if (!CHECK(u > 0 && u < 1))
            return;
        bins[(int)(u * BINS)]++;
    }
    double chi = 0, want = (double)COUNT / BINS;
    for (int i = 0; i < BINS; i++)
        chi += (bins[i] - want) * (bins[i] - want) / want;
    CHECK(chi < 43.8); // 19 degrees of freedom: 1 in 1000
}

static void normal_has_mean_0_and_sigma_1_and_its_tails(void)
{
    enum { COUNT = 200000 };
    double sum = 0, squares = 0, fourth = 0;
    int beyond_2 = 0, below_minus_3 = 0;
    for (uint64_t i = 0; i < COUNT; i++) {
        double x = dts_normal(3, 5, i);
        sum += x;
        squares += x * x;
        fourth += x * x * x * x;
        beyond_2 += x > 2;
        below_minus_3 += x < -3;
    }
    // four standard errors each
    CHECK_NEAR(sum / COUNT, 0, 4 / sqrt(COUNT));
    CHECK_NEAR(squares / COUNT, 1, 4 * sqrt(2.0 / COUNT));
    CHECK_NEAR(fourth / COUNT, 3, 4 * sqrt(96.0 / COUNT));
    CHECK_NEAR((double)beyond_2 / COUNT, 0.0227501, 4 * sqrt(0.0227501 / COUNT));
    CHECK_NEAR((double)below_minus_3 / COUNT, 0.0013499, 4 * sqrt(0.0013499 / COUNT));
}

/* By another route: the distribution of libm turns the number back into the uniform one. */
static void normal_is_the_quantile_of_uniform(void)
{
    for (uint64_t i = 0; i < 20000; i++) {
        double u = dts_uniform(11, 2, i), x = dts_normal(11, 2, i);
        CHECK_CLOSE(0.5 * erfc(-x / sqrt(2)), u, 1e-13);
    }
}

static void streams_and_seeds_differ(void)
{
    enum { COUNT = 20000 };
    double by_stream = 0, by_seed = 0, by_counter = 0;
    for (uint64_t i = 0; i < COUNT; i++) {
        double x = dts_normal(1, 1, i);
        by_stream += x * dts_normal(1, 2, i);
        by_seed += x * dts_normal(2, 1, i);
        by_counter += x * dts_normal(1, 1, i + 1);
    }
    CHECK_NEAR(by_stream / COUNT, 0, 4 / sqrt(COUNT));
    CHECK_NEAR(by_seed / COUNT, 0, 4 / sqrt(COUNT));
    CHECK_NEAR(by_counter / COUNT, 0, 4 / sqrt(COUNT));
}

static void shuffle_is_a_permutation_that_the_seed_decides(void)
{
    int items[1000], again[1000], seen[1000] = {0}, same = 0;
    dts_shuffle(items, 1000, 42, 0);
    dts_shuffle(again, 1000, 42, 0);
    CHECK(memcmp(items, again, sizeof(items)) == 0);
    dts_shuffle(again, 1000, 43, 0);
    for (int i = 0; i < 1000; i++) {
        seen[items[i]]++;
        same += items[i] == again[i];
    }
    for (int i = 0; i < 1000; i++)
        CHECK_INT(seen[i], 1);
    CHECK(same < 10);
    dts_shuffle(items, 0, 1, 1);
    dts_shuffle(items, 1, 1, 1);
    CHECK_INT(items[0], 0);
}

static void every_order_is_equally_likely(void)
{
    int counts[24] = {0};
    for (uint64_t seed = 0; seed < 24000; seed++) {
        int p[4];
        dts_shuffle(p, 4, seed, 9);
        int code = 0;
        for (int i = 0; i < 4; i++) {
            int smaller = 0;
            for (int j = i + 1; j < 4; j++)
                smaller += p[j] < p[i];
            code = code * (4 - i) + smaller;
        }
        counts[code]++;
    }
    double chi = 0;
    for (int i = 0; i < 24; i++)
        chi += (counts[i] - 1000.0) * (counts[i] - 1000.0) / 1000;
    CHECK(chi < 49.7); // 23 degrees of freedom: 1 in 1000
}

TESTS(TEST(philox_gives_the_published_vectors), TEST(uniform_is_uniform_and_open),
      TEST(normal_has_mean_0_and_sigma_1_and_its_tails),
      TEST(normal_is_the_quantile_of_uniform), TEST(streams_and_seeds_differ),
      TEST(shuffle_is_a_permutation_that_the_seed_decides), TEST(every_order_is_equally_likely))
