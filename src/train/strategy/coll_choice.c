/* coll_choice.c -- which collective a strategy uses, and in what shape. */
#include "train/strategy/coll_choice.h"

#include <string.h>

#include "train/strategy/build.h"
#include "train/strategy/library.h"

const char *dts_coll_choice_name(int i)
{
    int count = 0; // of algorithms
    while (dts_coll_name(count) != NULL)
        count++;
    return i < count ? dts_coll_name(i) : i == count ? "auto" : NULL;
}

static bool check_hierarchical(const struct dts_coll_choice *a, const struct dts_cfg *at,
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

/* Of NCCL the version decides, so it must be one. */
static bool check_library(const struct dts_library *library, const struct dts_cfg *at,
                          struct dts_error *err)
{
    if (library->name == NULL)
        return dts_cfg_fail(at, "algorithm", err,
                            "\"auto\" is what the stack's library chooses, and the stack "
                            "names no library");
    if (dts_library_version(library->version) > 0)
        return true;
    return dts_cfg_fail(at, "algorithm", err,
                        "\"auto\": the version of the stack's library must be as \"2.18\", "
                        "got \"%s\"",
                        library->version);
}

/* Rows that never do what is asked. */
static bool check_kind(const struct dts_coll_choice *a, const struct dts_cfg *at,
                       struct dts_error *err)
{
    const bool levels = strcmp(a->algorithm, "hierarchical") == 0 && a->kind < DTS_ALLTOALL;
    const char *lacks = dts_coll_lacks(a->coll, a->kind);
    if (lacks != NULL)
        return dts_cfg_fail(at, a->key != NULL ? a->key : "algorithm", err, "%s %s",
                            a->algorithm, lacks);
    lacks = levels ? dts_coll_lacks(a->between_coll, a->kind) : NULL;
    return lacks == NULL ||
           dts_cfg_fail(at, "between", err, "%s %s", a->between_coll->name, lacks);
}

/* Does the row, or the one between nodes, cut what it moves into pieces? Each broadcast may. */
static bool takes_pieces(const struct dts_coll *coll, const struct dts_coll *between,
                         enum dts_coll_kind kind)
{
    return coll->pipelined || kind == DTS_BROADCAST || (between != NULL && between->pipelined);
}

/* One that the strategy itself names. */
static bool check_pieces(const struct dts_coll_choice *a, const struct dts_cfg *at,
                         struct dts_error *err)
{
    const struct dts_cfg said = dts_cfg_member(at, "piece_bytes");
    const bool levels = strcmp(a->algorithm, "hierarchical") == 0;
    return a->key != NULL || !dts_cfg_exists(&said) ||
           takes_pieces(a->coll, levels ? a->between_coll : NULL, a->kind) ||
           dts_cfg_fail(at, "piece_bytes", err, "has no effect on %s, which cuts nothing",
                        a->algorithm);
}

bool dts_coll_choice_prepare(struct dts_coll_choice *a, const struct dts_stack *stack,
                             const struct dts_cfg *at, struct dts_error *err)
{
    if (a->algorithm == NULL)
        a->algorithm = stack->algorithm != NULL ? stack->algorithm : "ring";
    if (!check_hierarchical(a, at, err))
        return false;

    a->automatic = strcmp(a->algorithm, "auto") == 0;
    a->own_channels = a->channels;
    if (a->automatic)
        return check_library(&stack->library, at, err);
    a->coll = dts_coll_find(a->algorithm);
    if (a->coll == NULL)
        return dts_cfg_fail(at, "algorithm", err, "no collective \"%s\" (the stack's default)",
                            a->algorithm);
    const char *between = a->between != NULL ? a->between : stack->algorithm_between;
    a->between_coll = dts_coll_find(between != NULL ? between : "ring");
    if (a->between_coll == NULL)
        return dts_cfg_fail(at, "between", err, "no collective \"%s\" (the stack's default)",
                            between);
    if (!check_kind(a, at, err) || !check_pieces(a, at, err))
        return false;
    if (a->shards == 0 && strcmp(a->algorithm, "hierarchical") == 0)
        a->shards = stack->shards;
    if (a->channels == 0)
        a->channels = stack->channels > 0 ? stack->channels : 1;
    if (a->piece_bytes <= 0)
        a->piece_bytes = stack->piece_bytes;
    return true;
}

static bool find_shape(const struct dts_coll_choice *a, const struct dts_point *point,
                       const struct dts_members *members, enum dts_coll_kind kind,
                       struct dts_coll_shape *shape, struct dts_error *err)
{
    const int per_node = members->per_node, size = members->group.size;
    bool levels = strcmp(a->coll->name, "hierarchical") == 0;
    *shape = (struct dts_coll_shape){
        .kind = kind,
        .size = size,
        .per_node = per_node,
        .shards = a->shards > 0 ? a->shards : per_node,
        .pieces = 1,
        .between = levels ? a->between_coll : NULL,
    };
    if (levels && per_node == 1 && point->machine->devices_per_node > 1 && size > 1)
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

static int pieces_of(const struct dts_coll_choice *a, const struct dts_coll_shape *shape,
                     double bytes)
{
    const bool pipelined = takes_pieces(a->coll, shape->between, shape->kind);
    double part = bytes / a->channels / (shape->between != NULL ? shape->shards : 1);
    return pipelined && a->piece_bytes > 0 ? dts_coll_pieces(part, a->piece_bytes) : 1;
}

/* Channels of one node go different ways where its links lead from device to device. */
static void set_orders(const struct dts_point *point, struct dts_collective *c)
{
    const struct dts_orders *orders = &point->machine->orders;
    const bool ring = c->algorithm == dts_coll_find("ring") && c->shape.kind < DTS_ALLTOALL;
    if (ring && c->channels > 1 && orders->count > 0 && orders->members == c->shape.size &&
        c->shape.per_node == c->shape.size && c->group.stride == 1)
        c->orders = orders;
}

/* Messages alone are not what switches of the network take. */
static bool check_switches(const struct dts_coll_choice *a, const struct dts_point *point,
                           struct dts_error *err)
{
    if (point->devices < 2 || a->coll != dts_coll_find("sharp"))
        return true;
    return dts_point_fail(point, err,
                          "%s: sharp needs platform.nics.sharp, more than one node, and NCCL "
                          "2.17 or later as the stack's library",
                          point->strategy->name);
}

bool dts_coll_choice_make(const struct dts_coll_choice *a, const struct dts_point *point,
                          const struct dts_members *members, enum dts_coll_kind kind,
                          double bytes, struct dts_collective *c, struct dts_error *err)
{
    if (a->automatic) {
        if (!dts_library_choose(point, members, kind, bytes, a->own_channels, c, err))
            return false;
    } else if (!dts_library_force(point, members, kind, bytes, a->coll, a->own_channels, c)) {
        if (!check_switches(a, point, err))
            return false;
        *c = (struct dts_collective){
            .algorithm = a->coll, .group = members->group, .channels = a->channels};
        if (!find_shape(a, point, members, kind, &c->shape, err))
            return false;
        c->shape.pieces = pieces_of(a, &c->shape, bytes);
    }
    set_orders(point, c);
    return true;
}

int dts_coll_add(const struct dts_coll_use *use, struct dts_plan *plan, enum dts_stream stream,
                 const char *label, struct dts_span data, struct dts_error *err)
{
    const double bytes = (double)data.count * (double)plan->buffers[data.buffer].element_bytes;
    struct dts_collective collective;
    if (!dts_coll_choice_make(use->choice, use->point, &use->members, use->kind, bytes,
                              &collective, err))
        return -1;
    collective.data = data;
    return dts_plan_collective(plan, stream, label, collective);
}

int dts_coll_add_bucket(const struct dts_coll_use *use, struct dts_plan *plan, const char *word,
                        int bucket, struct dts_span data, int after, struct dts_error *err)
{
    char label[32];
    snprintf(label, sizeof(label), "%s %d", word, bucket);
    const int op = dts_coll_add(use, plan, DTS_DATA, label, data, err);
    if (op < 0)
        return -1;
    plan->ops[op].bucket = bucket;
    dts_plan_after(plan, after);
    return op;
}

bool dts_coll_choice_small(const struct dts_coll_choice *a, const struct dts_point *point,
                           const struct dts_members *members, struct dts_collective *collective,
                           struct dts_error *err)
{
    static const double few_bytes = 4096; // the sums of a layer of 512 channels
    if (a->automatic)
        return dts_library_choose(point, members, DTS_ALLREDUCE, few_bytes, 1, collective, err);
    *collective = (struct dts_collective){
        .algorithm = a->coll,
        .group = members->group,
        .channels = 1,
    };
    return find_shape(a, point, members, DTS_ALLREDUCE, &collective->shape, err);
}
