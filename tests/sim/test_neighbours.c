/* test_neighbours.c -- several jobs on one network, against closed forms, and flow against
 * exact. */
#include "base/rng.h"
#include "sim/agree.h"

static const double alpha_s = 10e-6, rate = 1e9; // of every message, of every link (agree.h)

/* Two leaves of four nodes; all that goes from one to the other takes one link. */
static const struct agree_machine one_link = {
    "one link",
    "{\"kind\": \"two_level\", \"ports_per_leaf\": 4, \"spines\": 1, \"uplink_bytes_per_s\": "
    "1e9, \"hop_latency_us\": 0, \"routing\": \"ecmp\"}",
    8,
    1,
    0,
    true};

/* Two ranks send each other so many bytes, in each step. */
static struct dts_job sender(double bytes)
{
    struct dts_job job = agree_workers(2, 0);
    agree_collective(&job, DTS_DATA, dts_coll_find("ring"), DTS_SHIFT, 1, bytes);
    return job;
}

struct scene {
    struct dts_platform platform;
    struct dts_job job;
    int endpoint[2], steps;
    struct dts_neighbour neighbours[3];
    int count;
};

static const int pairs[4][2] = {{0, 4}, {1, 5}, {2, 6}, {3, 7}};

/* The job that is asked and `count` like it, each through the link. */
static bool open_scene(struct scene *scene, int count, double bytes)
{
    *scene = (struct scene){.job = sender(bytes), .steps = 5, .count = count};
    memcpy(scene->endpoint, pairs[0], sizeof(pairs[0]));
    for (int n = 0; n < count; n++)
        scene->neighbours[n] =
            (struct dts_neighbour){.job = &scene->job, .endpoint = pairs[n + 1]};
    return agree_machine_read(&one_link, &scene->platform);
}

static void close_scene(struct scene *scene)
{
    dts_job_free(&scene->job);
    dts_platform_free(&scene->platform);
}

static struct dts_timing run(const char *engine, const struct scene *scene, int neighbours)
{
    const struct dts_simulation s = {.job = &scene->job,
                                     .net = &scene->platform.net,
                                     .endpoint = scene->endpoint,
                                     .steps = scene->steps,
                                     .neighbours = scene->neighbours,
                                     .neighbour_count = neighbours};
    return agree_run(engine, &s);
}

/* The second one where this build has it. */
static const char *const engines[] = {"flow", "exact"};

static int engine_count(void)
{
    return dts_engine_find("exact")->messages_per_s > 0 ? 2 : 1;
}

/* Each of n jobs gets an n-th of the link; all of them are as far as the one that is asked. */
static void jobs_share_a_link(void)
{
    const double bytes = 4e7;
    for (int e = 0; e < engine_count(); e++)
        for (int n = 0; n <= 3; n++) {
            struct scene scene;
            if (!open_scene(&scene, n, bytes))
                return;
            struct dts_timing timing = run(engines[e], &scene, n);
            const double step_s = alpha_s + (n + 1) * bytes / rate;
            CHECK_CLOSE(timing.step_s, step_s, 1e-9);
            for (int i = 0; i < n; i++) {
                CHECK(timing.neighbours[i].steps >= scene.steps - 1);
                CHECK_CLOSE(timing.neighbours[i].step_s, step_s, 1e-9);
            }
            CHECK((timing.neighbours != NULL) == (n > 0));
            dts_timing_free(&timing);
            close_scene(&scene);
        }
}

/* The same to the last bit as without it: all times. */
static void check_unchanged(const struct scene *scene, const char *engine)
{
    struct dts_timing alone = run(engine, scene, 0), beside = run(engine, scene, 1);
    CHECK(alone.step_s == beside.step_s && alone.mean_s == beside.mean_s);
    CHECK(memcmp(alone.ops, beside.ops, sizeof(*alone.ops)) == 0);
    dts_timing_free(&alone);
    dts_timing_free(&beside);
}

