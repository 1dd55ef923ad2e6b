/* test_sometimes.c -- plans whose operations act in some steps only, on all engines: closed
 * forms of steps, of what is sent, and of where the time went.
 */
#include <string.h>

#include "answer/split.h"
#include "base/mem.h"
#include "check.h"
#include "plan/check.h"
#include "sim/engine.h"
#include "sim/load/bound.h"
#include "sim/load/load.h"

#include "job.h"
#include "sim/crossbar.h"

static const double kernel_s = 10e-3, update_s = 1e-3, average_s = 0.5e-3;
static const size_t elements = 1 << 20; // of 4 bytes

static const struct crossbar plain = {.bytes_per_s = 1e9, .latency_s = 10e-6, .per_node = 1};

/* A ring of n ranks that combines all elements. */
static double ring_s(int n)
{
    return 2 * (n - 1) * (4.0 * (double)elements / n / plain.bytes_per_s + plain.latency_s);
}

/* Kernel, update, and every so many steps an all-reduce behind it and a call on its sum. */
static struct dts_job local(int ranks, int every, long from)
{
    struct dts_job job = workers(ranks);
    struct dts_plan *plan = &job.roles[0].plan;
    const struct dts_when when = {.every = every, .at = every - 1, .from = from};
    add_kernel(plan, DTS_FORWARD, kernel_s);
    const int update = add_kernel(plan, DTS_UPDATE, update_s);
    const int sum = add_allreduce(plan, DTS_DATA, "ring", ranks, elements);
    dts_plan_after(plan, update);
    plan->ops[sum].when = when;
    const int average = add_kernel(plan, DTS_AVERAGE, average_s);
    dts_plan_after(plan, sum);
    plan->ops[average].when = when;
    return job;
}

/* Of whole periods, from the end of one on. */
static struct dts_timing run(const char *engine, const struct dts_job *job, int periods)
{
    struct crossbar crossbar = plain;
    const struct dts_net net = crossbar_net(&crossbar, job->ranks);
    int endpoints[64];
    const int period = dts_job_period(job);
    const long settled = dts_job_settled(job);
    for (int r = 0; r < job->ranks; r++)
        endpoints[r] = r;
    const struct dts_simulation simulation = {
        .job = job,
        .net = &net,
        .endpoint = endpoints,
        .steps = 1 + periods * period,
        .first_step = (settled + period - 1) / period * period + period - 1};
    struct dts_timing timing = {0};
    struct dts_error err = {0};
    struct dts_bound bound;
    struct dts_loader *loader = dts_loader_new(&simulation);
    dts_bound_find(&simulation, loader, &bound);
    CHECK(dts_engine_find(engine)->run(&simulation, &timing, &err));
    CHECK(dts_bound_check(&bound, &timing, engine, &err));
    CHECK_STRING(err.text, "");
    dts_loader_free(loader);
    return timing;
}

static void what_acts_sometimes_counts_by_its_share(void)
{
    for (int e = 0; dts_engines[e] != NULL; e++)
        for (int every = 1; every <= 16; every *= 2)
            for (int periods = 1; periods <= 2; periods++) {
                const int n = 4;
                struct dts_job job = local(n, every, 3);
                struct dts_timing timing = run(dts_engines[e]->name, &job, periods);
                struct dts_step step;
                struct dts_traffic traffic;
                dts_split(&job, 1, &timing, &timing, &step);
                dts_job_traffic(&job, &traffic);
                CHECK_CLOSE(step.total_s, kernel_s + update_s + (ring_s(n) + average_s) / every,
                            1e-9);
                CHECK_CLOSE(step.compute_s, kernel_s + update_s + average_s / every, 1e-9);
                CHECK_CLOSE(step.comm_s, ring_s(n) / every, 1e-9);
                CHECK_CLOSE(step.exposed_comm_s, ring_s(n) / every, 1e-9);
                CHECK_CLOSE(traffic.messages, 2.0 * n * (n - 1) / every, 1e-12);
                CHECK_CLOSE(traffic.bytes, 8.0 * (n - 1) * (double)elements / every, 1e-12);
                CHECK_CLOSE(timing.ops[2].end_s - timing.ops[2].start_s, ring_s(n), 1e-9);
                dts_timing_free(&timing);
                dts_job_free(&job);
            }
}

