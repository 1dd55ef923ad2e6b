/* test_fluid.c -- the fluid engine against closed forms on a network where they hold. */
#include "base/mem.h"
#include "base/stats.h"
#include "check.h"
#include "plan/plan.h"
#include "sim/engine.h"
#include "sim/load/load.h"

#include "job.h"
#include "sim/crossbar.h"

static const double bandwidth = 1e9, alpha = 10e-6;
static const size_t elements = 1 << 20; // of 4 bytes

static struct dts_timing run(const struct dts_job *job, struct crossbar *crossbar,
                             struct dts_net net, struct dts_simulation change)
{
    int endpoints[512];
    for (int r = 0; r < job->ranks; r++)
        endpoints[r] = r;
    struct dts_simulation simulation = change;
    simulation.job = job;
    simulation.net = &net;
    simulation.endpoint = endpoints;
    simulation.steps = simulation.steps > 0 ? simulation.steps : 3;
    net.self = crossbar;
    struct dts_timing timing = {0};
    struct dts_error err = {0};
    CHECK(dts_engine_find("fluid")->run(&simulation, &timing, &err));
    CHECK_STRING(err.text, "");
    return timing;
}

static double step_of(struct dts_job *job, struct crossbar crossbar,
                      struct dts_simulation change)
{
    struct dts_timing timing = run(job, &crossbar, crossbar_net(&crossbar, job->ranks), change);
    double step_s = timing.step_s;
    dts_timing_free(&timing);
    dts_job_free(job);
    return step_s;
}

static const struct crossbar plain = {.bytes_per_s = 1e9, .latency_s = 10e-6, .per_node = 1};
static const struct dts_simulation nothing_else = {.slowdown = 0};

static void a_ring_takes_its_closed_form(void)
{
    for (int n = 2; n <= 256; n *= 2) {
        struct dts_job job = workers(n);
        add_allreduce(&job.roles[0].plan, DTS_DATA, "ring", n, elements);
        double chunk_s = 4.0 * (double)elements / n / bandwidth;
        CHECK_CLOSE(step_of(&job, plain, nothing_else), 2 * (n - 1) * (chunk_s + alpha), 1e-9);
    }
}

static void halving_doubling_takes_its_closed_form(void)
{
    for (int n = 2, rounds = 1; n <= 256; n *= 2, rounds++) {
        struct dts_job job = workers(n);
        add_allreduce(&job.roles[0].plan, DTS_DATA, "halving_doubling", n, elements);
        double all_s = 4.0 * (double)elements / bandwidth;
        CHECK_CLOSE(step_of(&job, plain, nothing_else),
                    2 * rounds * alpha + 2 * all_s * (n - 1) / n, 1e-9);
    }
}

static void sums_take_the_time_of_their_bytes(void)
{
    struct dts_job job = workers(8);
    add_allreduce(&job.roles[0].plan, DTS_DATA, "ring", 8, elements);
    double chunk = 4.0 * (double)elements / 8, rate = 2e9;
    CHECK_CLOSE(step_of(&job, plain, (struct dts_simulation){.reduce_bytes_per_s = rate}),
                14 * (chunk / bandwidth + alpha) + 7 * chunk / rate, 1e-9);
}

/* A message that does not block its sender pays latency only on its way: the sum over the ring
 * once a lap, where blocking messages pay it in every step. The crossbar's hops are alike, so
 * both give the same here; one slow pair shows the difference. */
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
    double chunk_s = 4.0 * (double)elements / n / bandwidth, step_s[2];
    for (int blocking = 0; blocking < 2; blocking++) {
        struct dts_job job = workers(n);
        add_allreduce(&job.roles[0].plan, DTS_DATA, "ring", n, elements);
        net.transports[0].blocking = net.transports[1].blocking = blocking;
        struct dts_timing timing = run(&job, &crossbar, net, nothing_else);
        step_s[blocking] = timing.step_s;
        dts_timing_free(&timing);
        dts_job_free(&job);
    }
    CHECK_CLOSE(step_s[1], 2 * (n - 1) * (chunk_s + 100 * alpha), 1e-9);
    CHECK_CLOSE(step_s[0], 2 * (n - 1) * chunk_s + 2 * (14 + 100) * alpha, 1e-9);
}

static void two_rings_share_their_ports_evenly(void)
{
    struct crossbar no_latency = plain;
    no_latency.latency_s = 0;
    struct dts_job job = workers(8);
    struct dts_plan *plan = &job.roles[0].plan;
    int both = 2; // the number of the kernel that ends a step
    int large = add_allreduce(plan, DTS_DATA, "ring", 8, elements);
    dts_plan_after_previous(plan, both);
    int small = add_allreduce(plan, DTS_PUSH, "ring", 8, elements / 2);
    dts_plan_after_previous(plan, both);
    CHECK_INT(add_kernel(plan, DTS_UPDATE, 0), both);
    dts_plan_after(plan, large);
    dts_plan_after(plan, small);
    // Both at half speed until the shorter is through, then the longer alone: 1.5 times it all.
    double all_s = 2 * 7.0 / 8 * 4.0 * (double)elements / bandwidth;
    CHECK_CLOSE(step_of(&job, no_latency, nothing_else), 1.5 * all_s, 1e-6);
}