/* Inside of a leaf nobody needs the link between them. */
static void links_of_its_own_change_nothing(void)
{
    static const int inside[] = {1, 2};
    for (int e = 0; e < engine_count(); e++) {
        struct scene scene;
        if (!open_scene(&scene, 1, 4e7))
            return;
        scene.neighbours[0].endpoint = inside;
        check_unchanged(&scene, engines[e]);
        close_scene(&scene);
    }
}

static void who_starts_later_than_the_end_changes_nothing(void)
{
    for (int e = 0; e < engine_count(); e++) {
        struct scene scene;
        if (!open_scene(&scene, 1, 4e7))
            return;
        scene.neighbours[0].start_s = 1; // five steps take 0.2 s
        check_unchanged(&scene, engines[e]);
        struct dts_timing timing = run(engines[e], &scene, 1);
        CHECK_INT(timing.neighbours[0].steps, 0);
        CHECK(isnan(timing.neighbours[0].step_s));
        dts_timing_free(&timing);
        close_scene(&scene);
    }
}

/* Two of five steps alone, the others at half the rate. */
static void who_starts_in_between_slows_the_rest(void)
{
    const double bytes = 4e7, alone_s = alpha_s + bytes / rate;
    for (int e = 0; e < engine_count(); e++) {
        struct scene scene;
        if (!open_scene(&scene, 1, bytes))
            return;
        scene.neighbours[0].start_s = 2 * alone_s;
        struct dts_timing timing = run(engines[e], &scene, 1);
        const double shared_s = alpha_s + 2 * bytes / rate;
        CHECK_CLOSE(timing.mean_s, (2 * alone_s + 3 * shared_s) / 5, 1e-9);
        CHECK_CLOSE(timing.step_s, (alone_s + 3 * shared_s) / 4, 1e-9);
        dts_timing_free(&timing);
        close_scene(&scene);
    }
}

/* A neighbour repeats its steps for as long as it takes: here four for each of the other's. */
static void a_neighbour_goes_on_until_the_end(void)
{
    struct scene scene;
    if (!open_scene(&scene, 1, 4e7))
        return;
    struct dts_job small = agree_workers(2, 0);
    agree_kernel(&small, DTS_FORWARD, 0.01);
    scene.neighbours[0].job = &small;
    for (int e = 0; e < engine_count(); e++) {
        struct dts_timing timing = run(engines[e], &scene, 1);
        CHECK_NEAR(timing.neighbours[0].steps, 20, 1); // 0.2 s and five latencies
        CHECK_CLOSE(timing.neighbours[0].step_s, 0.01, 1e-9);
        dts_timing_free(&timing);
    }
    dts_job_free(&small);
    close_scene(&scene);
}

/* Steps without end that take no time would never come to one. */
static void who_takes_no_time_does_no_harm(void)
{
    struct scene scene;
    if (!open_scene(&scene, 1, 4e7))
        return;
    struct dts_job nothing = agree_workers(2, 0);
    agree_kernel(&nothing, DTS_FORWARD, 0);
    dts_plan_call(&nothing.roles[0].plan, DTS_INPUT, "read",
                  (struct dts_call){.pass = DTS_READ, .layer = -1, .seconds = 0});
    scene.neighbours[0].job = &nothing;
    for (int e = 0; e < engine_count(); e++)
        check_unchanged(&scene, engines[e]);
    dts_job_free(&nothing);
    close_scene(&scene);
}

/* A stream that takes no time of its own goes on with the others of its rank. */
static void a_stream_without_time_keeps_up(void)
{
    struct scene scene;
    if (!open_scene(&scene, 1, 4e7))
        return;
    struct dts_job fed = agree_workers(2, 0);
    const int read =
        dts_plan_call(&fed.roles[0].plan, DTS_INPUT, "read",
                      (struct dts_call){.pass = DTS_READ, .layer = -1, .seconds = 0});
    agree_kernel(&fed, DTS_FORWARD, 0.0005);
    dts_plan_after(&fed.roles[0].plan, read);
    scene.neighbours[0].job = &fed;
    struct dts_timing timing = run("flow", &scene, 1);
    CHECK_CLOSE(timing.neighbours[0].steps, timing.mean_s * 5 / 0.0005, 0.01);
    dts_timing_free(&timing);
    dts_job_free(&fed);
    close_scene(&scene);
}

