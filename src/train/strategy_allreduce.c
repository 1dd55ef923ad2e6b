/* strategy_allreduce.c -- every device holds the whole model and all sum their gradients (Goyal
 * et al. 2017, arXiv:1706.02677; Li et al. 2020, arXiv:2006.15704). A bucket is exchanged as
 * soon as backward has finished it, while the layers before it still compute:
 *
 *     compute   fwd 0 | fwd 1 | bwd 1 | bwd 0 |                     | update
 *     data                            | all-reduce 1 | all-reduce 0 |
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "train/build.h"

struct allreduce {
    const char *algorithm, *between;
    int shards, channels;
    double bucket_bytes, first_bucket_bytes, piece_bytes;
    bool overlap;

    /* What follows from these and from the stack. */
    const struct dts_coll *coll, *between_coll;
    struct dts_bucket_policy policy;
};

static const struct dts_field fields[] = {
    {DTS_KEY(struct allreduce, algorithm), .type = DTS_STRING, .choice = dts_coll_name,
     .missing = "null", .help = "how gradients are summed; default: the stack's"},
    {DTS_KEY(struct allreduce, between), .type = DTS_STRING, .choice = dts_coll_name,
     .missing = "null",
     .help = "hierarchical: the algorithm between nodes; default: the stack's, or ring"},
    {DTS_KEY(struct allreduce, shards), .type = DTS_INT, .min = 1, .max = 64, .missing = "null",
     .help = "hierarchical: devices of a node that exchange with other nodes, 1: a leader; "
             "default: the stack's, or all"},
    {DTS_KEY(struct allreduce, channels), .type = DTS_INT, .min = 1, .max = 64,
     .missing = "null",
     .help = "parts of a bucket that go round at once; default: the stack's"},
    {DTS_KEY(struct allreduce, bucket_bytes), .type = DTS_REAL, .min = 0, .max = 1e12,
     .missing = "null",
     .help = "gradients that travel together, 0: each tensor alone; default: the stack's"},
    {DTS_KEY(struct allreduce, first_bucket_bytes), .type = DTS_REAL, .min = 0, .max = 1e12,
     .missing = "null",
     .help = "the same for the first bucket; default: the stack's, or "
             "bucket_bytes where that is given"},
    {DTS_KEY(struct allreduce, piece_bytes), .type = DTS_REAL, .min = 1, .max = 1e12,
     .missing = "null", .help = "pieces of pipelined algorithms; default: the stack's"},
    {DTS_KEY(struct allreduce, overlap), .type = DTS_BOOL, .missing = "true",
     .help = "exchange while backward computes; else after it"},
    {0},
};

static const char *default_name(const void *self)
{
    return ((const struct allreduce *)self)->algorithm;
}

static bool check_hierarchical(const struct allreduce *a, const struct dts_cfg *at,
                               struct dts_error *err)
{
    bool hierarchical = strcmp(a->algorithm, "hierarchical") == 0;
    if (!hierarchical && a->between != NULL)
        return dts_cfg_fail(at, "between", err, "only \"hierarchical\" has it, got \"%s\"",
                            a->algorithm);
    if (!hierarchical && a->shards > 0)
        return dts_cfg_fail(at, "shards", err, "only \"hierarchical\" has it, got \"%s\"",
                            a->algorithm);
    if (a->between != NULL && strcmp(a->between, "hierarchical") == 0)
        return dts_cfg_fail(at, "between", err, "must not be \"hierarchical\" again");
    return true;
}

static bool prepare(void *self, const struct dts_stack *stack, const struct dts_cfg *at,
                    struct dts_error *err)
{
    struct allreduce *a = self;
    if (a->algorithm == NULL)
        a->algorithm = stack->algorithm != NULL ? stack->algorithm : "ring";
    if (!check_hierarchical(a, at, err))
        return false;

    a->coll = dts_coll_find(a->algorithm);
    if (a->coll == NULL)
        return dts_cfg_fail(at, "algorithm", err, "no collective \"%s\" (the stack's default)",
                            a->algorithm);
    const char *between = a->between != NULL ? a->between : stack->algorithm_between;
    a->between_coll = dts_coll_find(between != NULL ? between : "ring");
    if (a->between_coll == NULL)
        return dts_cfg_fail(at, "between", err, "no collective \"%s\" (the stack's default)",
                            between);
    if (a->shards == 0 && strcmp(a->algorithm, "hierarchical") == 0)
        a->shards = stack->shards;
    if (a->channels == 0)
        a->channels = stack->channels > 0 ? stack->channels : 1;
    if (a->piece_bytes <= 0)
        a->piece_bytes = stack->piece_bytes;
    a->policy = dts_bucket_policy_of(at, stack, a->bucket_bytes, a->first_bucket_bytes);
    return true;
}

