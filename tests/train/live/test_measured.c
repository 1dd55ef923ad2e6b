/* test_measured.c -- steps of a run, with times made by hand. */
#include "train/live/measured.h"

#include "check.h"
#include "job.h"

enum { RANKS = 3, STEPS = 3 };

/* A chain of 3 ranks, 10 s a hop, each step from rest: whoever only sends ends after a second.
 * Ranks leave the barrier 0, 0.1 and 0.2 s after the end of the step before. */
static void fill(double *begin_s[RANKS], double *end_s[RANKS], bool rests)
{
    for (int s = 0; s < STEPS; s++) {
        const double zero_s = rests ? 20.5 * s : 10 * s;
        for (int r = 0; r < RANKS; r++)
            begin_s[r][s] = zero_s + 0.1 * r;
        end_s[0][s] = zero_s + 1;
        end_s[1][s] = zero_s + 10.2;
        end_s[2][s] = zero_s + 20.2;
    }
}

static double measured_s(bool rests)
{
    double begins[RANKS][STEPS], ends[RANKS][STEPS];
    double *begin_s[RANKS] = {begins[0], begins[1], begins[2]};
    double *end_s[RANKS] = {ends[0], ends[1], ends[2]};
    struct dts_job job = workers(RANKS);
    struct dts_comparison c = {0};
    struct dts_timing timing;
    const struct dts_live_all all = {
        .ranks = RANKS, .steps = STEPS, .from_rest = rests, .begin_s = begin_s, .end_s = end_s};
    add_allreduce(&job.roles[0].plan, DTS_DATA, "ring", RANKS, 1);
    fill(begin_s, end_s, rests);
    dts_live_measured(&job, &all, 1, &c, &timing);
    CHECK_INT(c.steps, STEPS - 1);
    CHECK_NEAR(c.measured.exposed_comm_s, c.measured.total_s, 1e-9);
    CHECK_NEAR(timing.ops[0].start_s, rests ? 0 : -9.8 - 0.2, 1e-9);
    dts_timing_free(&timing);
    dts_job_free(&job);
    return c.measured.total_s;
}

/* From the begin of the last rank to the end of the last: both hops of the chain. */
static void what_is_alone_is_measured_from_rest_to_its_end(void)
{
    CHECK_NEAR(measured_s(true), 20.0, 1e-9);
}

/* One behind the other, all hops are busy with steps of their own: one hop is a step. */
static void what_is_repeated_is_measured_from_end_to_end(void)
{
    CHECK_NEAR(measured_s(false), 10.0, 1e-9);
}

TESTS(TEST(what_is_alone_is_measured_from_rest_to_its_end),
      TEST(what_is_repeated_is_measured_from_end_to_end))
