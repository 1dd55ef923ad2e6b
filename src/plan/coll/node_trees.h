/* node_trees.h -- two binary trees of nodes, each for half of the data, and below each node its
 * members: for tree_of_nodes.c, nvls_tree.c and sharp.c.
 *
 * The head of a node is its first member. The others pass their data to it and get the sum from
 * it, along a chain D - 1 -> ... -> 1 -> 0, or all of them at once (a star). The heads are two
 * binary trees as NCCL has them (NVIDIA/nccl, src/graph/trees.cc): in the first one node 0 is
 * above the largest power of two, and the number of trailing zero bits of any other node is its
 * height; the second one is mirrored where the number of nodes is even, else shifted by one.
 *
 *     6 nodes     0                    5
 *                 |                    |
 *                 4                    1
 *               /   \                /   \
 *              2     5              3     0
 *             / \                  / \
 *            1   3                4   2
 *
 * Half t is cut into P pieces. A piece crosses an edge in the step after all edges below it
 * (up) or the one above it (down), one piece a step: piece p crosses in step start + p. Both
 * ways and both trees are under way at once, each in a lane of its own.
 */
#ifndef DTS_PLAN_COLL_NODE_TREES_H
#define DTS_PLAN_COLL_NODE_TREES_H

#include "plan/coll/coll.h"

/* The functions of a row (coll.h), for members that are a chain or a star. */
int dts_node_trees_chunks(const struct dts_coll_shape *shape);
int dts_node_trees_steps(const struct dts_coll_shape *shape, bool star);
int dts_node_trees_step(const struct dts_coll_shape *shape, bool star, int member, int i,
                        struct dts_coll_message *messages);
int dts_node_trees_like(const struct dts_coll_shape *shape, bool star, int i);
uint64_t dts_node_trees_state(const struct dts_coll_shape *shape, bool star, int i);

/* The same of a star, for rows to name: nvls_tree.c and sharp.c differ by their pace alone. */
bool dts_star_trees_fits(const struct dts_coll_shape *shape, const char **why);
int dts_star_trees_steps(const struct dts_coll_shape *shape);
int dts_star_trees_step(const struct dts_coll_shape *shape, int member, int i,
                        struct dts_coll_message *messages);
int dts_star_trees_like(const struct dts_coll_shape *shape, int i);
uint64_t dts_star_trees_state(const struct dts_coll_shape *shape, int i);

#endif
