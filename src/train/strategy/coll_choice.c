/* coll_choice.c -- which collective a strategy uses, and in what shape. */
#include "train/strategy/coll_choice.h"

#include <string.h>

#include "train/strategy/build.h"

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

bool dts_coll_choice_prepare(struct dts_coll_choice *a, const struct dts_stack *stack,
                             const struct dts_cfg *at, struct dts_error *err)
{
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
    return true;
}

bool dts_coll_choice_shape(const struct dts_coll_choice *a, const struct dts_point *point,
                           enum dts_coll_kind kind, struct dts_coll_shape *shape,
                           struct dts_error *err)
{
    int per_node = dts_point_per_node(point);
    bool levels = strcmp(a->coll->name, "hierarchical") == 0;
    *shape = (struct dts_coll_shape){
        .kind = kind,
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

bool dts_coll_choice_small(const struct dts_coll_choice *a, const struct dts_point *point,
                           struct dts_collective *collective, struct dts_error *err)
{
    *collective = (struct dts_collective){
        .algorithm = a->coll,
        .group = {.stride = 1, .size = point->devices},
        .channels = 1,
    };
    return dts_coll_choice_shape(a, point, DTS_ALLREDUCE, &collective->shape, err);
}

int dts_coll_choice_pieces(const struct dts_coll_choice *a, const struct dts_coll_shape *shape,
                           double bytes)
{
    bool pipelined =
        a->coll->pipelined || (shape->between != NULL && shape->between->pipelined);
    double part = bytes / a->channels / (shape->between != NULL ? shape->shards : 1);
    return pipelined && a->piece_bytes > 0 ? dts_coll_pieces(part, a->piece_bytes) : 1;
}
