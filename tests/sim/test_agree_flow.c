/* test_agree_flow.c -- random jobs on flow and exact, and on flow and exact_spread where pairs
 * have several paths: the step, and start and end of every operation. DTSIM_FLOW_JOBS=N: how
 * many. */
#include "sim/agree.h"
#include "sim/agree_step.h"

#include "base/rng.h"

static uint64_t seed, drawn;

static int below(int n)
{
    return (int)(dts_uniform(seed, 77, drawn++) * n);
}

static const struct agree_machine machines[] = {
    {"star", AGREE_STAR("0"), 48, 1, 0, true},
    {"star, near and far", AGREE_STAR("1"), 48, 1, 5, false},
    {"star of 4-GPU nodes", AGREE_STAR("1"), 12, 4, 5, true},
    {"torus", AGREE_TORUS("1"), 96, 1, 5, true},
    {"torus, buffered", AGREE_TORUS("1"), 96, 1, 0, false},
    {"fat tree", AGREE_FAT_TREE("1"), 96, 1, 5, false},
    {"fat tree, rendezvous", AGREE_FAT_TREE("0"), 96, 1, 0, true},
    {"two level", AGREE_TWO_LEVEL("1"), 48, 1, 5, true},
    {"two level of 4-GPU nodes", AGREE_TWO_LEVEL("1"), 12, 4, 5, false},
    {"dragonfly", AGREE_DRAGONFLY("1"), 96, 1, 5, true},
    {"dragonfly, buffered", AGREE_DRAGONFLY("0"), 96, 1, 0, false},
};
enum { MACHINES = sizeof(machines) / sizeof(machines[0]) };

/* Of several paths a pair, used alike or not. */
static const struct agree_machine spreading[] = {
    {"two level, 3 spines",
     "{\"kind\": \"two_level\", \"ports_per_leaf\": 16, \"spines\": 3, "
     "\"uplink_bytes_per_s\": 1e9, \"hop_latency_us\": 0, \"routing\": \"spread\"}",
     48, 1, 5, true},
    {"dragonfly, 1 or 2 minimal paths and 4 others",
     "{\"kind\": \"dragonfly\", \"groups\": 6, \"rows\": 2, \"columns\": 4, "
     "\"nodes_per_router\": 2, \"nodes_per_group\": 16, \"green_lanes\": 1, "
     "\"green_lane_bytes_per_s\": 0.9e9, \"black_lanes\": 2, "
     "\"black_lane_bytes_per_s\": 0.5e9, \"blue_ports_per_router\": 2, "
     "\"blue_lane_bytes_per_s\": 0.7e9, \"router_latency_us\": 1, \"blue_latency_us\": 1, "
     "\"routing\": \"adaptive\", \"valiant_share\": 0.3, \"paths\": 4}",
     96, 1, 5, true},
};
enum { SPREADING = sizeof(spreading) / sizeof(spreading[0]) };

/* How far the engines are apart, in parts of the step. */
static double apart(const struct dts_job *job, const struct dts_timing *exact,
                    const struct dts_timing *flow)
{
    double most = fabs(flow->step_s - exact->step_s);
    most = fmax(most, fabs(flow->compute_s - exact->compute_s));
    for (int o = 0; o < exact->first_op[job->role_count]; o++) {
        CHECK(isnan(exact->ops[o].end_s) == isnan(flow->ops[o].end_s));
        if (isinf(exact->ops[o].end_s) || isnan(exact->ops[o].end_s))
            continue;
        most = fmax(most, fabs(exact->ops[o].start_s - flow->ops[o].start_s));
        most = fmax(most, fabs(exact->ops[o].end_s - flow->ops[o].end_s));
    }
    return most / exact->step_s;
}

static int cases, beyond;
static double errors[AGREE_ROWS];

static const double alike = 1e-6;

static void compare(const char *name, const struct dts_simulation *s)
{
    const bool spread = dts_net_spreads(s->net, s->endpoint, s->job->ranks);
    struct dts_timing exact = agree_run(spread ? "exact_spread" : "exact", s);
    struct dts_timing flow = agree_run("flow", s);
    const double off = apart(s->job, &exact, &flow);
    CHECK(isfinite(off));
    if (!CHECK(flow.messages == exact.messages))
        printf("%s: %.0f messages, exact %.0f\n", name, flow.messages, exact.messages);
    if (off > alike) {
        printf("%s: %.3g apart\n", name, off);
        beyond++;
    }
    errors[cases++] = off;
    dts_timing_free(&exact);
    dts_timing_free(&flow);
}