/* ---- flow against exact ------------------------------------------------------------------ */

static const struct agree_machine machines[] = {
    {"two_level", AGREE_TWO_LEVEL("0.1"), 96, 1, 0.2, true},
    {"torus", AGREE_TORUS("0.1"), 96, 1, 0.2, false},
    {"dragonfly", AGREE_DRAGONFLY("0.1"), 96, 1, 0.2, true},
    {"fat_tree", AGREE_FAT_TREE("0.1"), 96, 1, 0.2, false},
};

static uint64_t drawn;

static int draw(int least, int most)
{
    return least + (int)(dts_uniform(77, 1, ++drawn) * (most - least + 1));
}

static struct dts_job drawn_job(int size)
{
    static const char *const names[] = {"ring", "halving_doubling", "double_tree",
                                        "binary_blocks"};
    struct dts_job job = agree_workers(size, 0);
    const int kernel = agree_kernel(&job, DTS_BACKWARD, 1e-3 * draw(1, 9));
    const int sum =
        agree_allreduce(&job, DTS_DATA, dts_coll_find(names[draw(0, 3)]), 1, 1e5 * draw(1, 50));
    dts_plan_after(&job.roles[0].plan, kernel);
    agree_kernel(&job, DTS_UPDATE, 1e-4);
    dts_plan_after(&job.roles[0].plan, sum);
    return job;
}

enum { JOBS = 4 };

/* Places the next job on what is left. */
static int *place_next(const struct dts_platform *platform, const struct dts_job *job,
                       bool *taken)
{
    const struct dts_placement placement = {.kind = "random", .seed = 5, .taken = taken};
    struct dts_error err = {0};
    int *endpoints = NULL;
    CHECK(dts_place(platform, &placement, job->ranks, 0, 0, &endpoints, &err));
    CHECK_STRING(err.text, "");
    for (int r = 0; r < job->ranks && endpoints != NULL; r++) {
        CHECK(!taken[endpoints[r]]);
        taken[endpoints[r]] = true;
    }
    return endpoints;
}

static void compare_engines(const struct dts_simulation *s)
{
    struct dts_timing flow = agree_run("flow", s), exact = agree_run("exact", s);
    CHECK_CLOSE(flow.step_s, exact.step_s, 1e-6);
    CHECK(flow.messages > 0);
    for (int n = 0; n < s->neighbour_count; n++) {
        CHECK_INT(flow.neighbours[n].steps, exact.neighbours[n].steps);
        if (flow.neighbours[n].steps > 1)
            CHECK_CLOSE(flow.neighbours[n].step_s, exact.neighbours[n].step_s, 1e-6);
    }
    dts_timing_free(&flow);
    dts_timing_free(&exact);
}

static void compare_drawn(const struct agree_machine *machine)
{
    struct dts_platform platform;
    struct dts_job jobs[JOBS];
    struct dts_neighbour neighbours[JOBS];
    int *endpoints[JOBS];
    bool taken[192] = {false};
    if (!agree_machine_read(machine, &platform))
        return;
    for (int j = 0; j < JOBS; j++) {
        jobs[j] = drawn_job(draw(2, 16));
        endpoints[j] = place_next(&platform, &jobs[j], taken);
        neighbours[j] = (struct dts_neighbour){.job = &jobs[j],
                                               .endpoint = endpoints[j],
                                               .start_s = 1e-4 * draw(0, 99),
                                               .slowdown = 0.1 * j};
    }
    const struct dts_simulation s = {.job = &jobs[0],
                                     .net = &platform.net,
                                     .endpoint = endpoints[0],
                                     .steps = 4,
                                     .noise = {0.05, 0.02, 3},
                                     .neighbours = &neighbours[1],
                                     .neighbour_count = JOBS - 1};
    compare_engines(&s);
    for (int j = 0; j < JOBS; j++) {
        free(endpoints[j]);
        dts_job_free(&jobs[j]);
    }
    dts_platform_free(&platform);
}

