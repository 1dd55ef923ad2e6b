/* test_unlike.c -- ranks that compute at unlike speeds: closed forms, and which ranks are one
 * to fluid. */
#include "check.h"
#include "sim/load/bound.h"
#include "sim/load/cohort.h"

#include "job.h"
#include "sim/crossbar.h"

enum { RANKS = 8, SLOW = 3 };

static const double bandwidth = 1e9, alpha = 10e-6, kernel_s = 0.1, fixed_s = 0.02;
static const size_t elements = 1 << 20; // of 4 bytes
static const double factor[RANKS + 1] = {1, 1, 1, 1.3, 1, 1, 1, 1, 1};

struct setting {
    struct crossbar crossbar;
    struct dts_net net;
    int endpoints[RANKS + 1];
    struct dts_simulation simulation;
};

static void open_setting(struct setting *s, const struct dts_job *job, const double *factors)
{
    *s = (struct setting){
        .crossbar = {.bytes_per_s = bandwidth, .latency_s = alpha, .per_node = 1}};
    s->net = crossbar_net(&s->crossbar, job->ranks);
    for (int r = 0; r < job->ranks; r++)
        s->endpoints[r] = r;
    s->simulation = (struct dts_simulation){.job = job,
                                            .net = &s->net,
                                            .endpoint = s->endpoints,
                                            .steps = 3,
                                            .compute_factor = factors};
}

static struct dts_timing run(const struct dts_job *job, const double *factors)
{
    struct setting s;
    struct dts_timing timing = {0};
    struct dts_error err = {0};
    open_setting(&s, job, factors);
    CHECK(dts_engine_find("fluid")->run(&s.simulation, &timing, &err));
    CHECK_STRING(err.text, "");
    return timing;
}

/* A fixed time, a kernel, a sum of all, a kernel; and the bare sum. */
static struct dts_job synchronous(void)
{
    struct dts_job job = workers(RANKS);
    struct dts_plan *plan = &job.roles[0].plan;
    add_kernel(plan, DTS_OVERHEAD, fixed_s);
    add_kernel(plan, DTS_BACKWARD, kernel_s);
    add_allreduce(plan, DTS_COMPUTE, "ring", RANKS, elements);
    add_kernel(plan, DTS_UPDATE, kernel_s / 10);
    return job;
}

static const double sum_s = 2 * (RANKS - 1) * (4.0 * (1 << 20) / RANKS / 1e9 + 10e-6);

static void a_synchronous_step_is_as_long_as_its_slowest_worker(void)
{
    struct dts_job job = synchronous();
    struct dts_timing timing = run(&job, factor);
    CHECK_CLOSE(timing.step_s, fixed_s + 1.3 * 1.1 * kernel_s + sum_s, 1e-9);
    CHECK_CLOSE(timing.compute_s, fixed_s + (RANKS - 1 + 1.3) / RANKS * 1.1 * kernel_s, 1e-9);
    dts_timing_free(&timing);
    dts_job_free(&job);
}

/* Of many that are slow the slowest counts, whoever it is. */
static void several_slow_workers_cost_no_more_than_one(void)
{
    static const double all[] = {1, 1.2, 1.3, 1, 1.25, 1.3, 1.1, 1.05};
    struct dts_job job = synchronous();
    struct dts_timing timing = run(&job, all);
    CHECK_CLOSE(timing.step_s, fixed_s + 1.3 * 1.1 * kernel_s + sum_s, 1e-9);
    dts_timing_free(&timing);
    dts_job_free(&job);
}

static void a_factor_of_all_is_kernels_that_much_longer(void)
{
    static const double all[] = {0.8, 0.8, 0.8, 0.8, 0.8, 0.8, 0.8, 0.8};
    struct dts_job job = synchronous();
    struct dts_timing timing = run(&job, all);
    CHECK_CLOSE(timing.step_s, fixed_s + 0.8 * 1.1 * kernel_s + sum_s, 1e-9);
    dts_timing_free(&timing);
    dts_job_free(&job);
}

