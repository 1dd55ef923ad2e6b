/* allreduce.c -- every device holds the whole model and all sum their gradients (Goyal
 * et al. 2017, arXiv:1706.02677; Li et al. 2020, arXiv:2006.15704). A bucket is exchanged as
 * soon as backward has finished it, while the layers before it still compute:
 *
 *     compute   fwd 0 | fwd 1 | bwd 1 | bwd 0 |                     | update
 *     data                            | all-reduce 1 | all-reduce 0 |
 *
 * Tables as rows (tables.h): rows of two devices are other rows, so they are not summed on
 * their way. All devices gather the rows of all, and each adds them (Sergeev and Del Balso
 * 2018, arXiv:1802.05799: what Horovod does with tf.IndexedSlices):
 *
 *     data                            | all-gather 1 | add 1 | all-reduce 0 |
 *
 * Divided tables: their rows come by an all-to-all behind the forward call of their layer, and
 * the gradients of these rows leave by one before its backward call (build_layers.h).
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "train/strategy/build.h"
#include "train/strategy/coll_choice.h"
#include "train/strategy/gather.h"
#include "train/strategy/keys.h"
#include "train/strategy/tables.h"

struct allreduce {
    struct dts_coll_choice choice;
    struct dts_coll_choice statistics; // of synchronized batch normalization
    struct dts_coll_choice lookup;     // of rows of divided tables
    double bucket_bytes, first_bucket_bytes;
    bool overlap;
    struct dts_tables tables;
    struct dts_bucket_policy policy; // what follows from these and from the stack
};

static const struct dts_field fields[] = {
    {DTS_ALGORITHM_KEY(struct allreduce, choice),
     .help = "how gradients are summed; default: the stack's"},
    {DTS_BETWEEN_KEY(struct allreduce, choice)},
    {DTS_SHARDS_KEY(struct allreduce, choice),
     .help = "hierarchical: devices of a node that exchange with other nodes, 1: a leader; "
             "default: the stack's, or all"},
    {DTS_CHANNELS_KEY(struct allreduce, choice),
     .help = "parts of a bucket that go round at once; default: the stack's"},
    {DTS_BUCKET_KEY(struct allreduce)},
    {DTS_FIRST_BUCKET_KEY(struct allreduce)},
    {DTS_PIECE_KEY(struct allreduce, choice)},
    {DTS_STATISTICS_KEY(struct allreduce),
     .help = "with synchronized batch_norm: how its sums are added up; default: as gradients"},
    {DTS_KEY(struct allreduce, overlap), .type = DTS_BOOL, .missing = "null",
     .help = "exchange while backward computes; else after it; default: as the stack does"},
    {DTS_TABLES_KEY(struct allreduce, tables, dts_tables_name_divided),
     .help = "gradients of sparse tables: dense (default): summed whole; rows: all devices "
             "gather the rows that each touched; divided: each device has a part of every "
             "table, and all-to-alls bring the rows of its samples and take gradients back"},
    {DTS_DENSITY_KEY(struct allreduce, tables)},
    {DTS_DENSE_ABOVE_KEY(struct allreduce, tables)},
    {DTS_INDEX_BYTES_KEY(struct allreduce, tables)},
    {0},
};

static const char *default_name(const void *self)
{
    return ((const struct allreduce *)self)->choice.algorithm;
}

static bool prepare(void *self, const struct dts_stack *stack, const struct dts_cfg *at,
                    struct dts_error *err)
{
    struct allreduce *a = self;
    const struct dts_cfg overlap = dts_cfg_member(at, "overlap");
    if (!dts_cfg_exists(&overlap))
        a->overlap = !stack->exchanges_after;
    a->statistics.key = "statistics";
    if (!dts_coll_choice_prepare(&a->choice, stack, at, err))
        return false;
    if (a->statistics.algorithm == NULL)
        a->statistics = a->choice;
    else if (!dts_coll_choice_prepare(&a->statistics, stack, at, err))
        return false;
    a->policy = dts_bucket_policy_of(at, stack, a->bucket_bytes, a->first_bucket_bytes);
    a->lookup =
        (struct dts_coll_choice){.kind = DTS_ALLTOALL, .algorithm = "pairwise", .channels = 1};
    return dts_coll_choice_prepare(&a->lookup, stack, at, err) &&
           dts_tables_prepare(&a->tables, at, err);
}

static bool ranks_needed(const struct dts_point *point, struct dts_ranks_needed *needed,
                         struct dts_error *err)
{
    (void)err;
    *needed = (struct dts_ranks_needed){.devices = point->devices};
    return true;
}

/* Where gradients are, and the rows of all devices; -1: there are none. */
struct buffers {
    int gradients, rows;
};

