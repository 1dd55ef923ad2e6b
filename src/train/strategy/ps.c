/* ps.c -- parameter servers (Li et al. 2014, OSDI, "Scaling Distributed Machine Learning with
 * the Parameter Server").
 *
 * Servers hold the weights. Each bucket of gradients is pushed to them as soon as backward has
 * finished it; when all of it is there, they sum it, update their weights and send these back:
 *
 *     worker  compute  fwd 0 | fwd 1 | bwd 1 | bwd 0 |
 *             push                           | push 1 | push 0 |
 *             pull                                         | pull 1 | pull 0 |
 *     server  push                           | push 1 | push 0 |
 *             compute                                 | sum 1  | sum 0 |
 *             pull                                             | pull 1 | pull 0 |
 *
 * The step ends when all weights are back; with overlap_pull the next step begins at once, and
 * the first layer that has weights in a bucket waits for it.
 *
 * Shards. "even": each server holds the k-th part of every bucket. Else each bucket is on one
 * server, and each server is a role of its own, because it does what no other does:
 *
 *     tensor       the largest first to the server that has least
 *     round_robin  in the order of the network, to one server after the other, as TensorFlow's
 *                  tf.train.replica_device_setter does
 *     big_cut      as tensor, but buckets of more than a million values are cut evenly over all
 *                  servers, as MXNet does (MXNET_KVSTORE_BIGARRAY_BOUND, 1e6)
 *
 * Buckets for different servers travel beside one another, as ready as they are.
 *
 * part_bytes: large tensors travel in parts (Jiang et al. 2020, OSDI, "BytePS"): else nothing
 * of a tensor can be pulled before all of it was pushed.
 *
 * synchronous false, staleness_bound, backup_workers: servers answer requests as they come
 * (plan/serve.h); workers do the same as ever. A bound of 0 is the synchronous plan.
 *
 * aggregate_in_node: the devices of a node first sum among themselves; only the first of them,
 * the leader, pushes and pulls, and passes the weights on.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "train/strategy/keys.h"
#include "train/strategy/ps.h"

/* Beyond these the plan takes minutes to simulate, and no system does it. */
enum {
    MOST_ON_A_NODE = 64, // servers
    MOST_PARTS = 8192,   // of all gradients; BytePS's 4 MB of GPT-2 XL in fp32 are 1,558
    BIG_ARRAY = 1000000, // values: MXNET_KVSTORE_BIGARRAY_BOUND
};

static const char *placement_name(int i)
{
    static const char *const names[] = {
        "colocated",
        "dedicated",
        NULL,
    };
    return names[i];
}

static const char *shard_name(int i)
{
    static const char *const names[] = {
        "even", "tensor", "round_robin", "big_cut", NULL,
    };
    return names[i];
}

