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

const struct dts_coll dts_coll_nvls_tree = {
    .name = "nvls_tree",
    .summary = "sums in the switch of each node, two binary trees of nodes: NCCL's NVLSTree",
    .pipelined = true,
    .fits = dts_star_trees_fits,
    .chunks = dts_node_trees_chunks,
    .steps = dts_star_trees_steps,
    .step = dts_star_trees_step,
    .like = dts_star_trees_like,
    .state = dts_star_trees_state,
};
