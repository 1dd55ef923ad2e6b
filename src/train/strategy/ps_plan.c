/* ps_plan.c -- the plans of workers and servers of the strategy `ps`.
 *
 * Both sides go through the buckets in the same order on each stream, and bucket b travels on
 * channel b, so that sends and receives meet and nobody waits for what cannot come.
 *
 * What arrives on a server is laid down as it is (no `add`, whose time would be a device's);
 * the call that follows sums it at the rate of the host's memory. The sum moves 3 values for
 * each that arrives (reads it, reads the sum, writes the sum), and for each weight what the
 * optimizer moves. Servers on one node share its memory. Rows of tables are summed in the same
 * way; those change that any of the pushes has touched.
 *
 * With aggregate_in_node the devices of a node gather the rows of all, and the leader pushes
 * each row once.
 */
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "train/strategy/ps.h"

/* Is the bucket on one server? */
static bool is_whole(const struct dts_ps_site *site, int b)
{
    return site->ps->by_tensor && site->holders[b].count == 1;
}

/* Has no server anything of the bucket? */
static bool is_elsewhere(const struct dts_ps_site *site, int b)
{
    return site->holders[b].count == 0;
}

/* Updates of the weights for each request. */
static double updates_of_request(const struct dts_ps_site *site)
{
    const double peers = site->point->devices / site->per_leader;
    return site->ps->backup_workers > 0 ? 1 / (peers - site->ps->backup_workers) : 1;
}

/* Values that an update of the bucket changes, for each element of a push: of dense ones each;
 * of rows those that `devices` have touched. */
static double updated_share(const struct dts_ps_site *site, int bucket, int devices)
{
    const int layer = site->buckets[bucket].table;
    const struct dts_tables *tables = &site->ps->tables;
    if (layer < 0)
        return 1;
    return dts_tables_updated(tables, site->point, layer, devices) /
           (double)dts_tables_message(tables, site->point, layer, site->per_leader);
}

/* How many servers have the memory of their node to share. */
static int sharing_of(const struct dts_ps_site *site, int bucket)
{
    const int nodes = dts_point_nodes(site->point);
    const bool apart = site->holders[bucket].first >= site->beside;
    return apart ? 1 : (site->beside + nodes - 1) / nodes;
}

/* To compensate a late gradient: weights of now and those that were sent, and a copy of what is
 * sent next. */
static const double compensation_values = 4;

/* Seconds in which a server sums one bucket, or its part of it, and updates the weights: of all
 * workers, or of one request. */
static double sum_seconds(const struct dts_ps_site *site, int bucket)
{
    const struct dts_point *point = site->point;
    const struct dts_optimizer *optimizer = point->scenario->optimizer;
    double elements =
        (double)site->buckets[bucket].elements / (double)site->holders[bucket].count;
    const bool one = site->ps->serve.rule != NULL, rows = site->buckets[bucket].table >= 0;
    double pushes = one ? 1 : point->devices / site->per_leader;
    double bytes =
        (double)(rows ? dts_tables_element_bytes(point) : dts_point_wire_bytes(point));
    double updates = one ? updates_of_request(site) : 1;
    updates *= updated_share(site, bucket, one ? site->per_leader : point->devices);
    double values = 3 * pushes * bytes + updates * optimizer->values * sizeof(float);
    if (site->ps->serve.compensation > 0)
        values += updates * compensation_values * sizeof(float);
    return elements * values * sharing_of(site, bucket) /
           point->machine->host_memory_bytes_per_s;
}

/* How bucket b travels, from the worker's side; the server sees the same with other peers. */
static struct dts_exchange worker_side(const struct dts_ps_site *site, int b, int buffer,
                                       bool send)
{
    const struct dts_ps_holders holders = site->holders[b];
    int first = site->point->devices + holders.first; // rank of the first server
    bool whole = is_whole(site, b);
    return (struct dts_exchange){
        .send = send,
        .first_peer = first,
        .peer_stride = 1,
        .peer_count = holders.count,
        .every = site->per_leader,
        .data = dts_bucket_span(site->buckets, b, buffer),
        .part = whole ? DTS_WHOLE : DTS_SHARD_OF_PEER,
        .shards = holders.count,
        .shard_base = whole ? site->point->devices : first,
        .channel = b,
    };
}

static struct dts_exchange server_side(const struct dts_ps_site *site, int b, int buffer,
                                       bool send)
{
    struct dts_exchange exchange = worker_side(site, b, buffer, send);
    exchange.first_peer = 0;
    exchange.peer_stride = site->per_leader;
    exchange.peer_count = site->point->devices / site->per_leader;
    exchange.every = 1;
    exchange.part = is_whole(site, b) ? DTS_WHOLE : DTS_SHARD_OF_SELF;
    return exchange;
}

/* By tensor, buckets for different servers are under way at once, as ps-lite and gRPC leave
 * each as soon as it is ready; those for one server travel one behind the other. So do parts
 * for servers beside workers, and beside them those for servers on nodes of their own: a
 * balance of the two holds for messages under way together. */