static const struct dts_field fields[] = {
    {DTS_KEY(struct dts_ps, servers), .type = DTS_INT, .min = 0, .max = 65536, .missing = "0",
     .help = "servers; 0: as many as the workers have nodes"},
    {DTS_KEY(struct dts_ps, placement), .type = DTS_STRING, .choice = placement_name,
     .missing = "\"colocated\"",
     .help = "colocated: on the hosts of the workers' nodes; dedicated: on nodes of their own"},
    {DTS_KEY(struct dts_ps, shard), .type = DTS_STRING, .choice = shard_name,
     .missing = "\"even\"",
     .help =
         "even: each server has a part of every bucket; tensor: whole buckets, by size; "
         "round_robin: whole buckets, in turn; big_cut: by size, those above a million values "
         "in parts"},
    {DTS_BUCKET_KEY(struct dts_ps)},
    {DTS_FIRST_BUCKET_KEY(struct dts_ps)},
    {DTS_KEY(struct dts_ps, part_bytes), .type = DTS_REAL, .min = 0, .max = 1e12,
     .missing = "0",
     .help =
         "larger buckets travel in parts of this size, so that one part is pulled while the "
         "next is pushed; 0: whole"},
    {DTS_KEY(struct dts_ps, overlap_push), .type = DTS_BOOL, .missing = "true",
     .help = "push while backward computes; else after it"},
    {DTS_KEY(struct dts_ps, overlap_pull), .type = DTS_BOOL, .missing = "true",
     .help = "pull while the next forward computes; else before it"},
    {DTS_KEY(struct dts_ps, aggregate_in_node), .type = DTS_BOOL, .missing = "false",
     .help = "the devices of a node sum first, and one of them pushes"},
    {DTS_KEY(struct dts_ps, within), .type = DTS_STRING, .choice = dts_coll_name,
     .missing = "\"ring\"", .help = "aggregate_in_node: the algorithm in the node"},
    {DTS_KEY(struct dts_ps, synchronous), .type = DTS_BOOL, .missing = "true",
     .help =
         "servers wait for all workers; false: each gradient is an update, and its worker is "
         "answered at once"},
    {DTS_KEY(struct dts_ps, staleness_bound), .type = DTS_INT, .min = -1, .max = 1000000,
     .missing = "-1",
     .help = "synchronous false: no worker is further ahead of the slowest than so many steps; "
             "0: as synchronous; -1: no bound"},
    {DTS_KEY(struct dts_ps, late_rate), .type = DTS_STRING, .choice = dts_late_rule_name,
     .missing = "\"fixed\"",
     .help = "synchronous false: the learning rate of a late gradient; adapted: divided by one "
             "plus the updates that it is late by"},
    {DTS_KEY(struct dts_ps, backup_workers), .type = DTS_INT, .min = 0, .max = 1000000,
     .missing = "0",
     .help =
         "synchronous: servers go on without the last so many gradients of a step, which are "
         "thrown away"},
    {DTS_STATISTICS_KEY(struct dts_ps),
     .help = "with synchronized batch_norm: how workers add up its sums; default: the stack's"},
    {0},
};

static const char *default_name(const void *self)
{
    return ((const struct dts_ps *)self)->name;
}

/* How servers answer: by the plan, or by a rule. */
static bool find_rule(struct dts_ps *ps, const struct dts_cfg *at, struct dts_error *err)
{
    if (ps->synchronous && ps->staleness_bound >= 0)
        return dts_cfg_fail(
            at, "staleness_bound", err,
            "cannot act where servers are synchronous: set synchronous to false");
    if (!ps->synchronous && ps->backup_workers > 0)
        return dts_cfg_fail(at, "backup_workers", err,
                            "cannot act where servers are asynchronous: they wait for nobody");
    const bool adapted = strcmp(ps->late_rate, dts_late_fixed.name) != 0;
    if (adapted && (ps->synchronous || ps->staleness_bound == 0))
        return dts_cfg_fail(at, "late_rate", err,
                            "cannot act where servers wait for all: no gradient is late");
    if (ps->backup_workers > 0)
        ps->serve = (struct dts_serve){&dts_serve_backup, ps->backup_workers, NULL};
    else if (!ps->synchronous && ps->staleness_bound > 0)
        ps->serve = (struct dts_serve){&dts_serve_bounded, ps->staleness_bound, NULL};
    else if (!ps->synchronous && ps->staleness_bound < 0)
        ps->serve = (struct dts_serve){&dts_serve_asynchronous, 0, NULL};
    for (int i = 0; adapted && dts_late_rules[i] != NULL; i++)
        if (strcmp(dts_late_rules[i]->name, ps->late_rate) == 0)
            ps->serve.late = dts_late_rules[i];
    return true;
}

static bool prepare(void *self, const struct dts_stack *stack, const struct dts_cfg *at,
                    struct dts_error *err)
{
    struct dts_ps *ps = self;
    ps->statistics.key = "statistics";
    if (!dts_coll_choice_prepare(&ps->statistics, stack, at, err))
        return false;
    ps->dedicated = strcmp(ps->placement, "dedicated") == 0;
    ps->by_tensor = strcmp(ps->shard, shard_name(0)) != 0;
    ps->round_robin = strcmp(ps->shard, "round_robin") == 0;
    ps->cut_beyond = strcmp(ps->shard, "big_cut") == 0 ? BIG_ARRAY : 0;
    ps->within_coll = dts_coll_find(ps->within);
    if (strcmp(ps->within, "hierarchical") == 0)
        return dts_cfg_fail(at, "within", err, "a node has no levels: not \"hierarchical\"");
    ps->piece_bytes = stack->piece_bytes;
    ps->policy = dts_bucket_policy_of(at, stack, ps->bucket_bytes, ps->first_bucket_bytes);
    ps->policy.cycle_s = 0; // Horovod's, which has no servers

