/* gossip.c -- plans of ranks that ask, and of ranks that answer. */
#include "train/strategy/gossip.h"

#include <assert.h>
#include <stdio.h>

#include "base/mem.h"

int dts_gossip_turns(int ranks)
{
    int turns = 0;
    while ((1 << turns) - 1 < ranks / 2)
        turns++;
    return turns;
}

bool dts_gossip_check_keys(const struct dts_synchrony *s, const struct dts_cfg *at,
                           struct dts_error *err)
{
    static const char *const of_collectives[] = {
        "algorithm",          "between",     "shards", "channels", "bucket_bytes",
        "first_bucket_bytes", "piece_bytes", NULL};
    if (s->local_after > 0)
        return dts_cfg_fail(at, "local_after", err,
                            "cannot act with asynchronous pairs: they sum no gradients");
    for (int i = 0; of_collectives[i] != NULL; i++) {
        const struct dts_cfg key = dts_cfg_member(at, of_collectives[i]);
        if (dts_cfg_exists(&key))
            return dts_cfg_fail(at, of_collectives[i], err,
                                "cannot act with asynchronous pairs: two ranks exchange all "
                                "their weights at once");
    }
    return true;
}

bool dts_gossip_check(const struct dts_point *point, struct dts_error *err)
{
    return point->devices % 2 == 0 || point->devices == 1 ||
           dts_point_fail(point, err,
                          "%s: average: asynchronous_pairs needs an even number of devices, "
                          "half of which ask the others, got %d",
                          point->strategy->name, point->devices);
}

int dts_gossip_device_of(const struct dts_point *point, int rank)
{
    const int half = point->devices / 2;
    if (!dts_point_synchrony(point)->passing || point->devices == 1)
        return rank;
    return rank < half ? 2 * rank : 2 * (rank - half) + 1;
}

double dts_gossip_bytes(const struct dts_point *point)
{
    const int turns = point->devices > 1 ? dts_gossip_turns(point->devices) : -1;
    return (1 + turns) * sizeof(float) * point->scenario->model.parameters;
}

/* Gradients, weights, and so many copies of them that come from others. */
static void add_buffers(const struct dts_point *point, struct dts_plan *plan, int met)
{
    const size_t values = (size_t)point->scenario->model.parameters;
    const int gradients = dts_plan_buffer(plan, values, dts_point_wire_bytes(point));
    const int weights = dts_plan_buffer(plan, values, sizeof(float));
    assert(gradients == DTS_GRADIENTS && weights == DTS_WEIGHTS);
    for (int i = 0; i < met; i++)
        dts_plan_buffer(plan, values, sizeof(float));
}

static void add_compute(const struct dts_point *point, struct dts_plan *plan)
{
    int none;
    struct dts_compute_ops ops = {.ready = &none};
    dts_build_compute(point, plan, NULL, 0, &ops);
}

/* Turn t of the exchanges, on a stream of its own: all of a buffer, with one peer. */
static int add_exchange(struct dts_plan *plan, const char *what, int turn, bool send,
                        int buffer, const struct dts_exchange *peer)
{
    struct dts_exchange x = *peer;
    char label[32];
    snprintf(label, sizeof(label), "%s %d", what, turn);
    x.send = send;
    x.relative = true;
    x.peer_count = 1;
    x.channel = turn;
    x.data = (struct dts_span){.buffer = buffer, .count = plan->buffers[buffer].count};
    return dts_plan_exchange(plan, dts_stream_push(turn), label, x);
}

static struct dts_when when_of(const struct dts_synchrony *s, int turns, int turn)
{
    return (struct dts_when){.every = s->local_steps * turns,
                             .at = s->local_steps * (turn + 1) - 1};
}

/* Operations from `first` on. */
static void act(struct dts_plan *plan, int first, struct dts_when when)
{
    for (int op = first; op < plan->op_count; op++)
        plan->ops[op].when = when;
}

