/* nvls_tree.c -- sums in the switch of each node, two binary trees of the nodes between them
 * (node_trees.h): NCCL's NVLSTree.
 *
 * Where a switch can sum what all members of a node have (NVLink SHARP), a head asks it for the
 * sum, and gives it the result for all. Here the members are a star around their head, as if
 * each sent its data itself: the same bytes leave and reach each member but the head, whose own
 * port would carry D - 1 times as much. With as many channels as members each is the head of
 * one, and the ports carry 2 (D - 1)/D S each way where the switch needs (1 + 1/D) S: the pace
 * of a library (struct dts_coll_pace) has that in its share.
 *
 * With N nodes and H = ceil(log2 N) an all-reduce takes 2 (1 + H) + P - 1 steps.
 */
#include "plan/coll/coll.h"
#include "plan/coll/node_trees.h"

static struct dts_node_trees trees_of(const struct dts_coll_shape *shape)
{
    return (struct dts_node_trees){shape->size / shape->per_node, shape->per_node,
                                   shape->pieces, true};
}

static bool fits(const struct dts_coll_shape *shape, const char **why)
{
    enum { MOST = 14 }; // messages of a head: 4 for each member and 12 between nodes
    *why = shape->kind != DTS_ALLREDUCE ? "does all-reduces alone"
                                        : "takes at most 14 members on a node";
    return shape->kind == DTS_ALLREDUCE && shape->per_node <= MOST;
}

static int chunks(const struct dts_coll_shape *shape)
{
    const struct dts_node_trees trees = trees_of(shape);
    return dts_node_trees_chunks(&trees);
}

static int steps(const struct dts_coll_shape *shape)
{
    const struct dts_node_trees trees = trees_of(shape);
    return dts_node_trees_steps(&trees);
}

static int step(const struct dts_coll_shape *shape, int member, int i,
                struct dts_coll_message *messages)
{
    const struct dts_node_trees trees = trees_of(shape);
    return dts_node_trees_step(&trees, member, i, messages);
}

static int like(const struct dts_coll_shape *shape, int i)
{
    const struct dts_node_trees trees = trees_of(shape);
    return dts_node_trees_like(&trees, i);
}

static uint64_t state(const struct dts_coll_shape *shape, int i)
{
    const struct dts_node_trees trees = trees_of(shape);
    return dts_node_trees_state(&trees, i);
}

const struct dts_coll dts_coll_nvls_tree = {
    .name = "nvls_tree",
    .summary = "sums in the switch of each node, two binary trees of nodes: NCCL's NVLSTree",
    .pipelined = true,
    .fits = fits,
    .chunks = chunks,
    .steps = steps,
    .step = step,
    .like = like,
    .state = state,
};
