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
 *
 * Or less often, or later: synchrony.h.
 */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "train/strategy/build.h"
#include "train/strategy/coll_choice.h"
#include "train/strategy/delay.h"
#include "train/strategy/gather.h"
#include "train/strategy/gossip.h"
#include "train/strategy/keys.h"
#include "train/strategy/synchrony.h"
#include "train/strategy/tables.h"

struct allreduce {
    struct dts_coll_choice choice;
    struct dts_coll_choice statistics; // of synchronized batch normalization
    struct dts_coll_choice lookup;     // of rows of divided tables
    double bucket_bytes, first_bucket_bytes;
    bool overlap;
    struct dts_tables tables;
    struct dts_synchrony synchrony;
    struct dts_bucket_policy policy; // what follows from these and from the stack
    char name[64];
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
    {DTS_LOCAL_STEPS_KEY(struct allreduce),
     .help = "updates that each device makes alone before all take the mean of their weights; "
             "default: gradients are summed in each step"},
    {DTS_LOCAL_AFTER_KEY(struct allreduce)},
    {DTS_SYNCHRONY_KEY(struct allreduce, average), .type = DTS_STRING,
     .choice = dts_synchrony_average, .missing = "null",
     .help =
         "local_steps: whose weights: of all; of pairs, each time others; or of pairs beside "
         "the next step, of which nobody waits for the other's step (AD-PSGD); default: "
         "all"},
    {DTS_OUTER_RATE_KEY(struct allreduce)},
    {DTS_OUTER_MOMENTUM_KEY(struct allreduce)},
    {DTS_SYNCHRONY_KEY(struct allreduce, delay), .type = DTS_INT, .min = 1, .max = 1,
     .missing = "null",
     .help =
         "1: the update of a step uses the gradients of the step before, whose exchange has "
         "a step's time; default: its own"},
    {DTS_SYNCHRONY_KEY(struct allreduce, delay_first), .type = DTS_INT, .min = 1,
     .max = 1000000, .missing = "null",
     .help = "delay: of so many layers with parameters nearest the input alone, whose "
             "gradients are ready last; default: of all"},
    {DTS_SYNCHRONY_KEY(struct allreduce, delay_last), .type = DTS_INT, .min = 1, .max = 1000000,
     .missing = "null",
     .help = "delay: of so many layers with parameters nearest the output alone; default: of "
             "all"},
    {0},
};

static const char *default_name(const void *self)
{
    return ((const struct allreduce *)self)->name;
}

static bool prepare_synchrony(struct allreduce *a, const struct dts_cfg *at,
                              struct dts_error *err)
{
    const struct dts_synchrony *s = &a->synchrony;
    if (!dts_synchrony_prepare(&a->synchrony, at, err))
        return false;
    if ((s->local_steps > 0 || s->delay > 0) && (a->tables.rows || a->tables.divided))
        return dts_cfg_fail(
            at, "tables", err,
            "rows are gathered with the gradients of each step, and these ranks "
            "do not sum them so");
    dts_synchrony_name(s, a->choice.algorithm, a->name, sizeof(a->name));
    return true;
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
           dts_tables_prepare(&a->tables, at, err) && prepare_synchrony(a, at, err);
}

static bool ranks_needed(const struct dts_point *point, struct dts_ranks_needed *needed,
                         struct dts_error *err)
{
    (void)err;
    *needed = (struct dts_ranks_needed){.devices = point->devices};
    return true;
}

/* The all-reduce of a bucket. */
static bool add_exchange(const struct dts_point *point, struct dts_plan *plan,
                         const struct dts_bucket *buckets, int b, int after,
                         struct dts_error *err)
{
    const struct allreduce *a = point->strategy->self;
    const struct dts_coll_use sum = {&a->choice, point, dts_point_members(point),
                                     DTS_ALLREDUCE};
    return dts_coll_add_bucket(&sum, plan, "all-reduce", b,
                               dts_bucket_span(buckets, b, DTS_GRADIENTS), after, err) >= 0;
}

/* Where the rows of all devices are, in the buffers of the plan: behind the gradients. */
enum { ROWS = 1 };

static bool add_exchanges(const struct dts_point *point, struct dts_plan *plan,
                          const struct dts_bucket *buckets, int count,
                          const struct dts_compute_ops *ops, struct dts_error *err)
{
    const struct allreduce *a = point->strategy->self;
    for (int b = 0; b < count; b++) {
        struct dts_span late;
        if (dts_delay_has(&a->synchrony, &point->scenario->model, buckets, b, &late))
            continue;
        int ready = dts_build_delay(plan, DTS_DATA, &buckets[b],
                                    a->overlap ? ops->ready[b] : ops->last);
        const struct dts_gather gather = {&a->choice, point, plan, buckets, ROWS};
        if (!(buckets[b].table >= 0 ? dts_gather_add(&gather, b, ready, err)
                                    : add_exchange(point, plan, buckets, b, ready, err)))
            return false;
    }
    return true;
}

static int add_update(const struct dts_point *point, struct dts_plan *plan)
{
    return dts_build_call(
        point, plan, "update",
        (struct dts_call){.pass = DTS_UPDATE, .layer = -1, .seconds = point->seconds->update});
}

