/* ps_plan.c -- the plans of workers and servers of the strategy `ps`.
 *
 * Both sides go through the buckets in the same order on each stream, and bucket b travels on
 * channel b, so that sends and receives meet and nobody waits for what cannot come.
 *
 * What arrives on a server is laid down as it is (no `add`, whose time would be a device's);
 * the call that follows sums it at the rate of the host's memory. The sum moves 3 values for
 * each that arrives (reads it, reads the sum, writes the sum), and for each weight what the
 * optimizer moves. Servers on one node share its memory.
 */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "train/strategy/ps.h"

/* Is the bucket on one server? */
static bool is_whole(const struct dts_ps_site *site, int b)
{
    return site->ps->by_tensor && site->owner[b] >= 0;
}

/* Updates of the weights for each request. */
static double updates_of_request(const struct dts_ps_site *site)
{
    const double peers = site->point->devices / site->per_leader;
    return site->ps->backup_workers > 0 ? 1 / (peers - site->ps->backup_workers) : 1;
}

/* Seconds in which a server sums one bucket, or its part of it, and updates the weights: of all
 * workers, or of one request. */
static double sum_seconds(const struct dts_ps_site *site, int bucket)
{
    const struct dts_point *point = site->point;
    const struct dts_optimizer *optimizer = point->scenario->optimizer;
    int parts = is_whole(site, bucket) ? 1 : site->servers;
    double elements = (double)site->buckets[bucket].elements / parts;
    const bool one = site->ps->serve.rule != NULL;
    double pushes = one ? 1 : point->devices / site->per_leader;
    double bytes = (double)dts_point_wire_bytes(point);
    double updates = one ? updates_of_request(site) : 1;
    double values = 3 * pushes * bytes + updates * optimizer->values * sizeof(float);
    int nodes = dts_point_nodes(point);
    int sharing = site->ps->dedicated ? 1 : (site->servers + nodes - 1) / nodes;
    return elements * values * sharing / point->machine->host_memory_bytes_per_s;
}