static void communication_hides_behind_compute_that_is_longer(void)
{
    struct dts_job job = workers(8);
    struct dts_plan *plan = &job.roles[0].plan;
    int forward = add_kernel(plan, DTS_FORWARD, 0.1);
    int sum = add_allreduce(plan, DTS_DATA, "ring", 8, elements);
    dts_plan_after(plan, forward);
    add_kernel(plan, DTS_BACKWARD, 0.1);
    add_kernel(plan, DTS_UPDATE, 0.01);
    dts_plan_after(plan, sum);
    CHECK_CLOSE(step_of(&job, plain, nothing_else), 0.21, 1e-9);
}

static void kernels_beside_communication_are_slower(void)
{
    struct dts_job job = workers(8);
    struct dts_plan *plan = &job.roles[0].plan;
    int forward = add_kernel(plan, DTS_FORWARD, 0.1);
    int sum = add_allreduce(plan, DTS_DATA, "ring", 8, elements);
    dts_plan_after(plan, forward);
    add_kernel(plan, DTS_BACKWARD, 0.1);
    add_kernel(plan, DTS_UPDATE, 0.01);
    dts_plan_after(plan, sum);
    double sum_s = 14 * (4.0 * (double)elements / 8 / bandwidth + alpha);
    // While the sum runs, sum_s of time does sum_s / 1.5 of work.
    CHECK_CLOSE(step_of(&job, plain, (struct dts_simulation){.slowdown = 0.5}),
                0.21 + sum_s - sum_s / 1.5, 1e-9);
}

static void messages_beside_kernels_are_slower(void)
{
    const double beside_s = 0.004;
    struct dts_job job = workers(8);
    struct dts_plan *plan = &job.roles[0].plan;
    int forward = add_kernel(plan, DTS_FORWARD, 0.001);
    int sum = add_allreduce(plan, DTS_DATA, "ring", 8, elements);
    dts_plan_after(plan, forward);
    add_kernel(plan, DTS_BACKWARD, beside_s);
    add_kernel(plan, DTS_UPDATE, 0.01);
    dts_plan_after(plan, sum);
    double sum_s = 14 * (4.0 * (double)elements / 8 / bandwidth + alpha);
    // Beside the kernel a quarter of its time is of use.
    CHECK_CLOSE(step_of(&job, plain, (struct dts_simulation){.message_slowdown = 3}),
                0.011 + beside_s + sum_s - beside_s / 4, 1e-9);
}

/* As many parts as asked for, from so many workers to one server, one part behind the other. */
static struct dts_job incast(int count, int parts)
{
    struct dts_job job = workers(count + 1);
    job.role_count = 2;
    job.roles[0].count = count;
    job.roles[1] =
        (struct dts_role){.name = "server", .kind = DTS_SERVER, .first = count, .count = 1};
    int from = dts_plan_buffer(&job.roles[0].plan, elements, 4);
    int to = dts_plan_buffer(&job.roles[1].plan, elements, 4);
    for (int p = 0; p < parts; p++) {
        struct dts_exchange push = {.send = true,
                                    .first_peer = count,
                                    .peer_stride = 1,
                                    .peer_count = 1,
                                    .shards = 1,
                                    .channel = p};
        size_t part = elements / (size_t)parts;
        push.data = (struct dts_span){from, (size_t)p * part, part};
        dts_plan_exchange(&job.roles[0].plan, DTS_PUSH, "push", push);
        push.send = false;
        push.first_peer = 0;
        push.peer_count = count;
        push.data.buffer = to;
        dts_plan_exchange(&job.roles[1].plan, DTS_PUSH, "push", push);
    }
    return job;
}

static void incast_is_bound_by_the_servers_port(void)
{
    struct dts_job job = incast(32, 1);
    CHECK_CLOSE(step_of(&job, plain, nothing_else),
                32 * 4.0 * (double)elements / bandwidth + alpha, 1e-9);
}

/* Latency that does not block delays what is done with a part, not the next part. */
static void parts_follow_one_another_on_the_wire(void)
{
    enum { PARTS = 1024, STEPS = 3 };
    struct crossbar crossbar = plain;
    struct dts_net net = crossbar_net(&crossbar, 5);
    net.transports[0].blocking = net.transports[1].blocking = false;
    struct dts_job job = incast(4, PARTS);
    struct dts_timing timing =
        run(&job, &crossbar, net, (struct dts_simulation){.steps = STEPS});
    double wire_s = 4 * 4.0 * (double)elements / bandwidth;
    CHECK_CLOSE(timing.step_s, wire_s, 1e-9);
    CHECK_CLOSE(timing.ops[2 * PARTS - 1].end_s, wire_s + alpha, 1e-9);
    dts_timing_free(&timing);
    dts_job_free(&job);
}

