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

static int steps(const struct dts_coll_shape *shape)
{
    return dts_node_trees_steps(shape, true);
}

static int step(const struct dts_coll_shape *shape, int member, int i,
                struct dts_coll_message *messages)
{
    return dts_node_trees_step(shape, true, member, i, messages);
}

static int like(const struct dts_coll_shape *shape, int i)
{
    return dts_node_trees_like(shape, true, i);
}

static uint64_t state(const struct dts_coll_shape *shape, int i)
{
    return dts_node_trees_state(shape, true, i);
}

const struct dts_coll dts_coll_nvls_tree = {
    .name = "nvls_tree",
    .summary = "sums in the switch of each node, two binary trees of nodes: NCCL's NVLSTree",
    .pipelined = true,
    .fits = dts_node_trees_fits_star,
    .chunks = dts_node_trees_chunks,
    .steps = steps,
    .step = step,
    .like = like,
    .state = state,
};