static struct dts_collective draw_collective(int size, int per_node)
{
    int algorithms = 0;
    while (dts_colls[algorithms] != NULL)
        algorithms++;
    struct dts_collective c = {.algorithm = dts_colls[below(algorithms)],
                               .shape = {.kind = (enum dts_coll_kind)(
                                             below(2) ? DTS_ALLREDUCE : below(DTS_COLL_KINDS)),
                                         .size = size,
                                         .per_node = per_node,
                                         .shards = per_node > 1 && below(2) ? per_node : 1,
                                         .pieces = 1 + below(5),
                                         .between = dts_coll_find(below(2) ? "ring" : "tree")},
                               .group = {.stride = 1, .size = size},
                               .channels = per_node > 1 ? 1 + below(per_node) : 1};
    const char *why;
    if (!dts_coll_fits(c.algorithm, &c.shape, &why)) {
        c.shape.kind = DTS_ALLREDUCE;
        c.algorithm = dts_coll_find("ring");
        c.shape.pieces = 1;
    }
    return c;
}

/* Kernels and collectives on one or two streams. */
static void add_collectives(struct dts_job *job, int per_node)
{
    static const enum dts_pass passes[] = {DTS_FORWARD, DTS_BACKWARD};
    struct dts_plan *plan = &job->roles[0].plan;
    int last[4];
    const int count = 1 + below(4), streams = 1 + below(2);
    for (int b = 0; b < count; b++) {
        const int kernel = agree_kernel(job, passes[below(2)], 1e-4 * (1 + below(200)));
        struct dts_collective c = draw_collective(job->roles[0].count, per_node);
        const size_t elements = (size_t)(1 + below(4000)) * (below(2) ? 1000 : 7);
        c.data = (struct dts_span){dts_plan_buffer(plan, elements, 4), 0, elements};
        last[b] = dts_plan_collective(plan, below(streams) ? DTS_GATHER : DTS_DATA,
                                      c.algorithm->name, c);
        if (below(4) > 0) // else it runs ahead
            dts_plan_after(plan, kernel);
    }
    agree_kernel(job, DTS_UPDATE, 1e-3);
    for (int b = 0; b < count; b++)
        dts_plan_after(plan, last[b]);
}

/* Collectives act every so many steps, from a step on or until one; some are waited for in the
 * next step alone, as by an update that is late. */
static void act_sometimes(struct dts_job *job)
{
    struct dts_plan *plan = &job->roles[0].plan;
    for (int o = 0; o < plan->op_count; o++) {
        struct dts_when *when = &plan->ops[o].when;
        if (plan->ops[o].kind == DTS_OP_CALL && plan->ops[o].call.pass == DTS_UPDATE &&
            below(2))
            for (int w = 0; w < plan->ops[o].wait_count; w++)
                plan->waits[plan->ops[o].first_wait + w].previous_step = below(2);
        if (plan->ops[o].kind != DTS_OP_COLLECTIVE)
            continue;
        *when = (struct dts_when){.every = 1 + below(4), .from = below(6)};
        when->at = when->every > 1 ? below(when->every) : 0;
        when->until = below(4) == 0 ? 6 + below(6) : 0;
    }
}

static void add_servers(struct dts_job *job)
{
    struct dts_plan *plan = &job->roles[0].plan, *theirs = &job->roles[1].plan;
    const int buckets = 1 + below(3);
    int pulls[4];
    for (int b = 0; b < buckets; b++) {
        const int kernel = agree_kernel(job, DTS_BACKWARD, 1e-4 * (1 + below(100)));
        const double bytes = 1e4 * (1 + below(400));
        int take;
        agree_exchange(job, DTS_PUSH, false, bytes, b, &take);
        dts_plan_after(plan, kernel);
        pulls[b] = agree_exchange(job, DTS_PULL, true, bytes, b, NULL);
        dts_plan_after(theirs, take);
    }
    agree_kernel(job, DTS_UPDATE, 1e-3);
    for (int b = 0; b < buckets; b++)
        dts_plan_after(plan, pulls[b]);
}

/* What a job is simulated with: drawn, too. */
static struct dts_simulation draw_simulation(const struct dts_job *job,
                                             const struct dts_platform *platform,
                                             const int *endpoints)
{
    return (struct dts_simulation){.job = job,
                                   .net = &platform->net,
                                   .endpoint = endpoints,
                                   .steps = 2 + below(3),
                                   .slowdown = below(2) ? 0.1 * below(5) : 0,
                                   .reduce_bytes_per_s = below(2) ? 5e9 : 0};
}