static void flow_and_exact_agree(void)
{
    if (engine_count() < 2)
        SKIP("this build has no SimGrid");
    for (int round = 0; round < 5; round++)
        for (size_t m = 0; m < sizeof(machines) / sizeof(machines[0]); m++)
            compare_drawn(&machines[m]);
}

/* A step is over when all ranks are through with it, of which one is slow. */
static void the_slowest_rank_ends_a_neighbours_step(void)
{
    const double factor[] = {1, 2};
    struct scene scene;
    if (!open_scene(&scene, 1, 4e7))
        return;
    struct dts_job kernels = agree_workers(2, 0);
    agree_kernel(&kernels, DTS_FORWARD, 0.01);
    scene.neighbours[0].job = &kernels;
    scene.neighbours[0].compute_factor = factor;
    struct dts_timing timing = run("flow", &scene, 1);
    CHECK_INT(timing.neighbours[0].steps, 10); // of 0.2 s and five latencies
    CHECK_CLOSE(timing.neighbours[0].step_s, 0.02, 1e-9);
    dts_timing_free(&timing);
    dts_job_free(&kernels);
    close_scene(&scene);
}

/* Kernels of a neighbour that always sends: half as long again, and nobody else's are. */
static void each_job_has_its_own_slowdown(void)
{
    struct scene scene;
    if (!open_scene(&scene, 2, 4e7))
        return;
    struct dts_job both = sender(4e7);
    agree_kernel(&both, DTS_FORWARD, 0.01);
    for (int n = 0; n < 2; n++)
        scene.neighbours[n].job = &both;
    scene.neighbours[1].slowdown = 0.5;
    struct dts_timing timing = run("flow", &scene, 2);
    CHECK_CLOSE(timing.neighbours[0].step_s, 0.01, 1e-3);
    CHECK_CLOSE(timing.neighbours[1].step_s, 0.015, 1e-3);
    dts_timing_free(&timing);
    dts_job_free(&both);
    close_scene(&scene);
}

static void check_noise(const struct dts_noise noise)
{
    struct scene scene;
    if (!open_scene(&scene, 2, 4e7))
        return;
    struct dts_job kernels = agree_workers(2, 0);
    agree_kernel(&kernels, DTS_FORWARD, 0.01);
    for (int n = 0; n < 2; n++) {
        scene.neighbours[n].job = &kernels;
        scene.neighbours[n].noise = noise;
    }
    struct dts_timing timing = run("flow", &scene, 2);
    CHECK(fabs(timing.neighbours[0].step_s / timing.neighbours[1].step_s - 1) > 1e-3);
    dts_timing_free(&timing);
    dts_job_free(&kernels);
    close_scene(&scene);
}

/* Jobs that are alike do not draw alike: neither devices nor steps. */
static void jobs_have_noise_of_their_own(void)
{
    check_noise((struct dts_noise){0.1, 0, 1});
    check_noise((struct dts_noise){0, 0.1, 1});
}

TESTS(TEST(jobs_share_a_link), TEST(links_of_its_own_change_nothing),
      TEST(who_starts_later_than_the_end_changes_nothing),
      TEST(who_starts_in_between_slows_the_rest), TEST(a_neighbour_goes_on_until_the_end),
      TEST(who_takes_no_time_does_no_harm), TEST(a_stream_without_time_keeps_up),
      TEST(the_slowest_rank_ends_a_neighbours_step), TEST(each_job_has_its_own_slowdown),
      TEST(jobs_have_noise_of_their_own), TEST(flow_and_exact_agree))
