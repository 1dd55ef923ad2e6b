/* test_exact.c -- the engine that simulates every message, against closed forms, and on
 * networks made to show one thing each. */
#include <sys/mman.h>
#include <sys/resource.h>

#include "base/mem.h"
#include "base/rng.h"
#include "check.h"
#include "plan/plan.h"
#include "sim/engine.h"

#include "job.h"
#include "sim/crossbar.h"

enum { MOST = 64 };

static const double bandwidth = 1e9, alpha = 10e-6;
static const size_t elements = 1 << 20; // of 4 bytes
static const struct crossbar plain = {.bytes_per_s = 1e9, .latency_s = 10e-6, .per_node = 1};
static const struct dts_simulation nothing_else = {.slowdown = 0};

static double all_s(void)
{
    return 4.0 * (double)elements / bandwidth;
}

/* All of `elements` to or from peers first .. first + count - 1. */
static int add_exchange(struct dts_plan *plan, bool send, int first, int count)
{
    struct dts_exchange x = {
        .send = send, .first_peer = first, .peer_stride = 1, .peer_count = count, .shards = 1};
    x.data = (struct dts_span){dts_plan_buffer(plan, elements, 4), 0, elements};
    return dts_plan_exchange(plan, DTS_PUSH, send ? "push" : "take", x);
}

/* Workers that each send once to one server, which takes them all. */
static struct dts_job incast(int count)
{
    struct dts_job job = workers(count + 1);
    job.role_count = 2;
    job.roles[0].count = count;
    job.roles[1] =
        (struct dts_role){.name = "server", .kind = DTS_SERVER, .first = count, .count = 1};
    add_exchange(&job.roles[0].plan, true, count, 1);
    add_exchange(&job.roles[1].plan, false, 0, count);
    return job;
}

static bool simulate(const struct dts_job *job, const struct dts_net *net,
                     struct dts_simulation s, struct dts_timing *timing, struct dts_error *err)
{
    int endpoints[MOST];
    for (int r = 0; r < job->ranks; r++)
        endpoints[r] = r;
    s.job = job;
    s.net = net;
    s.endpoint = s.endpoint != NULL ? s.endpoint : endpoints;
    s.steps = s.steps > 0 ? s.steps : 3;
    return dts_engine_find("exact")->run(&s, timing, err);
}

static struct dts_timing run(const struct dts_job *job, const struct dts_net *net,
                             struct dts_simulation s)
{
    struct dts_timing timing = {0};
    struct dts_error err = {0};
    CHECK(simulate(job, net, s, &timing, &err));
    CHECK_STRING(err.text, "");
    return timing;
}

static double step_on(struct dts_job *job, const struct dts_net *net, struct dts_simulation s)
{
    struct dts_timing timing = run(job, net, s);
    double step_s = timing.step_s;
    dts_timing_free(&timing);
    dts_job_free(job);
    return step_s;
}

static double step_of(struct dts_job *job, struct crossbar crossbar, struct dts_simulation s)
{
    struct dts_net net = crossbar_net(&crossbar, job->ranks);
    return step_on(job, &net, s);
}

static void a_ring_takes_its_closed_form(void)
{
    for (int n = 2; n <= MOST; n *= 2) {
        struct dts_job job = workers(n);
        add_allreduce(&job.roles[0].plan, DTS_DATA, "ring", n, elements);
        CHECK_CLOSE(step_of(&job, plain, nothing_else), 2 * (n - 1) * (all_s() / n + alpha),
                    1e-6);
    }
}

static void halving_doubling_takes_its_closed_form(void)
{
    for (int n = 2, rounds = 1; n <= MOST; n *= 2, rounds++) {
        struct dts_job job = workers(n);
        add_allreduce(&job.roles[0].plan, DTS_DATA, "halving_doubling", n, elements);
        CHECK_CLOSE(step_of(&job, plain, nothing_else),
                    2 * rounds * alpha + 2 * all_s() * (n - 1) / n, 1e-6);
    }
}

