/* test_flow_serve.c -- servers that answer as requests come, against closed forms, an event
 * simulation of its own, and the other engine.
 */
#include "base/rng.h"
#include "plan/check.h"
#include "sim/agree.h"

struct served {
    int workers, servers;
    double bytes;     // of the gradients
    double compute_s; // of a worker's step
    double work_s;    // of a request
    double sigma;     // of a worker's steps
    struct dts_serve serve;
    int steps;
    bool settles;
    double slow; // kernels of the first worker take so many times as long; 0: as long
};

static const double alpha_s = 10e-6; // of every message (agree.h)

static struct dts_job job_of(const struct served *w)
{
    struct dts_job job = agree_workers(w->workers, w->servers);
    struct dts_plan *plan = &job.roles[0].plan, *theirs = &job.roles[1].plan;
    const int kernel = agree_kernel(&job, DTS_BACKWARD, w->compute_s);
    agree_exchange(&job, DTS_PUSH, false, w->bytes, 0, NULL);
    dts_plan_after(plan, kernel);
    dts_plan_call(theirs, DTS_COMPUTE, "sum",
                  (struct dts_call){.pass = DTS_AGGREGATE, .layer = -1, .seconds = w->work_s});
    const int pull = agree_exchange(&job, DTS_PULL, true, w->bytes, 0, NULL);
    dts_plan_after(plan, pull - 1);
    agree_kernel(&job, DTS_UPDATE, 0);
    dts_plan_after(plan, pull);
    job.roles[1].serve = w->serve;
    return job;
}

static struct dts_timing run(const char *engine, const struct served *w)
{
    const struct agree_machine machine = {
        "star", AGREE_STAR("0"), w->workers + w->servers, 1, 0, false};
    struct dts_platform platform;
    struct dts_timing timing = {0};
    if (!agree_machine_read(&machine, &platform))
        return timing;
    struct dts_job job = job_of(w);
    struct dts_error err = {0};
    CHECK(dts_job_check(&job, &err));
    CHECK_STRING(err.text, "");
    int *endpoints = agree_endpoints(&platform, &job, "linear");
    double factor[64];
    for (int r = 0; r < 64; r++)
        factor[r] = r == 0 && w->slow > 0 ? w->slow : 1;
    const struct dts_simulation s = {.job = &job,
                                     .net = &platform.net,
                                     .endpoint = endpoints,
                                     .steps = w->steps,
                                     .settles = w->settles,
                                     .compute_factor = factor,
                                     .noise = {0, w->sigma, 9}};
    timing = agree_run(engine, &s);
    free(endpoints);
    dts_job_free(&job);
    dts_platform_free(&platform);
    return timing;
}

static double mean_of(const struct dts_timing *timing)
{
    return timing->staleness->sum / timing->staleness->requests;
}

/* Servers that are free: each worker goes its own way, and sees one update of each other worker
 * between two of its own. */
static void who_is_alone_does_not_wait(void)
{
    const struct served w = {.workers = 4,
                             .servers = 1,
                             .bytes = 4,
                             .compute_s = 0.1,
                             .work_s = 0.01,
                             .serve = {&dts_serve_asynchronous, 0},
                             .steps = 300};
    struct dts_timing timing = run("flow", &w);
    CHECK_CLOSE(timing.step_s, w.compute_s + w.work_s + 2 * alpha_s, 1e-5);
    CHECK_CLOSE(mean_of(&timing), 3.0, 0.01);
    CHECK_CLOSE(timing.staleness->most, 3.0, 1e-9);
    CHECK_CLOSE(timing.staleness->used, timing.staleness->requests, 1e-9);
    dts_timing_free(&timing);
}

static void check_time(struct dts_op_time time, double start_s, double end_s)
{
    CHECK_CLOSE(time.start_s, start_s, 1e-9);
    CHECK_CLOSE(time.end_s, end_s, 1e-9);
}

/* In seconds of the step of the worker that asks: its request leaves when its kernel is done,
 * is worked on when it is there, and then its answer leaves, which is away before it is there.
 * Of two workers that are alike one waits for the other. */
static void requests_have_times(void)
{
    for (int workers = 1; workers <= 2; workers++) {
        const struct served w = {.workers = workers,
                                 .servers = 1,
                                 .bytes = 4,
                                 .compute_s = 0.1,
                                 .work_s = 0.01,
                                 .serve = {&dts_serve_asynchronous, 0},
                                 .steps = 1};
        const double there_s = w.compute_s + alpha_s + w.bytes / 1e9 * workers;
        const double done_s = there_s + workers * w.work_s;
        struct dts_timing timing = run("flow", &w);
        const struct dts_op_time *times = timing.ops + timing.first_op[1];
        check_time(times[0], w.compute_s, there_s);
        check_time(times[1], done_s - w.work_s, done_s);
        check_time(times[2], done_s, done_s + w.bytes / 1e9);
        dts_timing_free(&timing);
    }
}

