/* test_comparison.c -- what a step's error comes from, in one sentence. */
#include "answer/live/comparison.h"
#include "check.h"

static void says(const struct dts_comparison *c, const char *expected)
{
    char text[200];
    dts_comparison_explain(c, text, sizeof(text));
    CHECK_STRING(text, expected);
}

static void the_largest_part_is_named(void)
{
    struct dts_comparison c = {.predicted = {.total_s = 12.5, .compute_s = 2, .comm_s = 11.5},
                               .measured = {.total_s = 2, .compute_s = 1, .comm_s = 2.5},
                               .mad = {.total_s = 0.1},
                               .steps = 20};
    c.predicted.exposed_comm_s = 10.5;
    c.measured.exposed_comm_s = 1;
    says(&c, "the prediction is 10500 ms too long; the largest part is exposed comm: +9500 ms");
    c.predicted =
        (struct dts_step){.total_s = 1.4998, .compute_s = 0.4998, .exposed_comm_s = 1};
    says(&c, "the prediction is 500 ms too short; the largest part is compute: -500 ms");
}

static void what_is_within_the_spread_is_not_blamed(void)
{
    struct dts_comparison c = {.predicted = {.total_s = 2.002, .compute_s = 2.002},
                               .measured = {.total_s = 2, .compute_s = 2},
                               .mad = {.total_s = 0.001},
                               .steps = 20};
    says(&c, "the error of +2.00 ms is within twice the spread of the step");
    c.steps = 0;
    says(&c, "no step was measured");
}

static void differs(const struct dts_profile_fit *fit, const char *expected)
{
    char text[600];
    CHECK(dts_profile_fit_differs(fit, text, sizeof(text)) == (expected[0] != '\0'));
    CHECK_STRING(text, expected);
}

static void a_profile_of_other_runs_is_told(void)
{
    struct dts_profile_fit fit = {.threads = 2,
                                  .profile_threads = 2,
                                  .device = "cpu, A",
                                  .profile_device = "cpu, A",
                                  .ranks = 4};
    differs(&fit, "");
    fit.profile_threads = 1;
    differs(&fit, "with 1 thread, and each rank computes with 2");
    fit.elsewhere = 3;
    strcpy(fit.device, "cpu, B");
    differs(&fit, "with 1 thread, and each rank computes with 2; on cpu, A, and 3 of 4 ranks "
                  "compute on cpu, B");
    fit.profile_threads = 0; // it does not say
    fit.ranks = fit.elsewhere = 1;
    differs(&fit, "on cpu, A, and 1 of 1 rank computes on cpu, B");
}

static void a_profile_has_a_device_without_its_number(void)
{
    char device[DTS_FIT_DEVICE];
    dts_profile_fit_device("cpu:0, AMD EPYC 7, 2 sockets", device);
    CHECK_STRING(device, "cpu, AMD EPYC 7, 2 sockets");
    dts_profile_fit_device("", device); // of before it was said
    CHECK_STRING(device, "");
}

TESTS(TEST(the_largest_part_is_named), TEST(what_is_within_the_spread_is_not_blamed),
      TEST(a_profile_of_other_runs_is_told), TEST(a_profile_has_a_device_without_its_number))