static bool seats(const struct dts_point *point, struct dts_seats *seats, struct dts_error *err)
{
    (void)err;
    *seats = (struct dts_seats){.devices = point->devices};
    return true;
}

static bool find_shape(const struct dts_point *point, struct dts_coll_shape *shape,
                       struct dts_error *err)
{
    const struct allreduce *a = point->strategy->self;
    int per_node = dts_point_per_node(point);
    bool levels = strcmp(a->coll->name, "hierarchical") == 0;
    *shape = (struct dts_coll_shape){
        .kind = DTS_ALLREDUCE,
        .size = point->devices,
        .per_node = per_node,
        .shards = a->shards > 0 ? a->shards : per_node,
        .pieces = 1,
        .between = levels ? a->between_coll : NULL,
    };
    if (levels && per_node == 1 && point->machine->devices_per_node > 1 && point->devices > 1)
        return dts_point_fail(point, err,
                              "%s: needs neighbouring ranks on every node, as many as a node "
                              "has devices (%d)",
                              point->strategy->name, point->machine->devices_per_node);
    if (levels && per_node % shape->shards != 0)
        return dts_point_fail(point, err, "%s: shards %d must divide the %d devices of a node",
                              point->strategy->name, shape->shards, per_node);

    const char *why = NULL;
    if (!dts_coll_fits(a->coll, shape, &why))
        return dts_point_fail(point, err, "%s: %s %s", point->strategy->name, a->coll->name,
                              why);
    return true;
}

static int pieces(const struct allreduce *a, const struct dts_coll_shape *shape, double bytes)
{
    bool pipelined =
        a->coll->pipelined || (shape->between != NULL && shape->between->pipelined);
    double part = bytes / a->channels / (shape->between != NULL ? shape->shards : 1);
    return pipelined && a->piece_bytes > 0 ? dts_coll_pieces(part, a->piece_bytes) : 1;
}

static void add_exchanges(const struct dts_point *point, const struct dts_coll_shape *shape,
                          struct dts_plan *plan, const struct dts_bucket *buckets, int count,
                          const struct dts_compute_ops *ops)
{
    const struct allreduce *a = point->strategy->self;
    int gradients = dts_build_buffer(point, plan, buckets, count);
    double element_bytes = (double)plan->buffers[gradients].element_bytes;

    for (int b = 0; b < count; b++) {
        int ready = dts_build_delay(plan, DTS_DATA, &buckets[b],
                                    a->overlap ? ops->ready[b] : ops->last);
        struct dts_collective collective = {
            .algorithm = a->coll,
            .shape = *shape,
            .group = {.stride = 1, .size = point->devices},
            .data = dts_bucket_span(buckets, b, gradients),
            .channels = a->channels,
        };
        collective.shape.pieces = pieces(a, shape, (double)buckets[b].elements * element_bytes);
        char label[32];
        snprintf(label, sizeof(label), "all-reduce %d", b);
        int op = dts_plan_collective(plan, DTS_DATA, label, collective);
        plan->ops[op].bucket = b;
        dts_plan_after(plan, ready);
    }
}

static bool build(const struct dts_point *point, struct dts_job *job, struct dts_error *err)
{
    const struct allreduce *a = point->strategy->self;
    struct dts_coll_shape shape;
    if (!find_shape(point, &shape, err))
        return false;

    struct dts_bucket *buckets;
    int count = dts_buckets(&point->scenario->model, &a->policy,
                            dts_precision_bytes(point->scenario->precision),
                            point->seconds->backward, &buckets);
    struct dts_compute_ops ops = {.ready = dts_alloc((size_t)count, sizeof(int))};

    job->roles = dts_alloc(1, sizeof(*job->roles));
    job->role_count = 1;
    job->ranks = point->devices;
    job->roles[0] = (struct dts_role){.name = "worker", .count = point->devices};
    struct dts_plan *plan = &job->roles[0].plan;

    dts_build_compute(point, plan, buckets, count, &ops);
    int first = plan->op_count;
    if (point->devices > 1)
        add_exchanges(point, &shape, plan, buckets, count, &ops);
    int last = plan->op_count;
    dts_plan_call(
        plan, DTS_COMPUTE, "update",
        (struct dts_call){.pass = DTS_UPDATE, .layer = -1, .seconds = point->seconds->update});
    for (int op = first; op < last; op++)
        dts_plan_after(plan, op);

    free(ops.ready);
    free(buckets);
    return true;
}

const struct dts_strategy_kind dts_strategy_allreduce = {
    .name = "allreduce",
    .summary = "every device holds the model; gradients are summed by a collective",
    .fields = fields,
    .size = sizeof(struct allreduce),
    .default_name = default_name,
    .prepare = prepare,
    .seats = seats,
    .build = build,
};