/* How bucket b travels, from the worker's side; the server sees the same with other peers. */
static struct dts_exchange worker_side(const struct dts_ps_site *site, int b, int buffer,
                                       bool send)
{
    int first = site->point->devices; // rank of the first server
    bool whole = is_whole(site, b);
    return (struct dts_exchange){
        .send = send,
        .first_peer = whole ? first + site->owner[b] : first,
        .peer_stride = 1,
        .peer_count = whole ? 1 : site->servers,
        .every = site->per_leader,
        .data = dts_bucket_span(site->buckets, b, buffer),
        .part = whole ? DTS_WHOLE : DTS_SHARD_OF_PEER,
        .shards = whole ? 1 : site->servers,
        .shard_base = first,
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
 * each as soon as it is ready; those for one server travel one behind the other. */
static int way_of(const struct dts_ps_site *site, int b)
{
    return is_whole(site, b) ? site->owner[b] % DTS_WAYS : 0;
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

/* The devices of a node sum a bucket, or take it over from their leader. */
static int add_in_node(const struct dts_ps_site *site, struct dts_plan *plan,
                       enum dts_coll_kind kind, const char *what, int b, int buffer, int after)
{
    double bytes =
        (double)site->buckets[b].elements * (double)plan->buffers[buffer].element_bytes;
    double piece_bytes = site->ps->piece_bytes;
    struct dts_collective collective = {
        .algorithm = site->ps->within_coll,
        .shape = {.kind = kind,
                  .size = site->per_leader,
                  .per_node = site->per_leader,
                  .shards = 1,
                  .pieces = piece_bytes > 0 ? dts_coll_pieces(bytes, piece_bytes) : 1},
        .group = {.stride = 1, .size = site->per_leader},
        .data = dts_bucket_span(site->buckets, b, buffer),
        .channels = 1,
    };
    char label[32];
    snprintf(label, sizeof(label), "%s %d", what, b);
    int op = dts_plan_collective(plan, DTS_DATA, label, collective);
    plan->ops[op].bucket = b;
    dts_plan_after(plan, after);
    return op;
}

/* Pushes of all buckets. Returns nothing: pull b waits for sent[b]. */
static void add_pushes(const struct dts_ps_site *site, struct dts_plan *plan, int gradients,
                       const struct dts_compute_ops *ops, int *sent)
{
    bool in_node = site->per_leader > 1;
    for (int b = 0; b < site->bucket_count; b++) {
        int ready = dts_build_delay(plan, in_node ? DTS_DATA : DTS_PUSH, &site->buckets[b],
                                    site->ps->overlap_push ? ops->ready[b] : ops->last);
        if (in_node)
            ready = add_in_node(site, plan, DTS_ALLREDUCE, "sum in node", b, gradients, ready);
        sent[b] = add_exchange(plan, dts_stream_push(way_of(site, b)), "push", b,
                               worker_side(site, b, gradients, true), ready);
    }
}

/* Pulls of all buckets, and what passes them on in the node. arrived[b] ends each. */
static void add_pulls(const struct dts_ps_site *site, struct dts_plan *plan, int weights,
                      const int *sent, int *arrived)
{
    for (int b = 0; b < site->bucket_count; b++) {
        arrived[b] = add_exchange(plan, dts_stream_pull(way_of(site, b)), "pull", b,
                                  worker_side(site, b, weights, false), sent[b]);
        if (site->per_leader > 1)
            arrived[b] = add_in_node(site, plan, DTS_BROADCAST, "spread in node", b, weights,
                                     arrived[b]);
    }
}

/* The numbers that add_pulls() will give: the forward calls, which come before, wait for them
 * in the next step. */
static void foresee_arrivals(const struct dts_ps_site *site, int *arrival)
{
    int each = site->per_leader > 1 ? 2 : 1;
    int next = dts_build_compute_count(site->point) + each * site->bucket_count;
    for (int b = 0; b < site->bucket_count; b++)
        next += site->buckets[b].delay_s > 0;
    for (int b = 0; b < site->bucket_count; b++)
        arrival[b] = next + each * b + each - 1;
}

void dts_ps_worker(const struct dts_ps_site *site, struct dts_plan *plan)
{
    size_t count = (size_t)site->bucket_count;
    int *arrival = dts_alloc(count, sizeof(*arrival));
    int *arrived = dts_alloc(count, sizeof(*arrived));
    int *sent = dts_alloc(count, sizeof(*sent));
    struct dts_compute_ops ops = {.ready = dts_alloc(count, sizeof(int))};
    foresee_arrivals(site, arrival);
    ops.arrival = site->ps->overlap_pull ? arrival : NULL;
    ops.statistics = site->statistics.algorithm != NULL ? &site->statistics : NULL;

    int gradients = dts_build_buffer(site->point, plan, site->buckets, site->bucket_count);
    int weights = dts_build_buffer(site->point, plan, site->buckets, site->bucket_count);
    assert(gradients == DTS_GRADIENTS && weights == DTS_WEIGHTS);
    dts_build_compute(site->point, plan, site->buckets, site->bucket_count, &ops);
    add_pushes(site, plan, gradients, &ops, sent);
    add_pulls(site, plan, weights, sent, arrived);
    for (int b = 0; b < site->bucket_count; b++)
        assert(arrived[b] == arrival[b]);

    if (!site->ps->overlap_pull) {
        dts_plan_call(plan, DTS_COMPUTE, "weights are back",
                      (struct dts_call){.pass = DTS_UPDATE, .layer = -1});
        for (int b = 0; b < site->bucket_count; b++)
            dts_plan_after(plan, arrived[b]);
    }
    free(ops.ready);
    free(sent);
    free(arrived);
    free(arrival);
}

void dts_ps_server(const struct dts_ps_site *site, int server, struct dts_plan *plan)
{
    int gradients = dts_build_buffer(site->point, plan, site->buckets, site->bucket_count);
    int weights = dts_build_buffer(site->point, plan, site->buckets, site->bucket_count);
    assert(gradients == DTS_GRADIENTS && weights == DTS_WEIGHTS);
    for (int b = 0; b < site->bucket_count; b++) {
        if (is_whole(site, b) && site->owner[b] != server)
            continue;
        int push = add_exchange(plan, dts_stream_push(way_of(site, b)), "push", b,
                                server_side(site, b, gradients, false), -1);
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
                     server_side(site, b, weights, true), sum);
    }
}
