/* test_law.c -- the law of training against the batch, by values computed elsewhere. */
#include "check.h"
#include "converge/law.h"

static const struct dts_law resnet = {35.03, 44160, 1.068};

static void the_law_has_the_values_of_its_closed_form(void)
{
    CHECK_NEAR(dts_law_at(&resnet, 1632), 35.998, 1e-3);
    CHECK_NEAR(dts_law_at(&resnet, 8192), 40.429, 1e-3);
    CHECK_NEAR(dts_law_at(&resnet, 32768), 58.432, 1e-3);
    CHECK_NEAR(dts_law_at(&resnet, 65536), 83.368, 1e-3);
    CHECK_NEAR(dts_law_at(&(struct dts_law){100, 1000, 1}, 1000), 200, 1e-9);
    CHECK_NEAR(dts_law_at(&(struct dts_law){100, 1000, 2}, 1000), 141.42136, 1e-4);
}

/* McCandlish: half of the possible saving, and the batch with 20 % overhead. */
static void both_critical_batches_of_the_plain_law_are_known(void)
{
    const struct dts_law plain = {100, 1000, 1};
    CHECK_NEAR(dts_law_batch(&plain, DTS_LAW_TWICE), 1000, 1e-9);
    CHECK_NEAR(dts_law_batch(&plain, DTS_LAW_FIFTH), 200, 1e-9);
    const double batches[] = {dts_law_batch(&resnet, DTS_LAW_TWICE),
                              dts_law_batch(&resnet, DTS_LAW_FIFTH)};
    CHECK_CLOSE(dts_law_at(&resnet, batches[0]), 2 * 35.03, 1e-12);
    CHECK_CLOSE(dts_law_at(&resnet, batches[1]), 1.2 * 35.03, 1e-12);
    CHECK_CLOSE(batches[1], 10460.0, 0.01);
}

static void regions_end_at_the_critical_batches(void)
{
    const struct dts_law plain = {100, 1000, 1};
    CHECK_STRING(dts_law_region(&plain, 199), "perfect");
    CHECK_STRING(dts_law_region(&plain, 201), "diminishing");
    CHECK_STRING(dts_law_region(&plain, 999), "diminishing");
    CHECK_STRING(dts_law_region(&plain, 1001), "maximal");
}

static void steps_never_rise_and_samples_never_fall_with_the_batch(void)
{
    for (double g = 0.3; g < 6; g *= 1.7) {
        const struct dts_law law = {100, 1000, g};
        for (double batch = 1; batch < 1e7; batch *= 1.3) {
            CHECK(dts_law_at(&law, 1.3 * batch) >= dts_law_at(&law, batch));
            CHECK(dts_law_at(&law, 1.3 * batch) / (1.3 * batch) <=
                  dts_law_at(&law, batch) / batch * (1 + 1e-12));
        }
    }
}

static void a_log_shows_the_first_evaluation_that_succeeds(void)
{
    CHECK_NEAR(dts_law_seen(5.3, 0.03, 1), 5.9704, 1e-4);
    CHECK_NEAR(dts_law_seen(4.95, 0.03, 1), 5.3682, 1e-4);
    CHECK_NEAR(dts_law_seen(322000, 0.03, 46080), 344534.9, 0.1);
    CHECK_NEAR(dts_law_seen(100, 0.1, 1), 100.5, 1e-9);
    CHECK_NEAR(dts_law_seen(4.4, 0, 1), 5, 1e-9); // all seeds agree
    CHECK_NEAR(dts_law_seen(4.4, 0.5, 0), 4.4, 0);
}

TESTS(TEST(the_law_has_the_values_of_its_closed_form),
      TEST(both_critical_batches_of_the_plain_law_are_known),
      TEST(regions_end_at_the_critical_batches),
      TEST(steps_never_rise_and_samples_never_fall_with_the_batch),
      TEST(a_log_shows_the_first_evaluation_that_succeeds))