/* The same of the last of several steps, each from its own begin. */
static void requests_have_times_of_their_step(void)
{
    const struct served w = {.workers = 1,
                             .servers = 1,
                             .bytes = 4e6,
                             .compute_s = 0.1,
                             .work_s = 0.01,
                             .serve = {&dts_serve_asynchronous, 0},
                             .steps = 5};
    const double travel_s = alpha_s + w.bytes / 1e9;
    struct dts_timing timing = run("flow", &w);
    const struct dts_op_time *times = timing.ops + timing.first_op[1];
    check_time(times[0], w.compute_s, w.compute_s + travel_s);
    check_time(times[1], times[0].end_s, times[0].end_s + w.work_s);
    check_time(times[2], times[1].end_s, times[1].end_s + w.bytes / 1e9);
    dts_timing_free(&timing);
}

/* A worker with steps of T seconds is R T - 1 updates behind, where all together make R in a
 * second: the mean over requests is n - 1 whatever their rates. Nobody is alone in the end. */
static void the_mean_is_that_of_all_others_also_beside_a_slow_one(void)
{
    const struct served w = {.workers = 4,
                             .servers = 1,
                             .bytes = 4,
                             .compute_s = 0.1,
                             .work_s = 1e-5,
                             .sigma = 0.05,
                             .serve = {&dts_serve_asynchronous, 0},
                             .steps = 600,
                             .slow = 3};
    struct dts_timing timing = run("flow", &w);
    CHECK_CLOSE(mean_of(&timing), 3.0, 0.01);
    CHECK(timing.staleness->most >= 9); // of the slow one: three of each other
    dts_timing_free(&timing);
}

/* 16 workers keep a server busy: a step is 16 requests, and each sees 15 others in between. */
static void a_busy_server_sets_the_pace(void)
{
    const struct served w = {.workers = 16,
                             .servers = 1,
                             .bytes = 4,
                             .compute_s = 0.1,
                             .work_s = 0.01,
                             .serve = {&dts_serve_asynchronous, 0},
                             .steps = 200};
    struct dts_timing timing = run("flow", &w);
    CHECK_CLOSE(timing.step_s, 16 * w.work_s, 1e-3);
    CHECK_CLOSE(mean_of(&timing), 15.0, 0.01);
    dts_timing_free(&timing);
}

/* The port of one server: workers that are alike share it fairly, so that all gradients are
 * there at once, and then all answers leave together. */
static void a_port_sets_the_pace(void)
{
    const double rate = 1e9; // of the machine's ports
    const struct served w = {.workers = 8,
                             .servers = 1,
                             .bytes = 4e7,
                             .compute_s = 0.01,
                             .serve = {&dts_serve_asynchronous, 0},
                             .steps = 100};
    struct dts_timing timing = run("flow", &w);
    const double all_s = w.workers * w.bytes / rate;
    CHECK_CLOSE(timing.step_s, w.compute_s + 2 * (all_s + alpha_s), 1e-6);
    dts_timing_free(&timing);
}

/* Without a network: workers, one server, first come, first served. Its own draws. */
static double simulate(const struct served *w, double *stale)
{
    double ready[64], seen[64] = {0}, free_s = 0, version = 0, sum = 0, requests = 0;
    int done[64] = {0};
    double first[64], last[64];
    for (int i = 0; i < w->workers; i++)
        ready[i] = w->compute_s;
    for (long k = 0; k < (long)w->workers * w->steps; k++) {
        int next = 0;
        for (int i = 1; i < w->workers; i++)
            if (ready[i] < ready[next])
                next = i;
        free_s = fmax(free_s, ready[next] + alpha_s) + w->work_s;
        if (done[next] > 0) {
            sum += version - seen[next];
            requests++;
        }
        seen[next] = ++version;
        last[next] = free_s + alpha_s;
        if (done[next]++ == 0)
            first[next] = last[next];
        const double normal = dts_normal(77, (uint64_t)done[next], (uint64_t)next);
        ready[next] = last[next] + w->compute_s * fmax(0.1, 1 + w->sigma * normal);
    }
    double rate = 0;
    for (int i = 0; i < w->workers; i++)
        rate += (done[i] - 1) / (last[i] - first[i]);
    *stale = sum / requests;
    return w->workers / rate;
}

/* The mean of staleness is n - 1 however much steps scatter; its tail is what differs. */
static void scattered_steps_are_those_of_an_event_simulation(void)
{
    static const double works[] = {0.01, 0.001};
    for (int i = 0; i < 2; i++) {
        const struct served w = {.workers = 16,
                                 .servers = 1,
                                 .bytes = 4,
                                 .compute_s = 0.1,
                                 .work_s = works[i],
                                 .sigma = 0.1,
                                 .serve = {&dts_serve_asynchronous, 0},
                                 .steps = 300};
        double stale;
        struct dts_timing timing = run("flow", &w);
        CHECK_CLOSE(timing.step_s, simulate(&w, &stale), 0.01);
        CHECK_CLOSE(mean_of(&timing), stale, 0.02);
        CHECK_CLOSE(stale, 15.0, 0.02);
        CHECK(timing.staleness->most > 17);
        dts_timing_free(&timing);
    }
}

