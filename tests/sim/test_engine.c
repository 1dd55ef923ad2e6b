/* test_engine.c -- the table of engines, and the choice of "auto". */
#include <stdlib.h>

#include "base/mem.h"
#include "check.h"
#include "plan/plan.h"
#include "sim/engine.h"

#include "sim/crossbar.h"

/* Workers that combine their data `count` times. */
static struct dts_job workers(int ranks, int count)
{
    struct dts_job job = {.role_count = 1, .ranks = ranks};
    job.roles = dts_alloc(1, sizeof(*job.roles));
    job.roles[0] = (struct dts_role){.name = "worker", .count = ranks};
    struct dts_plan *plan = &job.roles[0].plan;
    struct dts_collective c = {.algorithm = dts_coll_find("ring"),
                               .shape = {.kind = DTS_ALLREDUCE,
                                         .size = ranks,
                                         .per_node = 1,
                                         .shards = 1,
                                         .pieces = 1},
                               .group = {.stride = 1, .size = ranks},
                               .channels = 1};
    c.data = (struct dts_span){dts_plan_buffer(plan, 1 << 20, 4), 0, 1 << 20};
    for (int i = 0; i < count; i++)
        dts_plan_collective(plan, DTS_DATA, "all-reduce", c);
    return job;
}

static void auto_comes_first_and_every_name_is_found(void)
{
    CHECK_STRING(dts_engine_name(0), "auto");
    CHECK(dts_engine_find("auto") == NULL);
    CHECK(dts_engine_find("exat") == NULL);
    int count = 0;
    for (int i = 1; dts_engine_name(i) != NULL; i++, count++) {
        CHECK(dts_engine_find(dts_engine_name(i)) == dts_engines[i - 1]);
        CHECK(dts_engines[i - 1]->summary != NULL);
    }
    CHECK(count >= 2);
}

static void auto_takes_flow_for_what_is_small(void)
{
    struct dts_job small = workers(8, 1), large = workers(1024, 10);
    struct dts_simulation s = {.job = &small, .steps = 3};
    CHECK_STRING(dts_engine_auto(&s)->name, "flow");
    s.job = &large;
    CHECK_STRING(dts_engine_auto(&s)->name, "fluid");
    dts_job_free(&small);
    dts_job_free(&large);
}

static void exact_refuses_large_networks(void)
{
    if (dts_engine_find("exact")->messages_per_s == 0)
        SKIP("this build has no SimGrid");
    struct dts_job small = workers(8, 1);
    struct dts_net net = {.links = DTS_EXACT_MOST_LINKS + 1};
    struct dts_simulation s = {.job = &small, .steps = 3, .net = &net};
    struct dts_timing timing;
    struct dts_error err = {0};
    CHECK(!dts_engine_find("exact")->run(&s, &timing, &err));
    CHECK(strstr(err.text, "at most 4194304 links, has 4194305") != NULL);
    dts_job_free(&small);
}

static int two_paths(const void *self, int src, int dst)
{
    (void)self, (void)src, (void)dst;
    return 2;
}

/* Flow would put each message on one of them. */
static void auto_takes_fluid_where_messages_spread(void)
{
    static const int endpoints[] = {0, 1, 2, 3, 4, 5, 6, 7};
    struct crossbar crossbar = {.bytes_per_s = 1e9, .per_node = 1};
    struct dts_net net = crossbar_net(&crossbar, 8);
    struct dts_job job = workers(8, 1);
    struct dts_simulation s = {.job = &job, .net = &net, .endpoint = endpoints, .steps = 3};
    CHECK_STRING(dts_engine_auto(&s)->name, "flow");
    struct dts_net_ops ops = *net.ops;
    ops.paths = two_paths;
    net.ops = &ops;
    CHECK_STRING(dts_engine_auto(&s)->name, "fluid");
    dts_job_free(&job);
}

static void auto_takes_fluid_where_kernels_slow_messages(void)
{
    struct dts_job job = workers(2, 1);
    struct dts_simulation s = {.job = &job, .steps = 3, .message_slowdown = 1};
    CHECK_STRING(dts_engine_auto(&s)->name, "fluid");
    CHECK(dts_engine_find("fluid")->slows_messages);
    CHECK(!dts_engine_find("exact")->slows_messages);
    dts_job_free(&job);
}

static void a_build_without_simgrid_says_so(void)
{
    if (dts_engine_find("exact")->messages_per_s > 0)
        SKIP("this build has SimGrid");
    struct dts_simulation s = {.steps = 3};
    struct dts_timing timing;
    struct dts_error err = {0};
    CHECK(!dts_engine_find("exact")->run(&s, &timing, &err));
    CHECK_INT(err.cause, DTS_UNSUPPORTED);
    CHECK_STRING(err.text, "engine exact: this build has no SimGrid");
}

/* Both engines and the live program make the times of an operation of this. */
static void a_start_is_the_last_begin_and_an_end_the_last_end(void)
{
    struct dts_op_time time = dts_op_time_none();
    dts_op_time_add(&time, -2, 5);
    dts_op_time_add(&time, -1, 4);
    dts_op_time_add(&time, -3, 3);
    CHECK_NEAR(time.start_s, -1, 0);
    CHECK_NEAR(time.end_s, 5, 0);
}

static void a_timing_may_be_freed_twice(void)
{
    struct dts_timing timing = {.first_op = dts_alloc(2, sizeof(int)),
                                .ops = dts_alloc(1, sizeof(struct dts_op_time))};
    dts_timing_free(&timing);
    dts_timing_free(&timing);
    CHECK(timing.first_op == NULL && timing.ops == NULL);
}

TESTS(TEST(auto_comes_first_and_every_name_is_found), TEST(auto_takes_flow_for_what_is_small),
      TEST(exact_refuses_large_networks), TEST(auto_takes_fluid_where_messages_spread),
      TEST(auto_takes_fluid_where_kernels_slow_messages), TEST(a_build_without_simgrid_says_so),
      TEST(a_start_is_the_last_begin_and_an_end_the_last_end),
      TEST(a_timing_may_be_freed_twice))
