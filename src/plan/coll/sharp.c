/* sharp.c -- the switches of the network sum (SHARP): NCCL's CollNet.
 *
 * Each node sums its members' data, its heads give the sum to the switch above them, each byte
 * once each way, and get the sum of all nodes back. A switch is no member, so the messages here
 * are those of nvls_tree.c: a star in each node, two binary trees of the nodes (node_trees.h),
 * where a head in the middle has each byte twice each way. The pace of the library (struct
 * dts_coll_pace) makes up for that; without it a call costs what its messages cost, so
 * strategies refuse this row unless NCCL runs it (train/strategy/library.h). Links above the
 * first switches carry more than they would: one message for each edge of a tree, where the
 * switches send one for each of them.
 */
#include "plan/coll/coll.h"
#include "plan/coll/node_trees.h"

const struct dts_coll dts_coll_sharp = {
    .name = "sharp",
    .summary = "the switches of the network sum (SHARP): NCCL's CollNet",
    .pipelined = true,
    .fits = dts_star_trees_fits,
    .chunks = dts_node_trees_chunks,
    .steps = dts_star_trees_steps,
    .step = dts_star_trees_step,
    .like = dts_star_trees_like,
    .state = dts_star_trees_state,
};