/* The most of n normal steps, again and again: a bound of 0 waits for all, a large one for
 * none. */
static void a_bound_is_between_step_and_none(void)
{
    double step_s[3];
    static const int bounds[] = {0, 3, 1000000};
    for (int i = 0; i < 3; i++) {
        const struct served w = {.workers = 16,
                                 .servers = 1,
                                 .bytes = 4,
                                 .compute_s = 0.1,
                                 .work_s = 1e-5,
                                 .sigma = 0.1,
                                 .serve = {&dts_serve_bounded, bounds[i]},
                                 .steps = 300};
        struct dts_timing timing = run("flow", &w);
        step_s[i] = timing.step_s;
        dts_timing_free(&timing);
    }
    const double most_of_16 = 1.766; // expected maximum of 16 standard normals
    CHECK_CLOSE(step_s[0], 0.1 * (1 + 0.1 * most_of_16), 0.02);
    CHECK_CLOSE(step_s[2], 0.1, 0.01);
    CHECK(step_s[1] < 0.97 * step_s[0] && step_s[1] > 0.99 * step_s[2]);
}

/* An update waits for 12 of 16: their most, not that of all; a quarter is thrown away, or less.
 */
static void spare_workers_cut_the_tail(void)
{
    const struct served w = {.workers = 16,
                             .servers = 1,
                             .bytes = 4,
                             .compute_s = 0.1,
                             .work_s = 1e-5,
                             .sigma = 0.1,
                             .serve = {&dts_serve_backup, 4},
                             .steps = 300};
    struct dts_timing timing = run("flow", &w);
    const double used = timing.staleness->used / timing.staleness->requests;
    CHECK(timing.step_s < 0.1 * (1 + 0.1 * 1.2));
    CHECK(used > 0.70 && used < 0.95);
    dts_timing_free(&timing);
}

/* One worker alone has no others to be behind. */
static void one_worker_is_never_behind(void)
{
    static const struct dts_serve_rule *const rules[] = {&dts_serve_asynchronous,
                                                         &dts_serve_bounded, &dts_serve_backup};
    for (int i = 0; i < 3; i++) {
        const struct served w = {.workers = 1,
                                 .servers = 2,
                                 .bytes = 8e6,
                                 .compute_s = 0.1,
                                 .serve = {rules[i], 0},
                                 .steps = 5};
        struct dts_timing timing = run("flow", &w);
        CHECK(timing.staleness->most == 0);
        CHECK_CLOSE(timing.step_s, 0.1 + 2 * (8e6 / 1e9 + alpha_s), 1e-3);
        dts_timing_free(&timing);
    }
}

static void both_engines_serve_alike(void)
{
    if (dts_engine_find("exact")->messages_per_s == 0)
        SKIP("this build has no SimGrid");
    static const struct dts_serve serves[] = {
        {&dts_serve_asynchronous, 0}, {&dts_serve_bounded, 2}, {&dts_serve_backup, 2}};
    for (int i = 0; i < 12; i++) {
        const struct served w = {.workers = 3 + 2 * i,
                                 .servers = 1 + i % 3,
                                 .bytes = 1.2e6 * (1 + i % 4),
                                 .compute_s = 0.01,
                                 .work_s = 1e-4 * (i % 5),
                                 .sigma = 0.1,
                                 .serve = serves[i % 3],
                                 .steps = 12,
                                 .settles = i % 2 == 1};
        struct dts_timing exact = run("exact", &w), flow = run("flow", &w);
        CHECK_CLOSE(flow.step_s, exact.step_s, 1e-6);
        CHECK_CLOSE(flow.staleness->sum, exact.staleness->sum, 1e-9);
        CHECK_CLOSE(flow.messages, exact.messages, 1e-9);
        CHECK(!w.settles || flow.messages > 24.0 * 2 * w.workers * w.servers - 1);
        dts_timing_free(&exact);
        dts_timing_free(&flow);
    }
}

TESTS(TEST(who_is_alone_does_not_wait), TEST(requests_have_times),
      TEST(requests_have_times_of_their_step),
      TEST(the_mean_is_that_of_all_others_also_beside_a_slow_one),
      TEST(a_busy_server_sets_the_pace), TEST(a_port_sets_the_pace),
      TEST(scattered_steps_are_those_of_an_event_simulation),
      TEST(a_bound_is_between_step_and_none), TEST(spare_workers_cut_the_tail),
      TEST(one_worker_is_never_behind), TEST(both_engines_serve_alike))
