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
 * placement both: servers on nodes of their own, and one beside the workers of each node, so
 * that nodes with and without devices send as much (BytePS again, ps_site.c).
 *
 * tables "rows": of a sparse table only the rows that were touched are pushed, and those pulled
 * that the next batch touches (tables.h).
 *
 * aggregate_in_node: the devices of a node first sum among themselves; only the first of them,
 * the leader, pushes and pulls, and passes the weights on.
 */
#include <stdio.h>
#include <string.h>

#include "train/strategy/keys.h"
#include "train/strategy/ps.h"

enum { BIG_ARRAY = 1000000 }; // values: MXNET_KVSTORE_BIGARRAY_BOUND

static const char *placement_name(int i)
{
    static const char *const names[] = {
        "colocated",
        "dedicated",
        "both",
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
     .help = "servers; 0: as many as the workers have nodes; placement both: those on nodes of "
             "their own"},
    {DTS_KEY(struct dts_ps, placement), .type = DTS_STRING, .choice = placement_name,
     .missing = "\"colocated\"",
     .help = "colocated: on the hosts of the workers' nodes; dedicated: on nodes of their "
             "own; both: `servers` there, and one on each of the workers' nodes"},
    {DTS_KEY(struct dts_ps, beside_share), .type = DTS_REAL, .min = 0, .max = 1,
     .missing = "null",
     .help =
         "placement both: the share of the values on the workers' nodes; default: BytePS's, "
         "with which all nodes send as much"},
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
    {DTS_KEY(struct dts_ps, late_momentum), .type = DTS_STRING,
     .choice = dts_late_momentum_name, .missing = "\"fixed\"",
     .help = "synchronous false: the momentum of an update by a late gradient; lowered: less "
             "by s / (1 + s) where it is s updates late, and not below 0"},
    {DTS_KEY(struct dts_ps, late_compensation), .type = DTS_REAL, .min = 0, .max = 1e6,
     .missing = "0",
     .help = "synchronous false: lambda of DC-ASGD: a gradient g is g + lambda g g (weights of "
             "now - weights that it is of); 0: it stays g"},
    {DTS_KEY(struct dts_ps, backup_workers), .type = DTS_INT, .min = 0, .max = 1000000,
     .missing = "0",
     .help =
         "synchronous: servers go on without the last so many gradients of a step, which are "
         "thrown away"},
    {DTS_TABLES_KEY(struct dts_ps, tables, dts_tables_name),
     .help = "gradients of sparse tables: dense (default): whole; rows: a worker pushes the "
             "rows that it "
             "touched, and pulls those that it touches next"},
    {DTS_DENSITY_KEY(struct dts_ps, tables)},
    {DTS_DENSE_ABOVE_KEY(struct dts_ps, tables)},
    {DTS_INDEX_BYTES_KEY(struct dts_ps, tables)},
    {DTS_STATISTICS_KEY(struct dts_ps),
     .help = "with synchronized batch_norm: how workers add up its sums; default: the stack's"},
    {0},
};

static const char *default_name(const void *self)
{
    return ((const struct dts_ps *)self)->name;
}

/* What is done about late gradients. */
static bool find_late_rules(struct dts_ps *ps, const struct dts_cfg *at, struct dts_error *err)
{
    const bool adapted = strcmp(ps->late_rate, dts_late_fixed.name) != 0;
    const bool lowered = strcmp(ps->late_momentum, dts_late_momentum_fixed.name) != 0;
    const char *key = adapted                     ? "late_rate"
                      : lowered                   ? "late_momentum"
                      : ps->late_compensation > 0 ? "late_compensation"
                                                  : NULL;
    if (key != NULL && (ps->synchronous || ps->staleness_bound == 0))
        return dts_cfg_fail(at, key, err,
                            "cannot act where servers wait for all: no gradient is late");
    ps->serve.compensation = ps->late_compensation;
    for (int i = 0; adapted && dts_late_rules[i] != NULL; i++)
        if (strcmp(dts_late_rules[i]->name, ps->late_rate) == 0)
            ps->serve.late = dts_late_rules[i];
    for (int i = 0; lowered && dts_late_momentums[i] != NULL; i++)
        if (strcmp(dts_late_momentums[i]->name, ps->late_momentum) == 0)
            ps->serve.momentum = dts_late_momentums[i];
    return true;
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
    if (ps->backup_workers > 0)
        ps->serve = (struct dts_serve){&dts_serve_backup, ps->backup_workers};
    else if (!ps->synchronous && ps->staleness_bound > 0)
        ps->serve = (struct dts_serve){&dts_serve_bounded, ps->staleness_bound};
    else if (!ps->synchronous && ps->staleness_bound < 0)
        ps->serve = (struct dts_serve){&dts_serve_asynchronous, 0};
    return find_late_rules(ps, at, err);
}