/* The server asks for a part later than it was sent: where the transport blocks the sender
 * waits for it, elsewhere it is there already. */
static void a_message_waits_for_its_receiver_where_the_transport_blocks(void)
{
    const double late_s = 0.1, wire_s = 4.0 * (double)elements / bandwidth;
    for (int blocking = 0; blocking < 2; blocking++) {
        struct crossbar crossbar = plain;
        struct dts_job job = incast(1, 1);
        struct dts_net net = crossbar_net(&crossbar, 2);
        net.transports[0].blocking = net.transports[1].blocking = blocking;
        struct dts_plan *server = &job.roles[1].plan;
        add_kernel(server, DTS_AGGREGATE, late_s);
        server->ops[1].stream = DTS_PUSH; // before the exchange, on its stream
        const struct dts_op exchange = server->ops[0];
        server->ops[0] = server->ops[1];
        server->ops[1] = exchange;
        struct dts_timing timing =
            run(&job, &crossbar, net, (struct dts_simulation){.steps = 2});
        CHECK_CLOSE(timing.first_s, blocking ? late_s + wire_s : wire_s, 1e-9);
        double pushed_twice_s = timing.first_s + timing.ops[0].end_s;
        CHECK_CLOSE(pushed_twice_s, blocking ? 2 * (late_s + wire_s) : 2 * wire_s, 1e-9);
        CHECK_CLOSE(timing.first_s + timing.ops[2].end_s,
                    blocking ? 2 * (late_s + wire_s) : 2 * late_s, 1e-9);
        dts_timing_free(&timing);
        dts_job_free(&job);
    }
}

/* In a row of trees the first members are ahead. */
static void a_sum_starts_when_its_last_member_begins(void)
{
    struct crossbar crossbar = plain;
    struct dts_job job = workers(24);
    for (int i = 0; i < 3; i++)
        add_allreduce(&job.roles[0].plan, DTS_DATA, "tree", 24, elements);
    struct dts_timing timing = run(&job, &crossbar, crossbar_net(&crossbar, 24), nothing_else);
    for (int i = 1; i < 3; i++)
        CHECK_NEAR(timing.ops[i].start_s, timing.ops[i - 1].end_s, 1e-9);
    CHECK(timing.ops[0].end_s < timing.ops[1].end_s);
    dts_timing_free(&timing);
    dts_job_free(&job);
}

static void stragglers_cost_the_expected_maximum(void)
{
    struct dts_job job = workers(64);
    add_kernel(&job.roles[0].plan, DTS_FORWARD, 0.1);
    struct dts_simulation noisy = {.noise = {.device_sigma = 0.03, .step_sigma = 0.04}};
    CHECK_CLOSE(step_of(&job, plain, noisy), 0.1 * (1 + 0.05 * dts_expected_maximum(64)), 1e-9);
}

static void more_bandwidth_and_less_latency_help(void)
{
    double base_s = 0, faster_s = 0, nearer_s = 0;
    for (int i = 0; i < 3; i++) {
        struct crossbar crossbar = plain;
        crossbar.bytes_per_s *= i == 1 ? 2 : 1;
        crossbar.latency_s /= i == 2 ? 2 : 1;
        struct dts_job job = workers(16);
        add_allreduce(&job.roles[0].plan, DTS_DATA, "ring", 16, elements);
        *(i == 0   ? &base_s
          : i == 1 ? &faster_s
                   : &nearer_s) = step_of(&job, crossbar, nothing_else);
    }
    CHECK(faster_s < base_s && faster_s > base_s / 2);
    CHECK(nearer_s < base_s && nearer_s > base_s / 2);
}

TESTS(TEST(a_ring_takes_its_closed_form), TEST(halving_doubling_takes_its_closed_form),
      TEST(sums_take_the_time_of_their_bytes),
      TEST(latency_that_does_not_block_is_paid_once_a_lap),
      TEST(two_rings_share_their_ports_evenly),
      TEST(communication_hides_behind_compute_that_is_longer),
      TEST(kernels_beside_communication_are_slower), TEST(messages_beside_kernels_are_slower),
      TEST(incast_is_bound_by_the_servers_port), TEST(parts_follow_one_another_on_the_wire),
      TEST(a_message_waits_for_its_receiver_where_the_transport_blocks),
      TEST(a_sum_starts_when_its_last_member_begins),
      TEST(stragglers_cost_the_expected_maximum), TEST(more_bandwidth_and_less_latency_help))
