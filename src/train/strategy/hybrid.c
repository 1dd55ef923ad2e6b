/* hybrid.c -- dense tensors by all-reduce, sparse tables by servers (Kim et al. 2018,
 * "Parallax: Sparsity-aware Data Parallel Training of Deep Neural Networks", arXiv:1808.02621).
 *
 * An all-reduce is at its best where each value has a gradient on every device; servers are
 * where a device touches few rows, since its messages do not grow with the number of devices.
 * Each device holds the dense tensors and updates them; servers hold the tables and update
 * those:
 *
 *     worker  compute  fwd 0 | fwd 1 | bwd 1 | bwd 0 |              | update
 *             data                           | all-reduce 0 |
 *             push                                   | push 1 |
 *             pull                                            | pull 1 |
 *     server  compute                                      | sum 1 |
 *
 * The layer of a table waits in the next step for the rows that it reads. `dense_above` says by
 * the density which tables travel whole, with the dense tensors.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "train/strategy/keys.h"
#include "train/strategy/ps.h"

struct hybrid {
    struct dts_ps ps; // its servers
    struct dts_coll_choice choice;
    bool overlap;
};

static const char *placement_name(int i)
{
    static const char *const names[] = {"colocated", "dedicated", NULL};
    return names[i];
}

static const struct dts_field fields[] = {
    {DTS_KEY_OF(struct hybrid, "servers", ps.servers), .type = DTS_INT, .min = 0, .max = 65536,
     .missing = "0", .help = "servers of tables; 0: as many as the workers have nodes"},
    {DTS_KEY_OF(struct hybrid, "placement", ps.placement), .type = DTS_STRING,
     .choice = placement_name, .missing = "\"colocated\"",
     .help = "colocated: on the hosts of the workers' nodes; dedicated: on nodes of their own"},
    {DTS_KEY_OF(struct hybrid, "aggregate_in_node", ps.aggregate_in_node), .type = DTS_BOOL,
     .missing = "false",
     .help = "the devices of a node first gather their rows, and one of them pushes each once"},
    {DTS_DENSITY_KEY(struct hybrid, ps.tables)},
    {DTS_DENSE_ABOVE_KEY(struct hybrid, ps.tables)},
    {DTS_INDEX_BYTES_KEY(struct hybrid, ps.tables)},
    {DTS_ALGORITHM_KEY(struct hybrid, choice),
     .help = "how dense gradients are summed; default: the stack's"},
    {DTS_BETWEEN_KEY(struct hybrid, choice)},
    {DTS_SHARDS_KEY(struct hybrid, choice),
     .help = "hierarchical: devices of a node that exchange with other nodes; default: the "
             "stack's, or all"},
    {DTS_CHANNELS_KEY(struct hybrid, choice),
     .help = "parts of a bucket that go round at once; default: the stack's"},
    {DTS_KEY_OF(struct hybrid, "bucket_bytes", ps.bucket_bytes), DTS_BYTES_OR_NONE(0),
     .help =
         "dense gradients that travel together, 0: each tensor alone; default: the stack's"},
    {DTS_KEY_OF(struct hybrid, "first_bucket_bytes", ps.first_bucket_bytes),
     DTS_BYTES_OR_NONE(0),
     .help =
         "the same for the first bucket; default: the stack's, or bucket_bytes where that is "
         "given"},
    {DTS_PIECE_KEY(struct hybrid, choice)},
    {DTS_KEY(struct hybrid, overlap), .type = DTS_BOOL, .missing = "null",
     .help = "exchange while backward computes; else after it; default: as the stack does"},
    {0},
};

static const char *default_name(const void *self)
{
    return ((const struct hybrid *)self)->ps.name;
}

static bool prepare(void *self, const struct dts_stack *stack, const struct dts_cfg *at,
                    struct dts_error *err)
{
    struct hybrid *h = self;
    struct dts_ps *ps = &h->ps;
    const struct dts_cfg overlap = dts_cfg_member(at, "overlap");
    if (!dts_cfg_exists(&overlap))
        h->overlap = !stack->exchanges_after;
    ps->overlap_push = h->overlap;
    ps->overlap_pull = ps->synchronous = true;
    ps->beside_share = ps->staleness_bound = -1;
    ps->dedicated = strcmp(ps->placement, placement_name(1)) == 0;
    ps->within_coll = dts_coll_find("ring");
    ps->within = "ring";
    ps->piece_bytes = stack->piece_bytes;
    ps->policy = dts_bucket_policy_of(at, stack, ps->bucket_bytes, ps->first_bucket_bytes);
    char servers[16] = "";
    if (ps->servers > 0)
        snprintf(servers, sizeof(servers), "_%d", ps->servers);
    snprintf(ps->name, sizeof(ps->name), "hybrid%s%s", servers,
             ps->dedicated ? "_dedicated" : "");
    ps->tables.word = dts_tables_name(1);
    if (!dts_coll_choice_prepare(&h->choice, stack, at, err) ||
        !dts_tables_prepare(&ps->tables, at, err))
        return false;
    ps->statistics = h->choice;
    return true;
}

static bool ranks_needed(const struct dts_point *point, struct dts_ranks_needed *needed,
                         struct dts_error *err)
{
    const struct hybrid *h = point->strategy->self;
    return dts_ps_ranks_needed(&h->ps, point, needed, err);
}

/* Rows leave as soon as they are there; the cycles of a library are of its all-reduces. */
static void forget_cycles(struct dts_ps_site *site)
{
    for (int b = 0; b < site->bucket_count; b++)
        if (site->buckets[b].table >= 0) {
            site->buckets[b].ready_after = site->buckets[b].table;
            site->buckets[b].delay_s = 0;
        }
}