static int way_of(const struct dts_ps_site *site, int b)
{
    if (is_whole(site, b))
        return site->holders[b].first % DTS_WAYS;
    return site->beside > 0 && site->holders[b].first >= site->beside;
}

static int add_exchange(struct dts_plan *plan, enum dts_stream stream, const char *what, int b,
                        struct dts_exchange exchange, int after)
{
    char label[32];
    snprintf(label, sizeof(label), "%s %d", what, b);
    int op = dts_plan_exchange(plan, stream, label, exchange);
    plan->ops[op].bucket = b;
    if (after >= 0)
        dts_plan_after(plan, after);
    return op;
}

/* Of one row's message a device has its own part, the node that of all its devices. */
static struct dts_span span_in_node(const struct dts_ps_site *site, int bucket, int buffer)
{
    struct dts_span span = {.buffer = buffer};
    for (int b = 0; b <= bucket; b++) {
        const int layer = site->buckets[b].table;
        if (layer < 0)
            continue;
        const struct dts_tables *tables = &site->ps->tables;
        const double part =
            (double)site->buckets[b].elements /
            (double)dts_tables_message(tables, site->point, layer, site->per_leader);
        const double own = (double)dts_tables_message(tables, site->point, layer, 1);
        span.first += span.count;
        span.count = (size_t)site->per_leader * (size_t)ceil(part * own);
    }
    return span;
}

static int add_in_node(const struct dts_ps_site *site, struct dts_plan *plan,
                       enum dts_coll_kind kind, const char *what, int b, struct dts_span data,
                       int after)
{
    double bytes = (double)data.count * (double)plan->buffers[data.buffer].element_bytes;
    double piece_bytes = site->ps->piece_bytes;
    struct dts_collective collective = {
        .algorithm = site->ps->within_coll,
        .shape = {.kind = kind,
                  .size = site->per_leader,
                  .per_node = site->per_leader,
                  .shards = 1,
                  .pieces = piece_bytes > 0 ? dts_coll_pieces(bytes, piece_bytes) : 1},
        .group = {.stride = 1, .size = site->per_leader},
        .data = data,
        .channels = 1,
    };
    char label[32];
    snprintf(label, sizeof(label), "%s %d", what, b);
    int op = dts_plan_collective(plan, DTS_DATA, label, collective);
    plan->ops[op].bucket = b;
    dts_plan_after(plan, after);
    return op;
}

/* The devices of a node sum a bucket, or gather its rows. */
static int add_sum_in_node(const struct dts_ps_site *site, struct dts_plan *plan, int b,
                           const struct dts_ps_buffers *buffers, int after)
{
    if (site->buckets[b].table < 0)
        return add_in_node(site, plan, DTS_ALLREDUCE, "sum in node", b,
                           dts_bucket_span(site->buckets, b, buffers->gradients), after);
    return add_in_node(site, plan, DTS_ALLGATHER, "gather in node", b,
                       span_in_node(site, b, buffers->in_node), after);
}

static int push_buffer(const struct dts_ps_site *site, int b,
                       const struct dts_ps_buffers *buffers)
{
    return site->buckets[b].table < 0 ? buffers->gradients : buffers->pushed;
}

static int pull_buffer(const struct dts_ps_site *site, int b,
                       const struct dts_ps_buffers *buffers)
{
    return site->buckets[b].table < 0 ? buffers->weights : buffers->pulled;
}

/* Pushes of all buckets. Returns nothing: pull b waits for sent[b]. */
static void add_pushes(const struct dts_ps_site *site, struct dts_plan *plan,
                       const struct dts_ps_buffers *buffers, const struct dts_compute_ops *ops,
                       int *sent)
{
    bool in_node = site->per_leader > 1;
    for (int b = 0; b < site->bucket_count; b++) {
        if (is_elsewhere(site, b))
            continue;
        int ready = dts_build_delay(plan, in_node ? DTS_DATA : DTS_PUSH, &site->buckets[b],
                                    site->ps->overlap_push ? ops->ready[b] : ops->last);
        if (in_node)
            ready = add_sum_in_node(site, plan, b, buffers, ready);
        sent[b] =
            add_exchange(plan, dts_stream_push(way_of(site, b)), "push", b,
                         worker_side(site, b, push_buffer(site, b, buffers), true), ready);
    }
}

/* Pulls of all buckets, and what passes them on in the node. arrived[b] ends each. */
static void add_pulls(const struct dts_ps_site *site, struct dts_plan *plan,
                      const struct dts_ps_buffers *buffers, const int *sent, int *arrived)
{
    for (int b = 0; b < site->bucket_count; b++) {
        const int buffer = pull_buffer(site, b, buffers);
        arrived[b] = -1;
        if (is_elsewhere(site, b))
            continue;
        arrived[b] = add_exchange(plan, dts_stream_pull(way_of(site, b)), "pull", b,
                                  worker_side(site, b, buffer, false), sent[b]);
        if (site->per_leader > 1)
            arrived[b] = add_in_node(site, plan, DTS_BROADCAST, "spread in node", b,
                                     dts_bucket_span(site->buckets, b, buffer), arrived[b]);
    }
}