/* What acts until some step does not act in the long run. */
static void what_is_over_takes_no_time(void)
{
    for (int e = 0; dts_engines[e] != NULL; e++) {
        struct dts_job job = local(4, 4, 0);
        struct dts_plan *plan = &job.roles[0].plan;
        plan->ops[2].when = (struct dts_when){.until = 10};
        plan->ops[3].when = (struct dts_when){.from = 10};
        struct dts_timing timing = run(dts_engines[e]->name, &job, 3);
        CHECK_CLOSE(timing.step_s, kernel_s + update_s + average_s, 1e-9);
        CHECK(isnan(timing.ops[2].start_s) && isnan(timing.ops[2].end_s));
        dts_timing_free(&timing);
        dts_job_free(&job);
    }
}

/* An exchange that the next step's update waits for: it hides behind a step, or is the step. */
static void what_is_waited_for_a_step_later_hides(void)
{
    for (int e = 0; dts_engines[e] != NULL; e++)
        for (int longer = 0; longer < 2; longer++) {
            struct dts_job job = workers(4);
            struct dts_plan *plan = &job.roles[0].plan;
            const double forward_s = longer ? kernel_s : 1e-3;
            add_kernel(plan, DTS_FORWARD, forward_s);
            const int update = add_kernel(plan, DTS_UPDATE, update_s);
            dts_plan_after_previous(plan, update + 1);
            add_allreduce(plan, DTS_DATA, "ring", 4, elements);
            dts_plan_after(plan, update);
            struct dts_timing timing = run(dts_engines[e]->name, &job, 4);
            CHECK_CLOSE(timing.step_s, update_s + (longer ? forward_s : ring_s(4)), 1e-9);
            CHECK((ring_s(4) < kernel_s) && ring_s(4) > 1e-3);
            dts_timing_free(&timing);
            dts_job_free(&job);
        }
}

/* Pairs along each dimension of a hypercube in turn. */
static void pairs_exchange_all_they_have(void)
{
    for (int e = 0; dts_engines[e] != NULL; e++) {
        struct dts_job job = workers(8);
        struct dts_plan *plan = &job.roles[0].plan;
        struct dts_timing timing;
        struct dts_step step;
        const int update = add_kernel(plan, DTS_UPDATE, update_s);
        for (int t = 0; t < 3; t++) {
            const int pair = add_allreduce(plan, DTS_DATA, "ring", 2, elements);
            plan->ops[pair].collective.group.stride = 1 << t;
            plan->ops[pair].when = (struct dts_when){.every = 3, .at = t};
            dts_plan_after(plan, update);
        }
        const int average = add_kernel(plan, DTS_AVERAGE, average_s);
        for (int op = update + 1; op < average; op++)
            dts_plan_after(plan, op);
        timing = run(dts_engines[e]->name, &job, 1);
        dts_split(&job, 1, &timing, &timing, &step);
        CHECK_CLOSE(timing.step_s, update_s + ring_s(2) + average_s, 1e-9);
        CHECK_CLOSE(step.comm_s, ring_s(2), 1e-9);
        dts_timing_free(&timing);
        dts_job_free(&job);
    }
}

static void a_plan_that_acts_at_no_step_is_refused(void)
{
    struct dts_job job = local(2, 4, 0);
    struct dts_error err = {0};
    CHECK(dts_job_check(&job, &err));
    job.roles[0].plan.ops[2].when.at = 4;
    CHECK(!dts_job_check(&job, &err));
    CHECK_STRING(err.text,
                 "plan: worker: \"all-reduce\": must act at a step below the steps that "
                 "it acts every, got 4");
    dts_job_free(&job);
}

static void a_job_repeats_after_the_least_common_multiple(void)
{
    struct dts_job job = local(2, 6, 5);
    CHECK_INT(dts_job_period(&job), 6);
    job.roles[0].plan.ops[3].when.every = 4;
    CHECK_INT(dts_job_period(&job), 12);
    CHECK_INT((int)dts_job_settled(&job), 5);
    const struct dts_when when = {.every = 4, .at = 3, .from = 5, .until = 12};
    for (long step = 0; step < 20; step++)
        CHECK_INT(dts_when_acts(&when, step), step == 7 || step == 11);
    CHECK_NEAR(dts_when_share(&when), 0, 0);
    dts_job_free(&job);
}

TESTS(TEST(what_acts_sometimes_counts_by_its_share), TEST(what_is_over_takes_no_time),
      TEST(what_is_waited_for_a_step_later_hides), TEST(pairs_exchange_all_they_have),
      TEST(a_plan_that_acts_at_no_step_is_refused),
      TEST(a_job_repeats_after_the_least_common_multiple))
