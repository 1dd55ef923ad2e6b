/* test_fluid_beside.c -- the fluid engine where collectives run beside each other that wait for
 * latency most of the time, or hardly ever.
 */
#include "check.h"
#include "plan/plan.h"
#include "sim/engine.h"

#include "job.h"
#include "sim/crossbar.h"

enum { RANKS = 8, LARGE = 1 << 20 }; // LARGE: elements of 4 bytes

static struct crossbar ports = {.bytes_per_s = 1e9, .latency_s = 10e-6, .per_node = 1};
static const double wire_s = 2 * 7.0 / 8 * 4.0 * LARGE / 1e9;

/* Until a large ring is through, small ones follow one another on another stream. Returns the
 * seconds from the large one's begin to its end. */
static double large_beside(int small_elements)
{
    enum { MANY = 400 };
    struct dts_job job = workers(RANKS);
    struct dts_plan *plan = &job.roles[0].plan;
    int large = add_allreduce(plan, DTS_DATA, "ring", RANKS, LARGE);
    for (int i = 0; i < MANY; i++)
        add_allreduce(plan, DTS_PUSH, "ring", RANKS, (size_t)small_elements);
    struct dts_net net = crossbar_net(&ports, RANKS);
    int endpoints[RANKS];
    for (int r = 0; r < RANKS; r++)
        endpoints[r] = r;
    struct dts_simulation simulation = {
        .job = &job, .net = &net, .endpoint = endpoints, .steps = 2};
    struct dts_timing timing = {0};
    struct dts_error err = {0};
    CHECK(dts_engine_find("fluid")->run(&simulation, &timing, &err));
    double seconds = timing.ops[large].end_s - timing.ops[large].start_s;
    dts_timing_free(&timing);
    dts_job_free(&job);
    return seconds;
}

static double alone_s(void)
{
    return wire_s + 2 * (RANKS - 1) * ports.latency_s;
}

/* Eight elements: 4 bytes in a step of 10 us. */
static void what_waits_for_latency_leaves_the_links_to_others(void)
{
    CHECK_CLOSE(large_beside(RANKS), alone_s(), 1e-3);
}

/* Small ones whose wire takes as long as their latency are there half of the time, and take
 * half of the link then: the large one has three quarters of it. They are there for longer
 * while it slows them down. */
static void what_is_there_for_half_of_the_time_takes_less_than_half(void)
{
    const int half = (int)(RANKS * ports.latency_s * ports.bytes_per_s / 4);
    const double slower_s = large_beside(half) - alone_s();
    CHECK(slower_s > wire_s * (4.0 / 3 - 1) && slower_s < wire_s * 0.9);
}

static void the_more_there_is_to_send_the_more_it_takes(void)
{
    double before_s = alone_s();
    for (int small = 100; small <= LARGE / 16; small *= 8) {
        double now_s = large_beside(small);
        CHECK(now_s > before_s);
        before_s = now_s;
    }
    CHECK(before_s < 2 * wire_s + 2 * (RANKS - 1) * ports.latency_s);
}

TESTS(TEST(what_waits_for_latency_leaves_the_links_to_others),
      TEST(what_is_there_for_half_of_the_time_takes_less_than_half),
      TEST(the_more_there_is_to_send_the_more_it_takes))
