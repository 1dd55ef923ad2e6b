/* alltoall_levels.c -- an all-to-all inside the nodes, then between members of one place.
 *
 * With D members on a node and N = n/D nodes, chunk e D + d of a member is for the one e nodes
 * and d places ahead (dts_coll_part):
 *
 *     1  in each node, D - 1 steps: chunks d, D + d, 2 D + d ... go d places ahead, where they
 *        keep their numbers
 *     2  between nodes, N - 1 steps: chunks e D .. e D + D - 1, which D members of the node had
 *        for one place, go e nodes ahead in one message
 *
 * A part crosses both levels, for messages between nodes that are fewer and D times as large.
 * On a crossbar with latency alpha and bandwidth B, S bytes take
 *
 *     (D - 1) (alpha + S/(D B)) + (N - 1) (alpha + S/(N B))
 *
 * The chunks of step 1 do not lie side by side: each is a message of its own, all of them in
 * flight together. More than LANES nodes take a step for so many.
 *
 * The two levels of Rajbhandari et al. 2022 (DeepSpeed-MoE, arXiv:2201.05596).
 */
#include "plan/coll/alltoall_levels.h"

enum {
    LANES = DTS_COLL_MESSAGES / 2 < DTS_COLL_LANES ? DTS_COLL_MESSAGES / 2 : DTS_COLL_LANES
};

static int nodes_of(const struct dts_coll_shape *shape)
{
    return shape->size / shape->per_node;
}

/* Steps for one d. */
static int turns(const struct dts_coll_shape *shape)
{
    return (nodes_of(shape) + LANES - 1) / LANES;
}

static int inside(const struct dts_coll_shape *shape)
{
    return (shape->per_node - 1) * turns(shape);
}

int dts_alltoall_steps(const struct dts_coll_shape *shape)
{
    return inside(shape) + nodes_of(shape) - 1;
}

/* `count` chunks from `first` on go k ahead, and come from k behind. */
static int pass(const struct dts_coll_shape *shape, int member, int k,
                struct dts_coll_message about, struct dts_coll_message *messages)
{
    messages[0] = messages[1] = about;
    messages[0].send = true;
    messages[0].peer = dts_coll_ahead(shape, member, k);
    messages[1].peer = dts_coll_behind(shape, member, k);
    return 2;
}

int dts_alltoall_step(const struct dts_coll_shape *shape, int member, int i,
                      struct dts_coll_message *messages)
{
    const int each = shape->per_node, before = i - inside(shape);
    if (before >= 0) {
        const int first = (before + 1) * each;
        return pass(shape, member, first,
                    (struct dts_coll_message){.first = first, .count = each}, messages);
    }
    const int d = 1 + i / turns(shape), begin = i % turns(shape) * LANES;
    int count = 0;
    for (int e = begin; e < begin + LANES && e < nodes_of(shape); e++)
        count += pass(
            shape, member, d,
            (struct dts_coll_message){.first = e * each + d, .count = 1, .lane = e - begin},
            messages + count);
    return count;
}

/* Of one d all turns are alike that are full. */
int dts_alltoall_like(const struct dts_coll_shape *shape, int i)
{
    const int turn = i % turns(shape);
    const bool full = (turn + 1) * LANES <= nodes_of(shape);
    return i < inside(shape) && full ? i - turn : i;
}