/* A few bytes take the time of a few bytes, not of a whole number of them. */
static void small_messages_are_not_rounded(void)
{
    struct crossbar slow = {.bytes_per_s = 1e3, .per_node = 1};
    struct dts_net net = crossbar_net(&slow, 2);
    net.transports[DTS_BETWEEN].efficiency = 0.9;
    struct dts_job job = workers(2);
    add_allreduce(&job.roles[0].plan, DTS_DATA, "ring", 2, 2);
    CHECK_CLOSE(step_on(&job, &net, nothing_else), 2 * 4 / 0.9 / 1e3, 1e-3 / 4);
}

static void sums_take_the_time_of_their_bytes(void)
{
    struct dts_job job = workers(8);
    add_allreduce(&job.roles[0].plan, DTS_DATA, "ring", 8, elements);
    double chunk = 4.0 * (double)elements / 8, rate = 2e9;
    CHECK_CLOSE(step_of(&job, plain, (struct dts_simulation){.reduce_bytes_per_s = rate}),
                14 * (chunk / bandwidth + alpha) + 7 * chunk / rate, 1e-6);
}

static void a_transports_own_rate_of_sums_goes_first(void)
{
    struct crossbar crossbar = plain;
    struct dts_net net = crossbar_net(&crossbar, 8);
    net.transports[DTS_BETWEEN].reduce_bytes_per_s = 4e9;
    struct dts_job job = workers(8);
    add_allreduce(&job.roles[0].plan, DTS_DATA, "ring", 8, elements);
    CHECK_CLOSE(step_on(&job, &net, (struct dts_simulation){.reduce_bytes_per_s = 1}),
                14 * (all_s() / 8 + alpha) + 7 * all_s() / 8 / 4, 1e-6);
}

static void incast_is_bound_by_the_servers_port(void)
{
    struct dts_job job = incast(32);
    CHECK_CLOSE(step_of(&job, plain, nothing_else), 32 * all_s() + alpha, 1e-6);
}

static void two_rings_share_their_ports_evenly(void)
{
    struct crossbar no_latency = plain;
    no_latency.latency_s = 0;
    struct dts_job job = workers(8);
    struct dts_plan *plan = &job.roles[0].plan;
    int update = add_kernel(plan, DTS_UPDATE, 0);
    int longer = add_allreduce(plan, DTS_DATA, "ring", 8, elements);
    dts_plan_after(plan, update);
    int shorter = add_allreduce(plan, DTS_PUSH, "ring", 8, elements / 2);
    dts_plan_after(plan, update);
    add_kernel(plan, DTS_UPDATE, 0);
    dts_plan_after(plan, longer);
    dts_plan_after(plan, shorter);
    // Both at half speed until the shorter is through, then the longer alone.
    CHECK_CLOSE(step_of(&job, no_latency, nothing_else), 1.5 * 2 * 7.0 / 8 * all_s(), 1e-6);
}

/* The crossbar with one link more on every route, which flows do not share. */
static bool all_but_last_shared(const void *self, int link)
{
    (void)self;
    return link != 2 * MOST;
}

static double tenth_on_last(const void *self, int link)
{
    double capacity = crossbar_capacity(self, link);
    return link == 2 * MOST ? capacity / 10 : capacity;
}

static int route_and_last(const void *self, int src, int dst, int path, int *links)
{
    links[2] = 2 * MOST;
    return crossbar_route(self, src, dst, path, links) + 1;
}

static void a_cap_limits_each_flow_alone(void)
{
    struct crossbar crossbar = plain;
    struct dts_net net = crossbar_net(&crossbar, MOST);
    struct dts_net_ops ops = *net.ops;
    ops.shared = all_but_last_shared;
    ops.capacity = tenth_on_last;
    ops.route = route_and_last;
    net.ops = &ops;
    net.links++;
    struct dts_job few = incast(5), many = incast(20);
    CHECK_CLOSE(step_on(&few, &net, nothing_else), 10 * all_s() + alpha, 1e-6);
    CHECK_CLOSE(step_on(&many, &net, nothing_else), 20 * all_s() + alpha, 1e-6);
}

static struct dts_job forward_beside_allreduce(int n)
{
    struct dts_job job = workers(n);
    struct dts_plan *plan = &job.roles[0].plan;
    int forward = add_kernel(plan, DTS_FORWARD, 0.1);
    int sum = add_allreduce(plan, DTS_DATA, "ring", n, elements);
    dts_plan_after(plan, forward);
    add_kernel(plan, DTS_BACKWARD, 0.1);
    add_kernel(plan, DTS_UPDATE, 0.01);
    dts_plan_after(plan, sum);
    return job;
}

