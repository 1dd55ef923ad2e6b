/* pairwise.c -- an all-to-all in which each member sends to one and receives from one at a
 * time.
 *
 * In step k - 1 a member sends chunk k to the member that is k ahead and receives from the one
 * that is k behind (dts_coll_part). In the first steps both are on its node, then all members
 * of a node send to the same other node. With 4 members on 2 nodes, where member 0 sends:
 *
 *     step   0   1   2
 *     to     1   2   3
 *            node | other nodes
 *
 * Its data leaves a member once, which is the least possible. On a crossbar with latency alpha
 * and bandwidth B, an all-to-all of S bytes, S/n for each member, takes
 *
 *     (n - 1) (alpha + S/(n B))
 *
 * Thakur, Rabenseifner and Gropp 2005, doi:10.1177/1094342005051521 (long
 * messages); nodes first as in the schedule of NCCL's sends (NVIDIA/nccl, src/init.cc,
 * p2pSchedule).
 */
#include "plan/coll/coll.h"

static int chunks(const struct dts_coll_shape *shape)
{
    return shape->size;
}

static int steps(const struct dts_coll_shape *shape)
{
    return shape->size - 1;
}

static int step(const struct dts_coll_shape *shape, int member, int i,
                struct dts_coll_message *messages)
{
    const int k = i + 1;
    messages[0] = (struct dts_coll_message){
        .peer = dts_coll_ahead(shape, member, k), .first = k, .count = 1, .send = true};
    messages[1] = (struct dts_coll_message){
        .peer = dts_coll_behind(shape, member, k), .first = k, .count = 1};
    return 2;
}

static int like(const struct dts_coll_shape *shape, int i)
{
    (void)shape;
    return i;
}

const struct dts_coll dts_coll_pairwise = {
    .name = "pairwise",
    .summary = "all-to-all: one part to one member and one from another at a time",
    .kinds = 1u << DTS_ALLTOALL,
    .chunks = chunks,
    .steps = steps,
    .step = step,
    .like = like,
};