static bool add_average(const struct dts_point *point, struct dts_plan *plan,
                        const struct dts_bucket *buckets, int count, struct dts_error *err)
{
    const struct allreduce *a = point->strategy->self;
    struct dts_span *spans = dts_alloc((size_t)count + 1, sizeof(*spans));
    for (int b = 0; b < count; b++)
        spans[b] = dts_bucket_span(buckets, b, DTS_WEIGHTS);
    const struct dts_own_weights mine = {dts_point_members(point), spans, count,
                                         point->scenario->model.parameters};
    const bool good =
        dts_synchrony_average_weights(&a->synchrony, &a->choice, point, plan, &mine, err);
    free(spans);
    return good;
}

/* What follows backward. */
static bool add_exchange_and_update(const struct dts_point *point, struct dts_plan *plan,
                                    const struct dts_bucket *buckets, int count,
                                    const struct dts_compute_ops *ops, struct dts_error *err)
{
    const struct allreduce *a = point->strategy->self;
    const struct dts_synchrony *synchrony = &a->synchrony;
    const bool alone = point->devices == 1;
    const int first = plan->op_count;
    if (!alone && dts_synchrony_sums(synchrony) &&
        !add_exchanges(point, plan, buckets, count, ops, err))
        return false;
    const int last = plan->op_count;
    add_update(point, plan);
    for (int op = first; op < last; op++) { // exchanges, and cycles that they wait for
        plan->ops[op].when = dts_synchrony_gradients(synchrony);
        dts_plan_after(plan, op);
    }
    const struct dts_coll_use sum = {&a->choice, point, dts_point_members(point),
                                     DTS_ALLREDUCE};
    if (!alone && !dts_delay_add(synchrony, &sum, plan, buckets, count, err))
        return false;
    return synchrony->local_steps == 0 || (alone && !synchrony->outer) ||
           add_average(point, plan, buckets, count, err);
}

/* Gradients, and weights where they are exchanged: in fp32, which updates change. A rank that
 * is alone needs them where something happens to them beside an exchange. */
static void add_buffers(const struct dts_point *point, struct dts_plan *plan,
                        const struct dts_bucket *buckets, int count)
{
    const struct allreduce *a = point->strategy->self;
    const bool alone = point->devices == 1;
    if (alone && !a->synchrony.outer && a->synchrony.delay == 0)
        return;
    const int gradients = dts_build_buffer(point, plan, buckets, count);
    assert(gradients == DTS_GRADIENTS);
    if (!alone && dts_tables_any(buckets, count)) {
        const int rows = dts_tables_buffer(point, plan, buckets, count, (size_t)point->devices);
        assert(rows == ROWS);
    }
    const struct dts_late_values late =
        dts_delay_values(&a->synchrony, &point->scenario->model);
    if (late.count > 0) {
        const int number =
            dts_plan_buffer(plan, late.count, plan->buffers[gradients].element_bytes);
        assert(number == DTS_LATE);
    }
    if (a->synchrony.local_steps == 0)
        return;
    const int weights = dts_plan_buffer(plan, plan->buffers[gradients].count, sizeof(float));
    assert(weights == DTS_WEIGHTS);
}

static bool add_plan(const struct dts_point *point, const struct dts_collective *statistics,
                     const struct dts_collective *rows, struct dts_plan *plan,
                     struct dts_error *err)
{
    const struct allreduce *a = point->strategy->self;
    struct dts_bucket *buckets;
    const int count =
        dts_delay_cut(&a->synchrony, &point->scenario->model, &buckets,
                      dts_tables_buckets(&a->tables, point, &a->policy, 1, &buckets));
    struct dts_compute_ops ops = {
        .ready = dts_alloc((size_t)count, sizeof(int)), .statistics = statistics, .rows = rows};
    add_buffers(point, plan, buckets, count);
    dts_build_compute(point, plan, buckets, count, &ops);
    const bool good = add_exchange_and_update(point, plan, buckets, count, &ops, err);
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
    if (!dts_tables_check(&a->tables, point, err) ||
        !dts_synchrony_check(&a->synchrony, point, err))
        return false;
    if (synchronizes && !dts_coll_choice_small(&a->statistics, point, &all, &statistics, err))
        return false;
    if (divides && !dts_coll_choice_make(&a->lookup, point, &all, DTS_ALLTOALL, 0, &rows, err))
        return false;

    if (a->synchrony.passing && point->devices > 1) {
        dts_gossip_build(&a->synchrony, point, job);
        return true;
    }
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
    const double bytes = dts_synchrony_bytes(&a->synchrony, point);
    *(a->synchrony.outer ? &needed->optimizer : &needed->gradients) += bytes;
    needed->total += bytes;
}

static const struct dts_synchrony *synchrony(const void *self)
{
    return &((const struct allreduce *)self)->synchrony;
}

static void describe(const struct dts_point *point, const struct dts_job *job,
                     struct dts_text *text)
{
    const struct allreduce *a = point->strategy->self;
    (void)job;
    dts_tables_describe(&a->tables, point, 1, text);
}

/* Published are steps that sum whole gradients at once. */
static const char *validated_as(const void *self)
{
    const struct allreduce *a = self;
    const bool known = a->synchrony.local_steps == 0 && a->synchrony.delay == 0 &&
                       !a->tables.rows && !a->tables.divided;
    return known ? "data_parallel" : NULL;
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
    .synchrony = synchrony,
    .device_of = dts_gossip_device_of,
};