    if (!find_rule(ps, at, err))
        return false;
    char servers[16] = "", order[24] = "";
    if (ps->servers > 0)
        snprintf(servers, sizeof(servers), "_%d", ps->servers);
    if (ps->backup_workers > 0)
        snprintf(order, sizeof(order), "_backup_%d", ps->backup_workers);
    else if (!ps->synchronous && ps->staleness_bound >= 0)
        snprintf(order, sizeof(order), "_bound_%d", ps->staleness_bound);
    snprintf(ps->name, sizeof(ps->name), "ps%s%s%s", servers,
             ps->serve.rule == &dts_serve_asynchronous ? "_async" : order,
             ps->dedicated ? "_dedicated" : "");
    return true;
}

static int server_count(const struct dts_point *point)
{
    const struct dts_ps *ps = point->strategy->self;
    return ps->servers > 0 ? ps->servers : dts_point_nodes(point);
}

static bool ranks_needed(const struct dts_point *point, struct dts_ranks_needed *needed,
                         struct dts_error *err)
{
    const struct dts_ps *ps = point->strategy->self;
    int nodes = dts_point_nodes(point);
    if (!ps->dedicated && ps->servers / MOST_ON_A_NODE > nodes)
        return dts_point_fail(
            point, err, "%s: servers must be <= %d on each of %d node%s, got %d",
            point->strategy->name, MOST_ON_A_NODE, nodes, dts_plural(nodes), ps->servers);
    *needed = (struct dts_ranks_needed){
        .devices = point->devices,
        .hosts = server_count(point),
        .dedicated = ps->dedicated,
    };
    return true;
}

/* The bucket that comes next: of those that have no server yet the largest, or in the order of
 * the network, which is opposite to that of backward; -1: all have one. */
static int next_bucket(const struct dts_ps_site *site, const bool *assigned)
{
    int next = -1;
    for (int b = site->bucket_count - 1; b >= 0; b--) {
        const bool larger =
            next >= 0 && site->buckets[b].elements >= site->buckets[next].elements;
        if (!assigned[b] && (next < 0 || (!site->ps->round_robin && larger)))
            next = b;
    }
    return next;
}

/* By size each goes to the server that has least so far, ties to the lower number; in turn each
 * to the next server. */
static void assign(struct dts_ps_site *site)
{
    size_t *load = dts_alloc((size_t)site->servers, sizeof(*load));
    bool *assigned = dts_alloc((size_t)site->bucket_count + 1, sizeof(*assigned));
    for (int b = 0; b < site->bucket_count; b++)
        if (site->ps->cut_beyond > 0 && site->buckets[b].elements > site->ps->cut_beyond) {
            site->owner[b] = -1;
            assigned[b] = true;
        }
    int turn = 0;
    for (int b; (b = next_bucket(site, assigned)) >= 0; turn++) {
        int server = site->ps->round_robin ? turn % site->servers : 0;
        for (int s = 1; s < site->servers && !site->ps->round_robin; s++)
            server = load[s] < load[server] ? s : server;
        site->owner[b] = server;
        assigned[b] = true;
        load[server] += site->buckets[b].elements;
    }
    free(assigned);
    free(load);
}

/* One role for all servers, or one for each where each has other buckets. */
static void add_roles(const struct dts_ps_site *site, struct dts_job *job)
{
    int devices = site->point->devices;
    int kinds = site->ps->by_tensor ? site->servers : 1;
    job->roles = dts_alloc(1 + (size_t)kinds, sizeof(*job->roles));
    job->role_count = 1 + kinds;
    job->ranks = devices + site->servers;

    job->roles[0] = (struct dts_role){.name = "worker", .count = devices};
    dts_ps_worker(site, &job->roles[0].plan);
    for (int s = 0; s < kinds; s++) {
        job->roles[1 + s] = (struct dts_role){
            .name = "server",
            .kind = DTS_SERVER,
            .first = devices + s,
            .count = site->servers / kinds,
            .serve = site->ps->serve,
        };
        dts_ps_server(site, s, &job->roles[1 + s].plan);
    }
}