static void run_job(const struct agree_machine *machine, const struct dts_platform *platform,
                    struct dts_job *job, int number, double least_noise)
{
    const char *placement = below(2) ? "linear" : "random";
    int *endpoints = agree_endpoints(platform, job, placement);
    struct dts_simulation s = draw_simulation(job, platform, endpoints);
    s.steps += dts_job_serving(job) != NULL ? 4 : 0; // until their pace can be told
    if (dts_job_period(job) > 1 || dts_job_settled(job) > 0)
        s.steps += 4, s.first_step = below(12);
    if (below(3) == 0 || least_noise > 0)
        s.noise = (struct dts_noise){0.02 * below(3), fmax(0.05, least_noise), 9};
    char name[200];
    snprintf(name, sizeof(name), "job %d: %s, %s, %d %s", number, machine->name, placement,
             job->roles[0].count,
             job->role_count > 1 ? "workers of servers" : job->roles[0].plan.ops[1].label);
    compare(name, &s);
    free(endpoints);
}

/* A hybrid has servers beside its collectives. */
static void random_job(const struct agree_machine *machine, int number, bool hybrid)
{
    struct dts_platform platform;
    seed = (uint64_t)number + 1;
    drawn = 0;
    if (!agree_machine_read(machine, &platform))
        return;
    const bool servers = hybrid || below(3) == 0;
    const int size = machine->devices > 1 ? (2 + below(5)) * machine->devices : 4 + below(21);
    struct dts_job job = agree_workers(size, servers ? 1 + below(4) : 0);
    if (hybrid || !servers)
        add_collectives(&job, machine->devices);
    if (servers)
        add_servers(&job);
    else if (number % 3 == 0)
        act_sometimes(&job);
    run_job(machine, &platform, &job, number, 0);
    dts_job_free(&job);
    dts_platform_free(&platform);
}

/* Servers that answer each request at once. */
static void add_asynchronous(struct dts_job *job)
{
    struct dts_plan *plan = &job->roles[0].plan, *theirs = &job->roles[1].plan;
    const double bytes = 4e5 * (1 + below(20));
    const int kernel = agree_kernel(job, DTS_BACKWARD, 1e-3 * (1 + below(20)));
    agree_exchange(job, DTS_PUSH, false, bytes, 0, NULL);
    dts_plan_after(plan, kernel);
    dts_plan_call(theirs, DTS_COMPUTE, "sum",
                  (struct dts_call){.pass = DTS_AGGREGATE, .layer = -1, .seconds = 1e-5});
    const int pull = agree_exchange(job, DTS_PULL, true, bytes, 0, NULL);
    dts_plan_after(plan, pull - 1);
    agree_kernel(job, DTS_UPDATE, 0);
    dts_plan_after(plan, pull);
    job->roles[1].serve = (struct dts_serve){&dts_serve_asynchronous, 0};
}

/* So many workers that the ports of servers limit dozens of messages; some servers answer as
 * requests come. Noise keeps them apart: else all race. */
static void crowded_job(int number)
{
    const struct agree_machine *machine = &machines[number % MACHINES];
    struct dts_platform platform;
    seed = (uint64_t)number + 1;
    drawn = 0;
    if (!agree_machine_read(machine, &platform))
        return;
    const bool few = machine->nodes < 48; // of more devices each
    const int workers = few ? 40 : machine->nodes == 48 ? 44 : 40 + below(50);
    struct dts_job job = agree_workers(workers, 1 + below(few ? 2 : 4));
    if (below(2))
        add_servers(&job);
    else
        add_asynchronous(&job);
    run_job(machine, &platform, &job, number, 0.1);
    dts_job_free(&job);
    dts_platform_free(&platform);
}

/* Races are decided by rounding: exact itself moves as far when each message has 1e-12 of its
 * bytes more. So few of many may be further apart, and none of them by much. */
static void random_jobs_take_equally_long(void)
{
    const char *words = getenv("DTSIM_FLOW_JOBS");
    const int jobs = words != NULL ? atoi(words) : 500;
    for (int i = 0; i < jobs; i++)
        random_job(&machines[i % MACHINES], i, i % 10 == 9);
    CHECK(cases == jobs && beyond <= jobs / 50);
    if (cases > 0)
        CHECK(dts_median(errors, (size_t)cases) < 1e-9);
    cases = beyond = 0;
}

static void messages_on_all_their_paths_take_equally_long(void)
{
    for (int i = 0; i < 60; i++)
        random_job(&spreading[i % SPREADING], i, i % 10 == 9);
    CHECK(cases == 60 && beyond <= 6); // many alike, so many races
    if (cases > 0)
        CHECK(dts_median(errors, (size_t)cases) < 1e-7);
    cases = beyond = 0;
}

static void crowded_servers_take_equally_long(void)
{
    for (int i = 0; i < 55; i++)
        crowded_job(i);
    CHECK(cases == 55 && beyond <= 1);
    if (cases > 0)
        CHECK(dts_median(errors, (size_t)cases) < 1e-9);
    cases = beyond = 0;
}

TESTS(TEST(random_jobs_take_equally_long), TEST(messages_on_all_their_paths_take_equally_long),
      TEST(crowded_servers_take_equally_long))
