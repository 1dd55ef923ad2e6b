/* test_comparison.c -- what a step's error comes from, in one sentence. */
#include "check.h"
#include "cli/comparison.h"

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

TESTS(TEST(the_largest_part_is_named), TEST(what_is_within_the_spread_is_not_blamed))
