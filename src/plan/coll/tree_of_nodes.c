/* tree_of_nodes.c -- NCCL's tree: a chain in each node, two binary trees of the nodes
 * (node_trees.h).
 *
 * Up to D - 1 members of a node pass sums along their links to the head, which alone talks to
 * other nodes, so a NIC carries each byte twice each way in an inner node, whatever the number
 * of members. With N nodes of D members, H = ceil(log2 N) and P pieces of each half, an
 * all-reduce takes 2 (D - 1 + H) + P - 1 steps. On ports of B bytes/s each way for members, in
 * the nodes and between them, the steps in the middle take alpha + 4 S/(2 P B) for N > 2 and
 * D = 1, so that large data takes 2 S/B.
 */
#include "plan/coll/coll.h"
#include "plan/coll/node_trees.h"

static bool fits(const struct dts_coll_shape *shape, const char **why)
{
    *why = "does all-reduces alone";
    return shape->kind == DTS_ALLREDUCE;
}

static int steps(const struct dts_coll_shape *shape)
{
    return dts_node_trees_steps(shape, false);
}

static int step(const struct dts_coll_shape *shape, int member, int i,
                struct dts_coll_message *messages)
{
    return dts_node_trees_step(shape, false, member, i, messages);
}

static int like(const struct dts_coll_shape *shape, int i)
{
    return dts_node_trees_like(shape, false, i);
}

static uint64_t state(const struct dts_coll_shape *shape, int i)
{
    return dts_node_trees_state(shape, false, i);
}

const struct dts_coll dts_coll_tree_of_nodes = {
    .name = "tree_of_nodes",
    .summary = "a chain in each node, two binary trees of nodes: NCCL's tree",
    .pipelined = true,
    .fits = fits,
    .chunks = dts_node_trees_chunks,
    .steps = steps,
    .step = step,
    .like = like,
    .state = state,
};