static void communication_hides_behind_compute_that_is_longer(void)
{
    struct crossbar crossbar = plain;
    struct dts_net net = crossbar_net(&crossbar, 8);
    struct dts_job job = forward_beside_allreduce(8);
    struct dts_timing timing = run(&job, &net, nothing_else);
    double sum_s = 14 * (all_s() / 8 + alpha);
    CHECK_CLOSE(timing.step_s, 0.21, 1e-9);
    CHECK_CLOSE(timing.compute_s, 0.21, 1e-9);
    CHECK_CLOSE(timing.first_s, 0.42, 1e-9);
    CHECK_NEAR(timing.ops[1].start_s, 0.1, 1e-9);
    CHECK_NEAR(timing.ops[1].end_s, 0.1 + sum_s, 1e-9);
    CHECK_NEAR(timing.ops[3].end_s, 0.21, 1e-9);
    CHECK_NEAR(timing.messages, 3 * 8 * 14, 0);
    dts_timing_free(&timing);
    dts_job_free(&job);
}

/* Ranks are not equally fast: who is ready waits for the others. */
static void a_sum_starts_when_its_last_rank_begins(void)
{
    struct crossbar crossbar = plain;
    struct dts_net net = crossbar_net(&crossbar, 8);
    struct dts_job job = forward_beside_allreduce(8);
    struct dts_noise noise = {.device_sigma = 0.1, .seed = 7};
    struct dts_timing timing = run(&job, &net, (struct dts_simulation){.noise = noise});
    double slowest = 0;
    for (uint64_t r = 0; r < 8; r++)
        slowest = fmax(slowest, 1 + 0.1 * dts_normal(7, 1, r));
    CHECK_NEAR(timing.ops[0].start_s, 0, 1e-9);
    CHECK_NEAR(timing.ops[0].end_s, 0.1 * slowest, 1e-9);
    CHECK_NEAR(timing.ops[1].start_s, 0.1 * slowest, 1e-9);
    dts_timing_free(&timing);
    dts_job_free(&job);
}

static void kernels_beside_communication_are_slower(void)
{
    struct dts_job job = forward_beside_allreduce(8);
    double sum_s = 14 * (all_s() / 8 + alpha);
    // While the sum runs, sum_s of time does sum_s / 1.5 of work.
    CHECK_CLOSE(step_of(&job, plain, (struct dts_simulation){.slowdown = 0.5}),
                0.21 + sum_s - sum_s / 1.5, 1e-6);
}

static void noise_is_sampled_for_each_device_and_step(void)
{
    const int n = 16, steps = 4;
    struct dts_job job = workers(n);
    add_kernel(&job.roles[0].plan, DTS_FORWARD, 0.1);
    add_kernel(&job.roles[0].plan, DTS_OVERHEAD, 0.02);
    struct dts_noise noise = {.device_sigma = 0.1, .step_sigma = 0.05, .seed = 7};
    double first_s = 0, last_s = 0;
    for (int r = 0; r < n; r++) {
        double end_s = 0;
        for (int step = 0; step < steps; step++) {
            end_s += 0.02 + 0.1 * (1 + 0.1 * dts_normal(7, 1, (uint64_t)r)) *
                                (1 + 0.05 * dts_normal(7, 2 + (uint64_t)step, (uint64_t)r));
            if (step == 0)
                first_s = fmax(first_s, end_s);
        }
        last_s = fmax(last_s, end_s);
    }
    CHECK_CLOSE(step_of(&job, plain, (struct dts_simulation){.noise = noise, .steps = steps}),
                (last_s - first_s) / (steps - 1), 1e-9);
}

/* One slow pair; where latency does not block, messages of several steps are on their way. */
static double slow_pair_latency(const void *self, int src, int dst, int path)
{
    (void)path;
    double latency = ((const struct crossbar *)self)->latency_s;
    return src == 0 && dst == 1 ? 100 * latency : latency;
}