/* The numbers that add_pulls() will give: the forward calls, which come before, wait for them
 * in the next step. */
void dts_ps_foresee(const struct dts_ps_site *site, int *arrival)
{
    int each = site->per_leader > 1 ? 2 : 1;
    int next = dts_build_compute_count(site->point), served = 0;
    for (int b = 0; b < site->bucket_count; b++)
        if (!is_elsewhere(site, b))
            next += each + (site->buckets[b].delay_s > 0);
    for (int b = 0; b < site->bucket_count; b++)
        arrival[b] = is_elsewhere(site, b) ? -1 : next + each * served++ + each - 1;
}

struct dts_ps_buffers dts_ps_add_buffers(const struct dts_ps_site *site, struct dts_plan *plan)
{
    const struct dts_point *point = site->point;
    struct dts_ps_buffers all = {
        .gradients = dts_build_buffer(point, plan, site->buckets, site->bucket_count),
        .weights = dts_build_buffer(point, plan, site->buckets, site->bucket_count),
        .pushed = -1,
        .pulled = -1,
        .in_node = -1};
    assert(all.gradients == DTS_GRADIENTS && all.weights == DTS_WEIGHTS);
    if (!dts_tables_any(site->buckets, site->bucket_count))
        return all;
    all.pushed = dts_tables_buffer(point, plan, site->buckets, site->bucket_count, 1);
    all.pulled = dts_tables_buffer(point, plan, site->buckets, site->bucket_count, 1);
    if (site->per_leader == 1)
        return all;
    int last = site->bucket_count - 1;
    while (site->buckets[last].table < 0)
        last--;
    const struct dts_span end = span_in_node(site, last, 0);
    all.in_node = dts_plan_buffer(plan, end.first + end.count, dts_tables_element_bytes(point));
    return all;
}

void dts_ps_add_exchanges(const struct dts_ps_site *site, struct dts_plan *plan,
                          const struct dts_ps_buffers *buffers,
                          const struct dts_compute_ops *ops, int *arrived)
{
    int *sent = dts_alloc((size_t)site->bucket_count, sizeof(*sent));
    add_pushes(site, plan, buffers, ops, sent);
    add_pulls(site, plan, buffers, sent, arrived);
    for (int b = 0; b < site->bucket_count && ops->arrival != NULL; b++)
        assert(arrived[b] == ops->arrival[b]);
    free(sent);
}

void dts_ps_worker(const struct dts_ps_site *site, struct dts_plan *plan)
{
    size_t count = (size_t)site->bucket_count;
    int *arrival = dts_alloc(count, sizeof(*arrival));
    int *arrived = dts_alloc(count, sizeof(*arrived));
    struct dts_compute_ops ops = {.ready = dts_alloc(count, sizeof(int))};
    dts_ps_foresee(site, arrival);
    ops.arrival = site->ps->overlap_pull ? arrival : NULL;
    ops.statistics = site->statistics.algorithm != NULL ? &site->statistics : NULL;

    const struct dts_ps_buffers buffers = dts_ps_add_buffers(site, plan);
    dts_build_compute(site->point, plan, site->buckets, site->bucket_count, &ops);
    dts_ps_add_exchanges(site, plan, &buffers, &ops, arrived);
    if (!site->ps->overlap_pull) {
        dts_plan_call(plan, DTS_COMPUTE, "weights are back",
                      (struct dts_call){.pass = DTS_UPDATE, .layer = -1});
        for (int b = 0; b < site->bucket_count; b++)
            dts_plan_after(plan, arrived[b]);
    }
    free(ops.ready);
    free(arrived);
    free(arrival);
}

/* Does the server have anything of the bucket? */
static bool holds(const struct dts_ps_site *site, int b, int server)
{
    const struct dts_ps_holders holders = site->holders[b];
    return server >= holders.first && server < holders.first + holders.count;
}

void dts_ps_server(const struct dts_ps_site *site, int server, struct dts_plan *plan)
{
    const struct dts_ps_buffers buffers = dts_ps_add_buffers(site, plan);
    for (int b = 0; b < site->bucket_count; b++) {
        if (!holds(site, b, server))
            continue;
        int push =
            add_exchange(plan, dts_stream_push(way_of(site, b)), "push", b,
                         server_side(site, b, push_buffer(site, b, &buffers), false), -1);
        char label[32];
        snprintf(label, sizeof(label), "sum %d", b);
        int sum = dts_plan_call(plan, DTS_COMPUTE, label,
                                (struct dts_call){
                                    .pass = DTS_AGGREGATE,
                                    .layer = -1,
                                    .seconds = sum_seconds(site, b),
                                });
        plan->ops[sum].bucket = b;
        dts_plan_after(plan, push);
        add_exchange(plan, dts_stream_pull(way_of(site, b)), "pull", b,
                     server_side(site, b, pull_buffer(site, b, &buffers), true), sum);
    }
}