static bool add_exchanges(const struct dts_point *point, struct dts_plan *plan,
                          const struct dts_bucket *buckets, int count,
                          const struct buffers *buffers, const struct dts_compute_ops *ops,
                          struct dts_error *err)
{
    const struct allreduce *a = point->strategy->self;
    const struct dts_members all = dts_point_members(point);
    double element_bytes = (double)plan->buffers[buffers->gradients].element_bytes;

    for (int b = 0; b < count; b++) {
        int ready = dts_build_delay(plan, DTS_DATA, &buckets[b],
                                    a->overlap ? ops->ready[b] : ops->last);
        if (buckets[b].table >= 0) {
            const struct dts_gather gather = {&a->choice, point, plan, buckets, buffers->rows};
            if (!dts_gather_add(&gather, b, ready, err))
                return false;
            continue;
        }
        struct dts_collective collective;
        if (!dts_coll_choice_make(&a->choice, point, &all, DTS_ALLREDUCE,
                                  (double)buckets[b].elements * element_bytes, &collective,
                                  err))
            return false;
        collective.data = dts_bucket_span(buckets, b, buffers->gradients);
        char label[32];
        snprintf(label, sizeof(label), "all-reduce %d", b);
        int op = dts_plan_collective(plan, DTS_DATA, label, collective);
        plan->ops[op].bucket = b;
        dts_plan_after(plan, ready);
    }
    return true;
}

static bool add_plan(const struct dts_point *point, const struct dts_collective *statistics,
                     const struct dts_collective *rows, struct dts_plan *plan,
                     struct dts_error *err)
{
    const struct allreduce *a = point->strategy->self;
    struct dts_bucket *buckets;
    const int count = dts_tables_buckets(&a->tables, point, &a->policy, 1, &buckets);
    struct dts_compute_ops ops = {
        .ready = dts_alloc((size_t)count, sizeof(int)), .statistics = statistics, .rows = rows};
    bool alone = point->devices == 1;
    struct buffers buffers = {-1, -1};
    if (!alone)
        buffers.gradients = dts_build_buffer(point, plan, buckets, count);
    if (!alone && dts_tables_any(buckets, count))
        buffers.rows = dts_tables_buffer(point, plan, buckets, count, (size_t)point->devices);

    dts_build_compute(point, plan, buckets, count, &ops);
    int first = plan->op_count;
    const bool good = alone || add_exchanges(point, plan, buckets, count, &buffers, &ops, err);
    int last = plan->op_count;
    dts_build_call(
        point, plan, "update",
        (struct dts_call){.pass = DTS_UPDATE, .layer = -1, .seconds = point->seconds->update});
    for (int op = first; op < last; op++)
        dts_plan_after(plan, op);

    free(ops.ready);
    free(buckets);
    return good;
}

static bool build(const struct dts_point *point, struct dts_job *job, struct dts_error *err)
{
    const struct allreduce *a = point->strategy->self;
    const bool synchronizes = dts_build_synchronizes(point);
    const struct dts_members all = dts_point_members(point);
    const bool divides = dts_tables_divided(&a->tables, point);
    struct dts_collective statistics, rows;
    if (!dts_tables_check(&a->tables, point, err))
        return false;
    if (synchronizes && !dts_coll_choice_small(&a->statistics, point, &all, &statistics, err))
        return false;
    if (divides && !dts_coll_choice_make(&a->lookup, point, &all, DTS_ALLTOALL, 0, &rows, err))
        return false;

    job->roles = dts_alloc(1, sizeof(*job->roles));
    job->role_count = 1;
    job->ranks = point->devices;
    job->roles[0] = (struct dts_role){.name = "worker", .count = point->devices};
    return add_plan(point, synchronizes ? &statistics : NULL, divides ? &rows : NULL,
                    &job->roles[0].plan, err);
}

static struct dts_table_rule tables(const struct dts_point *point)
{
    const struct allreduce *a = point->strategy->self;
    return dts_tables_rule(&a->tables, point, false);
}

static void rows_memory(const struct dts_point *point, struct dts_memory *needed)
{
    const struct allreduce *a = point->strategy->self;
    if (point->devices > 1)
        dts_tables_memory(&a->tables, point, false, point->devices, needed);
}

static void describe(const struct dts_point *point, const struct dts_job *job,
                     struct dts_text *text)
{
    const struct allreduce *a = point->strategy->self;
    (void)job;
    dts_tables_describe(&a->tables, point, 1, text);
}

static const char *validated_as(const void *self)
{
    (void)self;
    return "data_parallel";
}

const struct dts_strategy_kind dts_strategy_allreduce = {
    .name = "allreduce",
    .summary = "every device holds the model; gradients are summed by a collective",
    .fields = fields,
    .size = sizeof(struct allreduce),
    .validated_as = validated_as,
    .default_name = default_name,
    .prepare = prepare,
    .ranks_needed = ranks_needed,
    .build = build,
    .tables = tables,
    .rows_memory = rows_memory,
    .describe = describe,
};