/* Of a call that goes once through all weights. */
static double pass_seconds(const struct dts_point *point, double values, double flops)
{
    return dts_synchrony_seconds(point, point->scenario->model.parameters, values, flops);
}

/* The mean of what was given and taken in the step before; `take`: where the operations of that
 * begin. */
static void add_average(const struct dts_synchrony *s, const struct dts_point *point,
                        struct dts_plan *plan, int take, int turns)
{
    const int first = plan->op_count;
    dts_build_call(point, plan, "average",
                   (struct dts_call){
                       .pass = DTS_AVERAGE, .layer = -1, .seconds = pass_seconds(point, 3, 2)});
    for (int t = 0; t < turns; t++)
        dts_plan_after_previous(plan, take + 2 * t);
    act(plan, first, (struct dts_when){.every = s->local_steps, .from = 1});
}

static void add_asking(const struct dts_synchrony *s, const struct dts_point *point,
                       struct dts_plan *plan)
{
    const int half = point->devices / 2, turns = dts_gossip_turns(point->devices);
    add_buffers(point, plan, 1);
    add_compute(point, plan);
    const int first = plan->op_count + 2 * dts_build_call_count(point);
    add_average(s, point, plan, first + 1, turns);
    const int update = dts_build_call(
        point, plan, "update",
        (struct dts_call){.pass = DTS_UPDATE, .layer = -1, .seconds = point->seconds->update});
    assert(plan->op_count == first);
    for (int t = 0; t < turns; t++) {
        const struct dts_exchange peer = {
            .first_peer = half + (1 << t) - 1, .ring_first = half, .ring_size = half};
        const int begin = plan->op_count;
        add_exchange(plan, "give", t, true, DTS_WEIGHTS, &peer);
        dts_plan_after(plan, update);
        add_exchange(plan, "take", t, false, DTS_MET, &peer);
        act(plan, begin, when_of(s, turns, t));
    }
}

/* Its update takes the weights that others have changed, and puts them back: 4 values. */
static void add_answering(const struct dts_synchrony *s, const struct dts_point *point,
                          struct dts_plan *plan)
{
    const int half = point->devices / 2, turns = dts_gossip_turns(point->devices);
    const double mix_s = pass_seconds(point, 4, 2);
    add_buffers(point, plan, turns);
    add_compute(point, plan);
    dts_build_call(
        point, plan, "update",
        (struct dts_call){.pass = DTS_UPDATE,
                          .layer = -1,
                          .seconds = point->seconds->update + pass_seconds(point, 4, 0)});
    for (int t = 0; t < turns; t++) {
        const struct dts_exchange peer = {.first_peer = -half - (1 << t) + 1,
                                          .ring_first = 0,
                                          .ring_size = half,
                                          .awaits = true};
        const struct dts_exchange back = {
            .first_peer = peer.first_peer, .ring_first = 0, .ring_size = half};
        const int begin = plan->op_count;
        char label[32];
        snprintf(label, sizeof(label), "mix %d", t);
        add_exchange(plan, "hear", t, false, DTS_MET + t, &peer);
        dts_plan_call(
            plan, dts_stream_push(t), label,
            (struct dts_call){.pass = DTS_AVERAGE, .layer = -1, .slot = t, .seconds = mix_s});
        add_exchange(plan, "tell", t, true, DTS_MET + t, &back);
        act(plan, begin, when_of(s, turns, t));
    }
}

void dts_gossip_build(const struct dts_synchrony *s, const struct dts_point *point,
                      struct dts_job *job)
{
    const int half = point->devices / 2;
    job->roles = dts_alloc(2, sizeof(*job->roles));
    job->role_count = 2;
    job->ranks = point->devices;
    job->drifts = true;
    job->roles[0] = (struct dts_role){.name = "asking worker", .count = half};
    job->roles[1] = (struct dts_role){.name = "answering worker", .first = half, .count = half};
    add_asking(s, point, &job->roles[0].plan);
    add_answering(s, point, &job->roles[1].plan);
}
