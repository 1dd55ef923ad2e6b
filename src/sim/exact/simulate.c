/* simulate.c -- the engine `exact`: SimGrid runs every message of every rank.
 *
 * Lanes, meetings and latencies are those of sim/flow; the wire is SimGrid's, which shares
 * links max-min. Latency is not SimGrid's but waited for before or after the message, since
 * every default model of SimGrid shares links by latency. Lanes are driven by the events of
 * SimGrid: a message is over, it is so late. All of it happens in a child process (child.h).
 */
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <simgrid/engine.h>

#include "base/mem.h"
#include "sim/engine.h"
#include "sim/exact/simgrid_zone.h"
#include "sim/exact/spread.h"
#include "sim/flow/flow.h"
#include "sim/simgrid/module.h"

struct exact {
    struct dts_flow flow;
    struct dts_simgrid_loop *loop;
    sg_host_t *hosts; // of each rank of all jobs
    int entering;     // the message that enters the network now
    struct dts_spread spread;
    bool started;
};

/* It is now what SimGrid's clock says. */
static struct dts_flow *at_clock(struct exact *exact)
{
    exact->flow.now_s = exact->flow.until_s = simgrid_get_clock();
    return &exact->flow;
}

/* ---- the wire ---------------------------------------------------------------------------- */

static void enter(struct dts_flow *f, int number)
{
    struct exact *exact = f->wire;
    const struct dts_flow_message *message = &f->messages[number];
    struct dts_simgrid_flow flow = {.from = exact->hosts[message->src],
                                    .to = exact->hosts[message->dst],
                                    .bytes = message->wire_bytes,
                                    .most_bytes_per_s = INFINITY,
                                    .message = (void *)(intptr_t)(number + 1)};
    exact->entering = number;
    if (f->spread) {
        dts_spread_lay(&exact->spread, &f->pairs, message->pair);
        flow.bytes /= exact->spread.laid;
        flow.most_bytes_per_s = exact->spread.most_bytes_per_s;
    }
    dts_simgrid_enter(exact->loop, &flow);
}

/* SimGrid asks for the links of the message that enters. */
static int links(void *self, const int **list)
{
    struct exact *exact = self;
    const struct dts_flow_message *message = &exact->flow.messages[exact->entering];
    if (exact->flow.spread) {
        *list = exact->spread.links;
        return (int)exact->spread.count;
    }
    const struct dts_path *path =
        dts_endpoint_pair_path(&exact->flow.pairs, message->pair, message->path);
    *list = path->links;
    return path->hops;
}

static void finished(struct dts_flow *f)
{
    const struct exact *exact = f->wire;
    dts_simgrid_end(exact->loop);
}

static const struct dts_flow_wire_ops wire_ops = {.enter = enter, .finished = finished};

/* ---- the clock --------------------------------------------------------------------------- */

static void begin(void *self, struct dts_simgrid_loop *loop)
{
    struct exact *exact = self;
    exact->loop = loop;
}

static void arrived(void *self, void *message)
{
    struct dts_flow *f = at_clock(self);
    dts_flow_arrived(f, (int)(intptr_t)message - 1);
    dts_flow_lanes_go_on(f);
}

static double next_s(void *self)
{
    const struct exact *exact = self;
    return exact->started ? dts_flow_date_next(&exact->flow) : 0;
}

static void due(void *self)
{
    struct exact *exact = self;
    struct dts_flow *f = at_clock(exact);
    if (exact->started)
        dts_flow_dates_due(f);
    else
        dts_flow_start(f);
    exact->started = true;
}

static sg_host_t *make_hosts(struct exact *exact)
{
    const struct dts_simulation *s = exact->flow.simulation;
    sg_host_t *hosts = dts_alloc((size_t)exact->flow.rank_count, sizeof(*hosts));
    const struct dts_simgrid_path path = {links, exact};
    dts_simgrid_start();
    dts_simgrid_make(s->net, exact->flow.endpoint, exact->flow.rank_count, &path, hosts);
    return hosts;
}

/* The child: what it allocates goes with it. */
bool dts_exact_simulate(void *argument, void **result, size_t *size, struct dts_error *err)
{
    const struct dts_exact_question *question = argument;
    struct dts_timing timing;
    struct exact exact = {.flow = {.simulation = question->simulation,
                                   .spread = question->spread,
                                   .timing = &timing,
                                   .wire_ops = &wire_ops}};
    exact.flow.wire = &exact;
    dts_timing_open(exact.flow.simulation->job, &timing);
    dts_flow_open(&exact.flow);
    if (question->spread)
        dts_spread_open(&exact.spread, question->simulation->net, exact.flow.endpoint,
                        exact.flow.rank_count);
    exact.hosts = make_hosts(&exact);
    const struct dts_simgrid_events events = {begin, arrived, next_s, due, &exact};
    dts_simgrid_run(&events, exact.hosts[0]);
    if (!dts_flow_close(&exact.flow, "exact", err))
        return false;

    struct dts_exact_answer answer = {timing.step_s, timing.compute_s, timing.first_s,
                                      timing.mean_s, timing.messages};
    size_t ops = (size_t)timing.first_op[exact.flow.simulation->job->role_count];
    const size_t stale = timing.staleness != NULL ? sizeof(*timing.staleness) : 0;
    const size_t beside =
        (size_t)exact.flow.simulation->neighbour_count * sizeof(*timing.neighbours);
    *size = sizeof(answer) + stale + beside + ops * sizeof(*timing.ops);
    char *to = *result = dts_alloc(1, *size);
    memcpy(to, &answer, sizeof(answer));
    if (stale > 0)
        memcpy(to + sizeof(answer), timing.staleness, stale);
    if (beside > 0)
        memcpy(to + sizeof(answer) + stale, timing.neighbours, beside);
    memcpy(to + sizeof(answer) + stale + beside, timing.ops, ops * sizeof(*timing.ops));
    return true;
}
