/* test_schedule.c -- learning rates: all schedules grow during warm-up, and end where they say.
 */
#include "check.h"
#include "train/scenario/scenario_live.h"

static void every_schedule_grows_during_warm_up(void)
{
    for (int i = 0; dts_schedule_name(i) != NULL; i++) {
        const struct dts_schedule schedule = {.kind = dts_schedule_name(i),
                                              .warm_up_epochs = 2,
                                              .every_epochs = 50,
                                              .factor = 0.1};
        double before = 0;
        for (long step = 0; step < 20; step++) {
            const double now = dts_schedule_at(&schedule, step, 10, 100);
            CHECK(now > before && now <= 1);
            CHECK_NEAR(now, ((double)step + 1) / 20, 1e-12);
            before = now;
        }
    }
}

static void no_warm_up_begins_at_the_full_rate(void)
{
    for (int i = 0; dts_schedule_name(i) != NULL; i++) {
        const struct dts_schedule schedule = {
            .kind = dts_schedule_name(i), .every_epochs = 50, .factor = 0.1};
        CHECK_NEAR(dts_schedule_at(&schedule, 0, 10, 100), 1, 0);
    }
}

static void cosine_falls_to_nothing(void)
{
    const struct dts_schedule schedule = {.kind = "cosine", .warm_up_epochs = 1};
    CHECK_NEAR(dts_schedule_at(&schedule, 10, 10, 110), 1, 1e-12);
    CHECK_NEAR(dts_schedule_at(&schedule, 60, 10, 110), 0.5, 1e-12);
    CHECK(dts_schedule_at(&schedule, 109, 10, 110) < 1e-3);
    CHECK(dts_schedule_at(&schedule, 109, 10, 110) > 0);
    CHECK_NEAR(dts_schedule_at(&schedule, 200, 10, 110), 0, 1e-12); // beyond the end
}

static void steps_multiply(void)
{
    const struct dts_schedule schedule = {.kind = "step", .every_epochs = 30, .factor = 0.1};
    CHECK_NEAR(dts_schedule_at(&schedule, 299, 10, 900), 1, 0);
    CHECK_NEAR(dts_schedule_at(&schedule, 300, 10, 900), 0.1, 1e-15);
    CHECK_NEAR(dts_schedule_at(&schedule, 899, 10, 900), 0.01, 1e-15);
}

static double at(const struct dts_schedule *schedule, long step)
{
    return dts_schedule_at(schedule, step, 10, 110);
}

static void a_polynomial_falls_to_its_end(void)
{
    struct dts_schedule schedule = {.kind = "polynomial", .warm_up_epochs = 1};
    CHECK_NEAR(at(&schedule, 10), 1, 1e-12);
    CHECK_NEAR(at(&schedule, 60), 0.25, 1e-12); // of power 2, half of the way
    CHECK_NEAR(at(&schedule, 110), 0, 1e-12);
    schedule.power = 1;
    CHECK_NEAR(at(&schedule, 60), 0.5, 1e-12);
    schedule.end = 0.1;
    CHECK_NEAR(at(&schedule, 60), 0.55, 1e-12);
    CHECK_NEAR(at(&schedule, 110), 0.1, 1e-12);
    schedule.power = 3;
    CHECK_NEAR(at(&schedule, 85), 0.1 + 0.9 / 64, 1e-12);
    CHECK(dts_schedule_ends(&schedule));
}

static void an_exponential_meets_the_steps(void)
{
    const struct dts_schedule smooth = {
        .kind = "exponential", .every_epochs = 2, .factor = 0.25};
    CHECK_NEAR(at(&smooth, 0), 1, 1e-12);
    CHECK_NEAR(at(&smooth, 10), 0.5, 1e-12);
    CHECK_NEAR(at(&smooth, 20), 0.25, 1e-12);
    CHECK_NEAR(at(&smooth, 45), pow(0.25, 2.25), 1e-12);
    CHECK(!dts_schedule_ends(&smooth));
    const struct dts_schedule warm = {
        .kind = "exponential", .every_epochs = 2, .factor = 0.25, .warm_up_epochs = 3};
    CHECK_NEAR(at(&warm, 30), 1, 1e-12);
    CHECK_NEAR(at(&warm, 50), 0.25, 1e-12);
}

/* Goyal et al. 2017, figure 2: from a rate of 0.1 to 3.2 in 5 epochs. */
static void warm_ups_begin_at_a_share(void)
{
    struct dts_schedule schedule = {
        .kind = "constant", .warm_up_epochs = 5, .warm_up_from = 1.0 / 32};
    CHECK_NEAR(3.2 * at(&schedule, 0), 0.1 + 3.1 / 50, 1e-12);
    CHECK_NEAR(3.2 * at(&schedule, 24), 0.1 + 3.1 / 2, 1e-12);
    CHECK_NEAR(3.2 * at(&schedule, 49), 3.2, 1e-12);
    schedule.warm_up = "constant";
    CHECK_NEAR(3.2 * at(&schedule, 0), 0.1, 1e-12);
    CHECK_NEAR(3.2 * at(&schedule, 49), 0.1, 1e-12);
    CHECK_NEAR(3.2 * at(&schedule, 50), 3.2, 1e-12);
}

static void rates_follow_the_batch(void)
{
    CHECK_NEAR(0.1 * dts_scaling_factor("linear", 8192.0 / 256), 3.2, 1e-12);
    CHECK_NEAR(0.1 * dts_scaling_factor("square_root", 8192.0 / 512), 0.4, 1e-12);
    CHECK_NEAR(dts_scaling_factor("constant", 32), 1, 0);
    for (int i = 0; dts_scaling_name(i) != NULL; i++)
        CHECK_NEAR(dts_scaling_factor(dts_scaling_name(i), 1), 1, 0);
    const struct dts_live_settings plain = {.learning_rate = 0.1},
                                   ruled = {.learning_rate = 0.1, .scaling = {"linear", 256}};
    CHECK_NEAR(dts_live_base_rate(&plain, 8192), 0.1, 0);
    CHECK_NEAR(dts_live_base_rate(&ruled, 8192), 3.2, 1e-12);
}

static void a_warm_up_longer_than_the_training_is_no_harm(void)
{
    const struct dts_schedule schedule = {.kind = "cosine", .warm_up_epochs = 100};
    for (long step = 0; step < 10; step++) {
        const double now = dts_schedule_at(&schedule, step, 10, 10);
        CHECK(now >= 0 && now <= 1);
    }
}

TESTS(TEST(every_schedule_grows_during_warm_up), TEST(no_warm_up_begins_at_the_full_rate),
      TEST(cosine_falls_to_nothing), TEST(steps_multiply), TEST(a_polynomial_falls_to_its_end),
      TEST(an_exponential_meets_the_steps), TEST(warm_ups_begin_at_a_share),
      TEST(rates_follow_the_batch), TEST(a_warm_up_longer_than_the_training_is_no_harm))
