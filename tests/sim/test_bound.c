/* test_bound.c -- no answer is faster than its compute and its busiest link; a broken one is
 * reported as an error of ours. */
#include "base/mem.h"
#include "check.h"
#include "sim/load/bound.h"

#include "sim/crossbar.h"

enum { RANKS = 4 };

static const size_t elements = 1 << 20;

/* 10 ms of kernels, and an all-reduce that puts 6 MiB on each port. */
struct setting {
    struct crossbar crossbar;
    struct dts_net net;
    struct dts_job job;
    int endpoints[RANKS];
    struct dts_simulation simulation;
    struct dts_loader *loader;
    struct dts_bound bound;
};

static void set_up(struct setting *s)
{
    *s = (struct setting){.crossbar = {.bytes_per_s = 1e9, .per_node = 1}};
    s->net = crossbar_net(&s->crossbar, RANKS);
    s->job = (struct dts_job){.role_count = 1, .ranks = RANKS};
    s->job.roles = dts_alloc(1, sizeof(*s->job.roles));
    s->job.roles[0] = (struct dts_role){.name = "worker", .count = RANKS};
    struct dts_plan *plan = &s->job.roles[0].plan;
    dts_plan_call(plan, DTS_COMPUTE, "kernel",
                  (struct dts_call){.pass = DTS_BACKWARD, .layer = -1, .seconds = 0.01});
    struct dts_collective c = {.algorithm = dts_coll_find("ring"),
                               .shape = {.kind = DTS_ALLREDUCE,
                                         .size = RANKS,
                                         .per_node = 1,
                                         .shards = 1,
                                         .pieces = 1},
                               .group = {.stride = 1, .size = RANKS},
                               .channels = 1};
    c.data = (struct dts_span){dts_plan_buffer(plan, elements, 4), 0, elements};
    dts_plan_collective(plan, DTS_DATA, "all-reduce", c);
    for (int r = 0; r < RANKS; r++)
        s->endpoints[r] = r;
    s->simulation = (struct dts_simulation){
        .job = &s->job, .net = &s->net, .endpoint = s->endpoints, .steps = 2};
    s->loader = dts_loader_new(&s->simulation);
    dts_bound_find(&s->simulation, s->loader, &s->bound);
}

static void tear_down(struct setting *s)
{
    dts_loader_free(s->loader);
    dts_job_free(&s->job);
}

static void bounds_are_the_kernels_and_the_busiest_link(void)
{
    struct setting s;
    set_up(&s);
    CHECK_NEAR(s.bound.compute_s, 0.01, 1e-15);
    CHECK_CLOSE(s.bound.link_bytes, 4.0 * (double)elements * 6 / 4, 1e-9);
    CHECK_CLOSE(s.bound.link_s, s.bound.link_bytes / 1e9, 1e-9);
    CHECK_STRING(s.bound.link, "port 0 out");
    CHECK_INT(s.bound.links_alike, 2 * RANKS);
    tear_down(&s);
}

static void a_timing_at_its_bounds_passes(void)
{
    struct setting s;
    set_up(&s);
    struct dts_error err = {0};
    struct dts_timing timing = {.step_s = 0.01};
    CHECK(dts_bound_check(&s.bound, &timing, "fluid", &err));
    CHECK_STRING(err.text, "");
    tear_down(&s);
}

static void a_step_shorter_than_its_kernels_is_an_error_of_ours(void)
{
    struct setting s;
    set_up(&s);
    struct dts_error err = {0};
    struct dts_timing timing = {.step_s = 0.0099};
    CHECK(!dts_bound_check(&s.bound, &timing, "fluid", &err));
    CHECK_INT(err.cause, DTS_SYSTEM);
    CHECK_STRING(err.text, "fluid: error of dtsim, please report: a step of 0.0099 s is "
                           "shorter than its kernels, 0.01 s");
    tear_down(&s);
}

static void a_step_shorter_than_its_busiest_link_is_an_error_of_ours(void)
{
    struct setting s;
    set_up(&s);
    s.bound.compute_s = 0.001;
    struct dts_error err = {0};
    struct dts_timing timing = {.step_s = 0.005, .mean_s = 0.006};
    CHECK(!dts_bound_check(&s.bound, &timing, "exact", &err));
    CHECK_INT(err.cause, DTS_SYSTEM);
    CHECK_STRING(err.text, "exact: error of dtsim, please report: a step of 0.006 s is shorter "
                           "than link port 0 out needs, 0.006291456 s");
    tear_down(&s);
}

/* Early members of a collective are at the next one: a step of two can be shorter, two cannot.
 */
static void a_short_step_after_a_long_one_passes(void)
{
    struct setting s;
    set_up(&s);
    s.bound.compute_s = 0.001;
    struct dts_error err = {0};
    struct dts_timing timing = {.step_s = 0.006, .mean_s = 0.0064};
    CHECK(dts_bound_check(&s.bound, &timing, "exact", &err));
    CHECK_STRING(err.text, "");
    tear_down(&s);
}

TESTS(TEST(bounds_are_the_kernels_and_the_busiest_link), TEST(a_timing_at_its_bounds_passes),
      TEST(a_step_shorter_than_its_kernels_is_an_error_of_ours),
      TEST(a_step_shorter_than_its_busiest_link_is_an_error_of_ours),
      TEST(a_short_step_after_a_long_one_passes))
