/* levels.h -- what a shape means where members are grouped by nodes: for
 * hierarchical.c.
 */
#ifndef DTS_PLAN_COLL_LEVELS_H
#define DTS_PLAN_COLL_LEVELS_H

#include "plan/coll/chain.h"
#include "plan/coll/coll.h"

/* The sizes that a shape stands for. */
struct dts_levels {
    enum dts_coll_kind kind;
    int per_node, nodes, shards; // D, N, k
    int per_owner;               // D / k
    int shard_chunks;
    struct dts_chain chain; // in a node
    const struct dts_coll *between;
    struct dts_coll_shape between_shape;
    int between_each; // chunks of ours in one of `between`
};

/* The shape of the algorithm between nodes. */
void dts_levels_between(const struct dts_coll_shape *all, int nodes, struct dts_coll_shape *s);

void dts_levels_find(const struct dts_coll_shape *shape, struct dts_levels *l);

#endif