static void latency_that_does_not_block_is_paid_once_a_lap(void)
{
    const int n = 16;
    struct crossbar crossbar = plain;
    struct dts_net net = crossbar_net(&crossbar, n);
    struct dts_net_ops ops = *net.ops;
    ops.latency = slow_pair_latency;
    net.ops = &ops;
    double chunk_s = all_s() / n, step_s[2];
    for (int blocking = 0; blocking < 2; blocking++) {
        struct dts_job job = workers(n);
        add_allreduce(&job.roles[0].plan, DTS_DATA, "ring", n, elements);
        net.transports[0].blocking = net.transports[1].blocking = blocking;
        // 8 steps of 30 messages are 15 laps
        step_s[blocking] = step_on(&job, &net, (struct dts_simulation){.steps = 9});
    }
    CHECK_CLOSE(step_s[1], 30 * (chunk_s + 100 * alpha), 1e-6);
    CHECK_CLOSE(step_s[0], 30 * (chunk_s + (15 + 100) * alpha / 16), 1e-6);
}

/* A crossbar of two planes: path p has its own ports, and latency p. */
static int two_paths(const void *self, int src, int dst)
{
    (void)self, (void)src, (void)dst;
    return 2;
}

static double unequal_shares(const void *self, int src, int dst, int path)
{
    (void)self, (void)src, (void)dst;
    return path == 0 ? 0.25 : 0.75;
}

static int *asked; // routes, in memory that children share

static int route_of_plane(const void *self, int src, int dst, int path, int *links)
{
    asked[path]++;
    int hops = crossbar_route(self, src, dst, path, links);
    links[0] += 2 * MOST * path;
    links[1] += 2 * MOST * path;
    return hops;
}

static double capacity_of_plane(const void *self, int link)
{
    double capacity = crossbar_capacity(self, link);
    return link >= 2 * MOST ? capacity / 8 : capacity;
}

static double latency_of_plane(const void *self, int src, int dst, int path)
{
    (void)self, (void)src, (void)dst;
    return path == 1 ? 0.5 : 0.25;
}

static void each_message_takes_one_path_with_its_latency(void)
{
    enum { MESSAGES = 64 };
    struct crossbar crossbar = plain;
    struct dts_net net = crossbar_net(&crossbar, MOST);
    struct dts_net_ops ops = *net.ops;
    ops.paths = two_paths;
    ops.share = unequal_shares;
    ops.route = route_of_plane;
    ops.capacity = capacity_of_plane;
    ops.latency = latency_of_plane;
    net.ops = &ops;
    net.links *= 2;
    asked = mmap(NULL, 2 * sizeof(*asked), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
                 -1, 0);
    struct dts_job job = incast(1);
    struct dts_simulation s = {.steps = MESSAGES};
    struct dts_timing timing = run(&job, &net, s);
    CHECK(asked[0] == 1 && asked[1] == 1); // of a pair, once, however many messages
    double sum_s = 0; // all but the first message, which one does not see in step_s
    int drawn[2] = {0};
    for (unsigned m = 0; m < MESSAGES; m++) {
        int path = dts_net_pick(&net, 0, 1, m);
        drawn[path]++;
        sum_s += m == 0 ? 0 : path == 0 ? 0.25 + all_s() : 0.5 + 8 * all_s();
    }
    CHECK(drawn[0] > MESSAGES / 8 && drawn[0] < MESSAGES / 2);
    CHECK_CLOSE(timing.step_s * (MESSAGES - 1), sum_s, 1e-6);
    munmap(asked, 2 * sizeof(*asked));
    dts_timing_free(&timing);
    dts_job_free(&job);
}

static void one_message_more_takes_more_time(void)
{
    struct dts_job job = incast(4), more = incast(4);
    add_exchange(&more.roles[0].plan, true, 4, 1);
    add_exchange(&more.roles[1].plan, false, 0, 4);
    double step_s = step_of(&job, plain, nothing_else);
    CHECK_CLOSE(step_of(&more, plain, nothing_else), 2 * step_s, 1e-6);
}

