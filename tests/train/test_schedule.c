/* test_schedule.c -- learning rates: all schedules grow during warm-up, and end where they say.
 */
#include "check.h"
#include "train/scenario/schedule.h"

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

static void a_warm_up_longer_than_the_training_is_no_harm(void)
{
    const struct dts_schedule schedule = {.kind = "cosine", .warm_up_epochs = 100};
    for (long step = 0; step < 10; step++) {
        const double now = dts_schedule_at(&schedule, step, 10, 10);
        CHECK(now >= 0 && now <= 1);
    }
}

TESTS(TEST(every_schedule_grows_during_warm_up), TEST(no_warm_up_begins_at_the_full_rate),
      TEST(cosine_falls_to_nothing), TEST(steps_multiply),
      TEST(a_warm_up_longer_than_the_training_is_no_harm))