static bool find_leaders(const struct dts_point *point, int *per_leader, struct dts_error *err)
{
    const struct dts_ps *ps = point->strategy->self;
    *per_leader = ps->aggregate_in_node ? dts_point_per_node(point) : 1;
    if (*per_leader == 1 && ps->aggregate_in_node && point->devices > 1 &&
        point->machine->devices_per_node > 1)
        return dts_point_fail(point, err,
                              "%s: aggregate_in_node needs neighbouring ranks on every node, "
                              "as many as a node has devices (%d)",
                              point->strategy->name, point->machine->devices_per_node);

    struct dts_coll_shape shape = {
        .size = *per_leader, .per_node = *per_leader, .shards = 1, .pieces = 1};
    const enum dts_coll_kind kinds[] = {DTS_ALLREDUCE, DTS_BROADCAST};
    for (int i = 0; i < 2; i++) {
        const char *why = NULL;
        shape.kind = kinds[i];
        if (!dts_coll_fits(ps->within_coll, &shape, &why))
            return dts_point_fail(point, err, "%s: within: %s %s", point->strategy->name,
                                  ps->within, why);
    }
    return true;
}

/* Cut the buckets into parts. */
static bool cut(struct dts_ps_site *site, struct dts_error *err)
{
    const struct dts_ps *ps = site->ps;
    double most = ps->part_bytes / (double)dts_point_wire_bytes(site->point);
    double all = 0;
    most = most > 1 ? floor(most) : 1;
    for (int b = 0; b < site->bucket_count; b++)
        all += ceil((double)site->buckets[b].elements / most);
    if (all > MOST_PARTS)
        return dts_point_fail(site->point, err,
                              "%s: part_bytes %g makes %.0f parts, must be at most %d",
                              site->point->strategy->name, ps->part_bytes, all, MOST_PARTS);
    site->bucket_count = dts_buckets_cut(&site->buckets, site->bucket_count, (size_t)most);
    return true;
}

/* Workers that go their own way add up nothing among each other. */
static bool check_serve(const struct dts_ps_site *site, struct dts_error *err)
{
    const struct dts_ps *ps = site->ps;
    const char *name = site->point->strategy->name;
    const int peers = site->point->devices / site->per_leader;
    if (ps->serve.rule != NULL && dts_build_synchronizes(site->point))
        return dts_point_fail(site->point, err,
                              "%s: synchronized batch_norm needs workers in step, and these "
                              "servers answer each as it comes",
                              name);
    if (ps->backup_workers >= peers)
        return dts_point_fail(site->point, err,
                              "%s: backup_workers must be below the %d that push, got %d", name,
                              peers, ps->backup_workers);
    return true;
}

static bool build(const struct dts_point *point, struct dts_job *job, struct dts_error *err)
{
    const struct dts_ps *ps = point->strategy->self;
    struct dts_ps_site site = {.point = point, .ps = ps, .servers = server_count(point)};
    if (!find_leaders(point, &site.per_leader, err) || !check_serve(&site, err))
        return false;
    const struct dts_members all = dts_point_members(point);
    if (dts_build_synchronizes(point) &&
        !dts_coll_choice_small(&ps->statistics, point, &all, &site.statistics, err))
        return false;
    if (point->machine->host_memory_bytes_per_s <= 0)
        return dts_point_fail(point, err,
                              "%s: the platform does not say host_memory_bytes_per_s, at "
                              "which a server sums",
                              point->strategy->name);

    site.bucket_count =
        dts_buckets(&point->scenario->model, &ps->policy, dts_point_wire_bytes(point),
                    point->seconds->backward, &site.buckets);
    if (ps->part_bytes > 0 && !cut(&site, err)) {
        free(site.buckets);
        return false;
    }
    site.owner = dts_alloc((size_t)site.bucket_count, sizeof(*site.owner));
    if (ps->by_tensor)
        assign(&site);
    add_roles(&site, job);
    free(site.owner);
    free(site.buckets);
    return true;
}

const struct dts_strategy_kind dts_strategy_ps = {
    .name = "ps",
    .summary = "parameter servers: push gradients, pull weights; in step, or as each comes",
    .fields = fields,
    .size = sizeof(struct dts_ps),
    .updates_on_servers = true,
    .default_name = default_name,
    .prepare = prepare,
    .ranks_needed = ranks_needed,
    .build = build,
};