/* Workers compute and push, one server answers. Its role is a host: nothing slows it. */
static struct dts_job served(void)
{
    struct dts_job job = workers(RANKS);
    job.role_count = 2;
    job.ranks = RANKS + 1;
    job.roles[1] =
        (struct dts_role){.name = "server", .kind = DTS_SERVER, .first = RANKS, .count = 1};
    struct dts_plan *mine = &job.roles[0].plan, *theirs = &job.roles[1].plan;
    struct dts_exchange x = {
        .send = true, .first_peer = RANKS, .peer_stride = 1, .peer_count = 1, .shards = 1};
    x.data = (struct dts_span){dts_plan_buffer(mine, elements, 4), 0, elements};
    int backward = add_kernel(mine, DTS_BACKWARD, kernel_s);
    int push = dts_plan_exchange(mine, DTS_PUSH, "push", x);
    dts_plan_after(mine, backward);
    x.send = false;
    x.channel = 1;
    int pull = dts_plan_exchange(mine, DTS_PULL, "pull", x);
    dts_plan_after(mine, push);
    add_kernel(mine, DTS_UPDATE, 0);
    dts_plan_after(mine, pull);
    x = (struct dts_exchange){
        .first_peer = 0, .peer_stride = 1, .peer_count = RANKS, .shards = 1};
    x.data = (struct dts_span){dts_plan_buffer(theirs, elements, 4), 0, elements};
    int take = dts_plan_exchange(theirs, DTS_PUSH, "take", x);
    x.send = true;
    x.channel = 1;
    dts_plan_exchange(theirs, DTS_PULL, "give", x);
    dts_plan_after(theirs, take);
    return job;
}

/* The others have pushed when the slowest does: it has the server's port for itself, and then
 * all pull at once. */
static void a_server_answers_when_the_slowest_has_pushed(void)
{
    struct dts_job job = served();
    struct dts_timing timing = run(&job, factor);
    const double wire_s = 4.0 * (double)elements / bandwidth;
    const double pushes_s = (RANKS - 1) * wire_s; // of the others
    CHECK(pushes_s < 0.3 * kernel_s);
    CHECK_CLOSE(timing.step_s, 1.3 * kernel_s + wire_s + alpha + RANKS * wire_s + alpha, 1e-9);
    dts_timing_free(&timing);
    dts_job_free(&job);
}

static void ranks_of_unlike_speed_are_of_unlike_cohorts(void)
{
    struct dts_job job = served(), together = synchronous();
    struct setting s;
    struct dts_cohorts cohorts = {0};
    open_setting(&s, &job, factor);
    dts_cohorts_find(&s.simulation, &cohorts);
    CHECK_INT(cohorts.count, 3);
    for (int r = 0; r < RANKS; r++)
        CHECK((cohorts.of[r] == cohorts.of[SLOW]) == (r == SLOW));
    dts_cohorts_free(&cohorts);

    open_setting(&s, &together, factor); // but a sum joins them
    dts_cohorts_find(&s.simulation, &cohorts);
    CHECK_INT(cohorts.count, 1);
    dts_cohorts_free(&cohorts);
    dts_job_free(&job);
    dts_job_free(&together);
}

static void no_step_is_shorter_than_the_kernels_of_its_slowest_rank(void)
{
    struct dts_job job = synchronous();
    struct setting s;
    struct dts_bound bound;
    open_setting(&s, &job, factor);
    struct dts_loader *loader = dts_loader_new(&s.simulation);
    dts_bound_find(&s.simulation, loader, &bound);
    CHECK_CLOSE(bound.compute_s, fixed_s + 1.3 * 1.1 * kernel_s, 1e-12);
    CHECK_CLOSE(bound.plain_s, fixed_s + 1.1 * kernel_s, 1e-12);
    dts_loader_free(loader);
    dts_job_free(&job);
}

TESTS(TEST(a_synchronous_step_is_as_long_as_its_slowest_worker),
      TEST(several_slow_workers_cost_no_more_than_one),
      TEST(a_factor_of_all_is_kernels_that_much_longer),
      TEST(a_server_answers_when_the_slowest_has_pushed),
      TEST(ranks_of_unlike_speed_are_of_unlike_cohorts),
      TEST(no_step_is_shorter_than_the_kernels_of_its_slowest_rank))
