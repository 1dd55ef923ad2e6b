/* test_inert.c -- a sweep that changes nothing is found, beside another that does. */
#include <stdlib.h>

#include "answer/notes/inert.h"
#include "check.h"

static struct dts_result step(double total_s)
{
    struct dts_result result;
    dts_result_init(&result);
    result.step.total_s = total_s;
    return result;
}

static void a_sweep_without_effect_is_found(void)
{
    struct dts_changes changes = {0};
    struct dts_error err = {0};
    CHECK(dts_changes_add_sweep(&changes, "a=1,2", &err));
    CHECK(dts_changes_add_sweep(&changes, "b=1,2,3", &err));
    // two points a combination; b changes the step, a does not; the last b changes fastest
    struct dts_result points[12];
    for (int k = 0; k < 6; k++)
        for (int i = 0; i < 2; i++)
            points[2 * k + i] = step(1 + k % 3 + 10 * i);
    CHECK(dts_sweep_is_inert(&changes, 0, points, 12));
    CHECK(!dts_sweep_is_inert(&changes, 1, points, 12));
    points[7].step.total_s *= 1 + 1e-15;
    CHECK(!dts_sweep_is_inert(&changes, 0, points, 12));
    points[7] = points[1];
    CHECK(dts_sweep_is_inert(&changes, 0, points, 12));
    points[7].error.cause = DTS_BAD_INPUT;
    CHECK(!dts_sweep_is_inert(&changes, 0, points, 12));
    CHECK(!dts_sweep_is_inert(&changes, 0, points, 11));
    dts_changes_free(&changes);
}

TESTS(TEST(a_sweep_without_effect_is_found))