static bool add_sums(const struct dts_ps_site *site, struct dts_plan *plan,
                     const struct dts_compute_ops *ops, struct dts_error *err)
{
    const struct hybrid *h = site->point->strategy->self;
    const struct dts_coll_use sum = {&h->choice, site->point, dts_point_members(site->point),
                                     DTS_ALLREDUCE};
    for (int b = 0; b < site->bucket_count && site->point->devices > 1; b++) {
        if (site->buckets[b].table >= 0)
            continue;
        const int ready = dts_build_delay(plan, DTS_DATA, &site->buckets[b],
                                          h->overlap ? ops->ready[b] : ops->last);
        const struct dts_span data = dts_bucket_span(site->buckets, b, DTS_GRADIENTS);
        if (dts_coll_add_bucket(&sum, plan, "all-reduce", b, data, ready, err) < 0)
            return false;
    }
    return true;
}

/* Behind the exchanges of tables, since dts_ps_foresee() counts what comes before these. */
static bool add_worker(const struct dts_ps_site *site, struct dts_plan *plan,
                       struct dts_error *err)
{
    const struct dts_point *point = site->point;
    const size_t count = (size_t)site->bucket_count;
    int *arrival = dts_alloc(count, sizeof(*arrival));
    int *arrived = dts_alloc(count, sizeof(*arrived));
    struct dts_compute_ops ops = {.ready = dts_alloc(count, sizeof(int)), .arrival = arrival};
    ops.statistics = site->statistics.algorithm != NULL ? &site->statistics : NULL;
    dts_ps_foresee(site, arrival);
    const struct dts_ps_buffers buffers = dts_ps_add_buffers(site, plan);
    dts_build_compute(point, plan, site->buckets, site->bucket_count, &ops);
    dts_ps_add_exchanges(site, plan, &buffers, &ops, arrived);
    const int first = plan->op_count;
    const bool good = add_sums(site, plan, &ops, err);
    const int last = plan->op_count;
    dts_build_call(
        point, plan, "update",
        (struct dts_call){.pass = DTS_UPDATE, .layer = -1, .seconds = point->seconds->update});
    for (int op = first; op < last; op++)
        dts_plan_after(plan, op);
    free(ops.ready);
    free(arrived);
    free(arrival);
    return good;
}

static bool build(const struct dts_point *point, struct dts_job *job, struct dts_error *err)
{
    const struct hybrid *h = point->strategy->self;
    struct dts_ps_site site = {0};
    bool good = dts_tables_check(&h->ps.tables, point, err) &&
                dts_ps_site_open(&h->ps, point, true, &site, err);
    if (good && !dts_tables_any(site.buckets, site.bucket_count))
        good = dts_point_fail(point, err,
                              "%s: dense_above %g leaves no table to the servers: take "
                              "\"allreduce\"",
                              point->strategy->name, h->ps.tables.above);
    if (good) {
        forget_cycles(&site);
        dts_ps_add_roles(&site, job);
        good = add_worker(&site, &job->roles[0].plan, err);
    }
    dts_ps_site_close(&site);
    return good;
}

static struct dts_table_rule tables(const struct dts_point *point)
{
    const struct hybrid *h = point->strategy->self;
    return dts_tables_rule(&h->ps.tables, point, true);
}

static void rows_memory(const struct dts_point *point, struct dts_memory *memory)
{
    const struct hybrid *h = point->strategy->self;
    dts_tables_memory(&h->ps.tables, point, true, 0, memory);
}

static bool servers_memory(const struct dts_point *point, double *bytes, struct dts_error *err)
{
    return dts_ps_memory(&((const struct hybrid *)point->strategy->self)->ps, point, true,
                         bytes, err);
}

static void describe(const struct dts_point *point, const struct dts_job *job,
                     struct dts_text *text)
{
    const struct dts_ps *ps = &((const struct hybrid *)point->strategy->self)->ps;
    (void)job;
    dts_tables_describe(&ps->tables, point, dts_ps_per_leader(ps, point), text);
}

/* The few published steps are references of scenario `parallax`. */
static const char *validated_as(const void *self)
{
    (void)self;
    return NULL;
}

const struct dts_strategy_kind dts_strategy_hybrid = {
    .name = "hybrid",
    .summary = "dense gradients by all-reduce, rows of sparse tables by servers",
    .fields = fields,
    .size = sizeof(struct hybrid),
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