/* Servers beside workers, and others. */
static bool find_places(struct dts_ps *ps, const struct dts_cfg *at, struct dts_error *err)
{
    const struct dts_cfg share = dts_cfg_member(at, "beside_share");
    ps->dedicated = strcmp(ps->placement, placement_name(1)) == 0;
    ps->both = strcmp(ps->placement, placement_name(2)) == 0;
    if (!dts_cfg_exists(&share))
        ps->beside_share = -1;
    else if (!ps->both)
        return dts_cfg_fail(at, "beside_share", err,
                            "has no effect without placement \"both\"");
    if (ps->both && ps->servers == 0)
        return dts_cfg_fail(at, "servers", err,
                            "must be >= 1 where placement is \"both\": those on nodes of their "
                            "own");
    return !ps->both || strcmp(ps->shard, shard_name(0)) == 0 ||
           dts_cfg_fail(at, "shard", err, "must be \"even\" where placement is \"both\"");
}

static bool prepare(void *self, const struct dts_stack *stack, const struct dts_cfg *at,
                    struct dts_error *err)
{
    struct dts_ps *ps = self;
    ps->statistics.key = "statistics";
    if (!dts_coll_choice_prepare(&ps->statistics, stack, at, err))
        return false;
    ps->by_tensor = strcmp(ps->shard, shard_name(0)) != 0;
    ps->round_robin = strcmp(ps->shard, "round_robin") == 0;
    ps->cut_beyond = strcmp(ps->shard, "big_cut") == 0 ? BIG_ARRAY : 0;
    ps->within_coll = dts_coll_find(ps->within);
    if (strcmp(ps->within, "hierarchical") == 0)
        return dts_cfg_fail(at, "within", err, "a node has no levels: not \"hierarchical\"");
    ps->piece_bytes = stack->piece_bytes;
    ps->policy = dts_bucket_policy_of(at, stack, ps->bucket_bytes, ps->first_bucket_bytes);
    ps->policy.cycle_s = 0; // Horovod's, which has no servers

    if (!find_rule(ps, at, err) || !find_places(ps, at, err) ||
        !dts_tables_prepare(&ps->tables, at, err))
        return false;
    if (ps->late_compensation > 0 && ps->tables.rows)
        return dts_cfg_fail(at, "late_compensation", err,
                            "cannot act where tables travel as rows: servers do not keep what "
                            "each worker was sent");
    char servers[16] = "", order[24] = "";
    if (ps->servers > 0)
        snprintf(servers, sizeof(servers), "_%d", ps->servers);
    if (ps->backup_workers > 0)
        snprintf(order, sizeof(order), "_backup_%d", ps->backup_workers);
    else if (!ps->synchronous && ps->staleness_bound >= 0)
        snprintf(order, sizeof(order), "_bound_%d", ps->staleness_bound);
    snprintf(ps->name, sizeof(ps->name), "ps%s%s%s", servers,
             ps->serve.rule == &dts_serve_asynchronous ? "_async" : order,
             ps->dedicated ? "_dedicated"
             : ps->both    ? "_both"
                           : "");
    return true;
}

static bool ranks_needed(const struct dts_point *point, struct dts_ranks_needed *needed,
                         struct dts_error *err)
{
    return dts_ps_ranks_needed(point->strategy->self, point, needed, err);
}

static bool build(const struct dts_point *point, struct dts_job *job, struct dts_error *err)
{
    const struct dts_ps *ps = point->strategy->self;
    struct dts_ps_site site = {0};
    const bool good = dts_tables_check(&ps->tables, point, err) &&
                      dts_ps_site_open(ps, point, false, &site, err);
    if (good) {
        dts_ps_add_roles(&site, job);
        dts_ps_worker(&site, &job->roles[0].plan);
    }
    dts_ps_site_close(&site);
    return good;
}

static struct dts_table_rule tables(const struct dts_point *point)
{
    const struct dts_ps *ps = point->strategy->self;
    return dts_tables_rule(&ps->tables, point, true);
}

static void rows_memory(const struct dts_point *point, struct dts_memory *memory)
{
    const struct dts_ps *ps = point->strategy->self;
    dts_tables_memory(&ps->tables, point, true, 0, memory);
}

static bool servers_memory(const struct dts_point *point, double *bytes, struct dts_error *err)
{
    return dts_ps_memory(point->strategy->self, point, false, bytes, err);
}

static void describe(const struct dts_point *point, const struct dts_job *job,
                     struct dts_text *text)
{
    const struct dts_ps *ps = point->strategy->self;
    (void)job;
    dts_tables_describe(&ps->tables, point, dts_ps_per_leader(ps, point), text);
}

/* Published are steps of servers that wait for all workers, and of whole tables. */
static const char *validated_as(const void *self)
{
    const struct dts_ps *ps = self;
    const bool known = ps->synchronous && ps->backup_workers == 0 && !ps->tables.rows;
    return known ? "parameter_server" : NULL;
}

const struct dts_strategy_kind dts_strategy_ps = {
    .name = "ps",
    .summary = "parameter servers: push gradients, pull weights; in step, or as each comes",
    .fields = fields,
    .size = sizeof(struct dts_ps),
    .updates_on_servers = true,
    .validated_as = validated_as,
    .default_name = default_name,
    .prepare = prepare,
    .ranks_needed = ranks_needed,
    .build = build,
    .tables = tables,
    .rows_memory = rows_memory,
    .servers_memory = servers_memory,
    .describe = describe,
};
