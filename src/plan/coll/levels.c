/* levels.c -- the sizes of a hierarchical collective. */
#include "plan/coll/levels.h"

void dts_levels_between(const struct dts_coll_shape *all, int nodes, struct dts_coll_shape *s)
{
    s->kind = all->kind;
    s->size = nodes;
    s->per_node = s->shards = 1;
    s->pieces = all->pieces;
    s->between = NULL;
}

/* Field by field, for each member and step: to copy a struct costs more than all the rest. */
void dts_levels_find(const struct dts_coll_shape *shape, struct dts_levels *l)
{
    l->kind = shape->kind;
    l->per_node = l->chain.size = shape->per_node;
    l->nodes = shape->size / shape->per_node;
    l->shards = l->chain.shards = shape->shards;
    l->per_owner = shape->shards == 1 ? shape->per_node : shape->per_node / shape->shards;
    l->between = shape->between;
    dts_levels_between(shape, l->nodes, &l->between_shape);
    int chunks = l->between->chunks(&l->between_shape);
    l->chain.pieces = l->shards == l->per_node ? 1 : shape->pieces;
    l->shard_chunks = dts_coll_common_multiple(chunks, l->chain.pieces);
    if (l->kind == DTS_REDUCE_SCATTER || l->kind == DTS_ALLGATHER) // every member has a share
        l->shard_chunks = dts_coll_common_multiple(l->shard_chunks, l->nodes * l->per_owner);
    l->between_each = l->shard_chunks == chunks ? 1 : l->shard_chunks / chunks;
    l->chain.shard_chunks = l->shard_chunks;
}
