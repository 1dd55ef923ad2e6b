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

/* Two ranks: a kernel of 1 s in each step, and every third step an exchange of 6 s behind it.
 * Of the steps 1 to 7 two whole rounds are measured, 1 to 3 and 4 to 6. */
static void rounds_are_measured_where_steps_are_not_alike(void)
{
    enum { PAIR = 2, OPS = 2, ALL = 8 };
    double begins[PAIR][ALL * OPS], ends[PAIR][ALL * OPS], now_s = 0;
    double *begin_s[PAIR] = {begins[0], begins[1]}, *end_s[PAIR] = {ends[0], ends[1]};
    struct dts_job job = workers(PAIR);
    struct dts_plan *plan = &job.roles[0].plan;
    struct dts_compared_bucket bucket;
    struct dts_comparison c = {.buckets = &bucket, .bucket_count = 1};
    struct dts_timing timing;
    add_allreduce(plan, DTS_COMPUTE, "ring", PAIR, 1);
    plan->ops[0].when = (struct dts_when){.every = 3, .at = 2};
    plan->ops[0].bucket = 0;
    add_kernel(plan, DTS_FORWARD, 1);
    for (int s = 0; s < ALL; s++) {
        const bool acts = s % 3 == 2;
        for (int r = 0; r < PAIR; r++) {
            begins[r][s * OPS] = acts ? now_s : NAN;
            ends[r][s * OPS] = acts ? now_s + 6 : NAN;
            begins[r][s * OPS + 1] = now_s + (acts ? 6 : 0);
            ends[r][s * OPS + 1] = now_s + (acts ? 7 : 1);
        }
        now_s += acts ? 7 : 1;
    }
    const struct dts_live_all all = {
        .ranks = PAIR, .steps = ALL, .begin_s = begin_s, .end_s = end_s};
    dts_live_measured(&job, &all, 1, &c, &timing);
    CHECK_INT(c.steps, 6);
    CHECK_NEAR(c.measured.total_s, 3, 1e-12);
    CHECK_NEAR(c.measured.comm_s, 2, 1e-12);
    CHECK_NEAR(c.measured.compute_s, 1, 1e-12);
    CHECK_NEAR(c.measured.exposed_comm_s, 2, 1e-12);
    CHECK_NEAR(c.mad.total_s, 0, 1e-12);
    CHECK_NEAR(bucket.measured.start_s, 0, 1e-12);
    CHECK_NEAR(bucket.measured.end_s, 6, 1e-12);
    dts_timing_free(&timing);
    dts_job_free(&job);
}

TESTS(TEST(what_is_alone_is_measured_from_rest_to_its_end),
      TEST(what_is_repeated_is_measured_from_end_to_end),
      TEST(rounds_are_measured_where_steps_are_not_alike))
