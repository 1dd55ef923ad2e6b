/* The calls of steps: those at the pace are added up, and time that takes the pace is left out.
 */
#include "check.h"
#include "turns/step_calls.h"

static double scripted(void *paces_s)
{
    double **next_s = paces_s;
    return *(*next_s)++;
}

/* Two calls in each of four steps; the paces behind each step are told. */
static void run_steps(struct dts_step_calls *calls, struct dts_pace *pace)
{
    static const double seconds[4][2] = {{1, 10}, {2, 20}, {3, 30}, {8, 80}};
    double before_s = 1e-4;
    dts_step_calls_make(calls, 2, pace);
    for (int s = 0; s < 4; s++) {
        dts_step_calls_begin(calls, before_s);
        dts_step_calls_add(calls, 0, seconds[s][0]);
        dts_step_calls_add(calls, 1, seconds[s][1]);
        before_s = calls->pace_s;
    }
}

static void calls_count_where_the_pace_was_the_same_before_and_after(void)
{
    double after_s[] = {1e-4, 1e-4, 1e-4, 2e-4}, *next_s = after_s, off;
    struct dts_pace pace = {.take_s = scripted, .argument = &next_s, .asked_s = 1e-4};
    struct dts_step_calls calls;
    run_steps(&calls, &pace);
    CHECK_NEAR(dts_step_calls_sum(&calls, &off), 22, 1e-12); // medians of three steps
    CHECK_NEAR(off, 0, 0);
    CHECK_INT(next_s - after_s, 4); // once a step: calls that take no time share it
    dts_step_calls_free(&calls);
}

static void calls_that_never_met_the_pace_are_told(void)
{
    double after_s[] = {1e-4, 1e-4, 1e-4, 1e-4}, *next_s = after_s, off;
    struct dts_pace pace = {.take_s = scripted, .argument = &next_s, .asked_s = 2e-4};
    struct dts_step_calls calls;
    run_steps(&calls, &pace);
    CHECK_NEAR(dts_step_calls_sum(&calls, &off), 27.5, 1e-12); // of all steps
    CHECK_NEAR(off, 1, 0);
    dts_step_calls_free(&calls);
}

static void calls_beside_the_pace_make_room_for_others(void)
{
    struct dts_pace pace = {.asked_s = 1e-4};
    struct dts_runs runs = {.count = 4,
                            .seconds = {1, 2, 3, 4},
                            .before_s = {1e-4, 2e-4, 1e-4, 1e-4},
                            .after_s = {1e-4, 1e-4, 2e-4, 1e-4}};
    dts_runs_drop_others(&runs, &pace);
    CHECK_INT(runs.count, 2);
    CHECK_NEAR(runs.seconds[1], 4, 0);
    CHECK_NEAR(dts_measured_of(&runs, &pace).median_s, 2.5, 1e-12);
}

static void a_step_that_passes_does_not_count(void)
{
    double after_s[] = {1e-4, 1e-4, 1e-4, 1e-4}, *next_s = after_s, off;
    struct dts_pace pace = {.take_s = scripted, .argument = &next_s, .asked_s = 1e-4};
    struct dts_step_calls calls;
    run_steps(&calls, &pace);
    calls.unseen = true;
    dts_step_calls_add(&calls, 0, 100);
    dts_step_calls_add(&calls, 1, 100);
    CHECK_INT(next_s - after_s, 4); // no pace was taken
    calls.unseen = false;
    dts_step_calls_drop_last(&calls);
    CHECK_NEAR(dts_step_calls_sum(&calls, &off), 22,
               1e-12); // of 1, 2 and 3, and ten times that
    dts_step_calls_free(&calls);
}

TESTS(TEST(a_step_that_passes_does_not_count), TEST(calls_beside_the_pace_make_room_for_others),
      TEST(calls_count_where_the_pace_was_the_same_before_and_after),
      TEST(calls_that_never_met_the_pace_are_told))
