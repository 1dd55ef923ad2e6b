/* simulate.c -- the engine `exact`: SimGrid runs every message of every rank.
 *
 * Each stream of each rank is a lane that walks the plan (plan/run.h), driven by the events of
 * SimGrid: a message is over, it is so late. Links are shared max-min by SimGrid; latency is
 * not SimGrid's but ours, waited for before or after the message, since every default model of
 * SimGrid shares links by latency. All of it happens in a child process (child.h).
 *
 *     alpha blocks:         sender waits alpha, message waits for the receiver, wire
 *     alpha does not block: wire at once, message is there alpha after the wire is done
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <simgrid/engine.h>

#include "base/mem.h"
#include "base/rng.h"
#include "sim/engine.h"
#include "sim/exact/lane.h"
#include "sim/simgrid/module.h"

static void add_rank(struct dts_exact *exact, int role_number, int rank)
{
    const struct dts_simulation *s = exact->simulation;
    const struct dts_role *role = &s->job->roles[role_number];
    struct dts_exact_rank *r = &exact->ranks[rank];
    r->done = dts_alloc((size_t)role->plan.op_count, sizeof(*r->done));
    r->device_noise =
        fmax(0.1, 1 + s->noise.device_sigma * dts_normal(s->noise.seed, 1, (uint64_t)rank));
    for (enum dts_stream stream = 0; (int)stream < exact->streams; stream++) {
        int number = rank * DTS_STREAMS + (int)stream;
        struct dts_exact_lane *lane = &exact->lanes[number];
        if (!dts_plan_uses(&role->plan, stream))
            continue;
        *lane = (struct dts_exact_lane){.exact = exact,
                                        .role = role,
                                        .role_number = role_number,
                                        .rank = rank,
                                        .stream = stream,
                                        .walk = {.role = role, .rank = rank, .stream = stream},
                                        .op = -1};
        exact->running++;
    }
}

static void arrived(void *self, void *message)
{
    struct dts_exact *exact = self;
    dts_matcher_arrived(&exact->matcher, message);
    dts_exact_lanes_go_on(exact);
}

static void wake_all(void *self, int which)
{
    (void)which;
    struct dts_exact *exact = self;
    for (int i = 0; i < exact->simulation->job->ranks * DTS_STREAMS; i++)
        if (exact->lanes[i].role != NULL)
            dts_exact_lane_wake(&exact->lanes[i]);
}

static void begin(void *self, struct dts_simgrid_loop *loop)
{
    struct dts_exact *exact = self;
    exact->loop = exact->matcher.loop = loop;
    dts_exact_call_at(&exact->events, 0, wake_all, exact, 0);
}

static double next_s(void *self)
{
    const struct dts_exact *exact = self;
    return dts_heap_next(&exact->events);
}

static void due(void *self)
{
    struct dts_exact *exact = self;
    if (dts_exact_call_due(&exact->events))
        dts_exact_lanes_go_on(exact);
}

static sg_host_t *make_hosts(struct dts_exact *exact)
{
    const struct dts_simulation *s = exact->simulation;
    sg_host_t *hosts = dts_alloc((size_t)s->job->ranks, sizeof(*hosts));
    struct dts_simgrid_path path = {dts_matcher_links, &exact->matcher};
    dts_simgrid_start();
    dts_simgrid_make(s->net, s->endpoint, s->job->ranks, &path, hosts);
    return hosts;
}

static void set_up(struct dts_exact *exact)
{
    const struct dts_simulation *s = exact->simulation;
    const struct dts_job *job = s->job;
    size_t ranks = (size_t)job->ranks, lanes = ranks * DTS_STREAMS;
    exact->lanes = dts_alloc(lanes, sizeof(*exact->lanes));
    exact->ranks = dts_alloc(ranks, sizeof(*exact->ranks));
    exact->step_ends = dts_alloc((size_t)s->steps, sizeof(*exact->step_ends));
    exact->matcher = (struct dts_matcher){.simulation = s,
                                          .events = &exact->events,
                                          .pairs = {.net = s->net},
                                          .over = dts_exact_lane_message_over};
    for (int o = 0; o < exact->timing->first_op[job->role_count]; o++)
        exact->timing->ops[o] = dts_op_time_none();
    for (int r = 0; r < job->role_count; r++) {
        const int streams = dts_plan_streams(&job->roles[r].plan);
        exact->streams = streams > exact->streams ? streams : exact->streams;
    }
    exact->workers = dts_job_workers(job);
    exact->matcher.hosts = make_hosts(exact);
    for (int r = 0; r < job->role_count; r++)
        for (int i = 0; i < job->roles[r].count; i++)
            add_rank(exact, r, job->roles[r].first + i);
}

/* A plan that cannot go on is an error of ours: plans are checked when they are built. SimGrid
 * comes back from a deadlock as if all was well. Who is furthest behind keeps the others. */
static bool check_finished(const struct dts_exact *exact, struct dts_error *err)
{
    const struct dts_exact_lane *stuck = NULL;
    for (int i = 0; i < exact->simulation->job->ranks * DTS_STREAMS; i++) {
        const struct dts_exact_lane *lane = &exact->lanes[i];
        if (lane->role != NULL && lane->state != DTS_EXACT_LANE_FINISHED &&
            (stuck == NULL || lane->step < stuck->step))
            stuck = lane;
    }
    if (stuck == NULL)
        return true;
    bool waits = stuck->state == DTS_EXACT_LANE_WAITS;
    int op = waits ? stuck->awaited_op : stuck->op;
    return dts_fail(err, DTS_SYSTEM,
                    "exact: the plan cannot go on: %s %d (rank %d) waits %s \"%s\" on stream "
                    "%s in step %d",
                    stuck->role->name, stuck->rank - stuck->role->first, stuck->rank,
                    waits ? "for" : "in", stuck->role->plan.ops[op].label,
                    dts_stream_name(stuck->stream), stuck->step + 1);
}

static void close_timing(struct dts_exact *exact)
{
    const struct dts_simulation *s = exact->simulation;
    struct dts_timing *timing = exact->timing;
    dts_timing_steps(timing, exact->step_ends, s->steps, timing->first_op[s->job->role_count]);
    timing->messages = exact->matcher.sent;
}

/* The child: what it allocates goes with it. */
bool dts_exact_simulate(void *argument, void **result, size_t *size, struct dts_error *err)
{
    struct dts_timing timing;
    struct dts_exact exact = {.simulation = argument, .timing = &timing};
    dts_timing_open(exact.simulation->job, &timing);
    set_up(&exact);
    struct dts_simgrid_events events = {begin, arrived, next_s, due, &exact};
    dts_simgrid_run(&events, exact.matcher.hosts[0]);
    if (!check_finished(&exact, err))
        return false;
    close_timing(&exact);

    struct dts_exact_answer answer = {timing.step_s, timing.compute_s, timing.first_s,
                                      timing.mean_s, timing.messages};
    size_t ops = (size_t)timing.first_op[exact.simulation->job->role_count];
    *size = sizeof(answer) + ops * sizeof(*timing.ops);
    *result = dts_alloc(1, *size);
    memcpy(*result, &answer, sizeof(answer));
    memcpy((char *)*result + sizeof(answer), timing.ops, ops * sizeof(*timing.ops));
    return true;
}