/* Parameter servers cut gradients into up to 8,192 parts. */
static void a_channel_for_each_of_many_parts(void)
{
    struct dts_job job = incast(2);
    for (int r = 0; r < 2; r++)
        job.roles[r].plan.ops[0].exchange.channel = 8191;
    CHECK_CLOSE(step_of(&job, plain, nothing_else), 2 * all_s() + alpha, 1e-6);
}

static void ranks_on_one_endpoint_only_pay_latency(void)
{
    static const int together[] = {3, 3};
    struct dts_job job = incast(1);
    struct crossbar crossbar = plain;
    struct dts_net net = crossbar_net(&crossbar, 4);
    CHECK_CLOSE(step_on(&job, &net, (struct dts_simulation){.endpoint = together}), alpha,
                1e-6);
}

/* SimGrid needs 1.7 GB for all the ports. */
static void only_the_links_between_ranks_are_made(void)
{
    static const int apart[] = {3, 999999};
    struct dts_job job = incast(1);
    struct crossbar crossbar = plain;
    struct dts_net net = crossbar_net(&crossbar, 1000000);
    CHECK_CLOSE(step_on(&job, &net, (struct dts_simulation){.endpoint = apart}),
                all_s() + alpha, 1e-6);
    struct rusage children;
    getrusage(RUSAGE_CHILDREN, &children);
    CHECK(children.ru_maxrss < 500000); // KB
}

static void a_plan_that_cannot_go_on_is_reported(void)
{
    struct dts_job job = incast(3);
    struct crossbar crossbar = plain;
    struct dts_net net = crossbar_net(&crossbar, 4);
    add_exchange(&job.roles[1].plan, false, 2, 1);
    struct dts_timing timing;
    struct dts_error err = {0};
    CHECK(!simulate(&job, &net, nothing_else, &timing, &err));
    CHECK_INT(err.cause, DTS_SYSTEM);
    CHECK_STRING(err.text, "exact: the plan cannot go on: server 0 (rank 3) waits in \"take\" "
                           "on stream push in step 2");
    dts_job_free(&job);
}

/* Bound: with all members busy, each has to send and receive what its kind demands. */
static void every_algorithm_comes_to_its_end_no_faster_than_a_port(void)
{
    for (int a = 0; dts_colls[a] != NULL; a++)
        for (int n = 2; n <= 12; n++) {
            struct dts_coll_shape shape = {
                .kind = DTS_ALLREDUCE, .size = n, .per_node = 1, .shards = 1, .pieces = 2};
            shape.between = dts_coll_find("ring");
            const char *why;
            if (!dts_coll_fits(dts_colls[a], &shape, &why))
                continue;
            struct dts_job job = workers(n);
            int op = add_allreduce(&job.roles[0].plan, DTS_DATA, "ring", n, elements);
            job.roles[0].plan.ops[op].collective.algorithm = dts_colls[a];
            job.roles[0].plan.ops[op].collective.shape = shape;
            struct dts_simulation paced = {.steps = 2};
            double step_s = step_of(&job, plain, paced);
            CHECK(step_s >= all_s() && step_s < 100 * (all_s() + alpha));
        }
}

TESTS(TEST(a_ring_takes_its_closed_form), TEST(halving_doubling_takes_its_closed_form),
      TEST(small_messages_are_not_rounded), TEST(sums_take_the_time_of_their_bytes),
      TEST(a_transports_own_rate_of_sums_goes_first), TEST(incast_is_bound_by_the_servers_port),
      TEST(two_rings_share_their_ports_evenly), TEST(a_cap_limits_each_flow_alone),
      TEST(communication_hides_behind_compute_that_is_longer),
      TEST(a_sum_starts_when_its_last_rank_begins),
      TEST(kernels_beside_communication_are_slower),
      TEST(noise_is_sampled_for_each_device_and_step),
      TEST(latency_that_does_not_block_is_paid_once_a_lap),
      TEST(each_message_takes_one_path_with_its_latency),
      TEST(one_message_more_takes_more_time), TEST(a_channel_for_each_of_many_parts),
      TEST(ranks_on_one_endpoint_only_pay_latency), TEST(only_the_links_between_ranks_are_made),
      TEST(a_plan_that_cannot_go_on_is_reported),
      TEST(every_algorithm_comes_to_its_end_no_faster_than_a_port))
