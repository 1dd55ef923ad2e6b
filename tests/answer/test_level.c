/* test_level.c -- a step that takes twice as long. */
#include "answer/level.h"
#include "check.h"

static void steps_take_longer_and_evaluations_do_not(void)
{
    struct dts_result result;
    dts_result_init(&result);
    result.step.total_s = 0.5;
    result.throughput_samples_per_s = 100;
    result.training.steps = 200;
    result.training.steps_low = 100;
    result.training.steps_high = 400;
    result.training.evaluation_s = 20; // of the mean; 10 and 40 of the ends
    result.training.time_s = 120;
    result.training.time_low_s = 60;
    result.training.time_high_s = 240;
    result.training.device_hours = 12;
    dts_level_result(&result, 2);
    CHECK_NEAR(result.step.total_s, 1, 1e-12);
    CHECK_NEAR(result.throughput_samples_per_s, 50, 1e-12);
    CHECK_NEAR(result.training.time_s, 220, 1e-9);
    CHECK_NEAR(result.training.time_low_s, 110, 1e-9);
    CHECK_NEAR(result.training.time_high_s, 440, 1e-9);
    CHECK_NEAR(result.training.device_hours, 22, 1e-9);
    CHECK(isnan(result.training.cost)); // there was none
}

static void without_evaluations_all_seconds_grow_alike(void)
{
    struct dts_result result;
    dts_result_init(&result);
    result.training.time_s = 120;
    result.training.cost = 7;
    dts_level_result(&result, 1.5);
    CHECK_NEAR(result.training.time_s, 180, 1e-9);
    CHECK_NEAR(result.training.cost, 10.5, 1e-9);
    CHECK(isnan(result.training.time_low_s));
}

TESTS(TEST(steps_take_longer_and_evaluations_do_not),
      TEST(without_evaluations_all_seconds_grow_alike))
