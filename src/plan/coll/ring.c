/* ring.c -- all members pass data to their right neighbour (Patarasuk and Yuan 2009,
 * doi:10.1016/j.jpdc.2008.09.002).
 *
 * Reduce-scatter: n - 1 steps pass partial sums around until member m holds the finished chunk
 * m. All-gather: n - 1 steps pass finished chunks around. All-reduce: one after the other. With
 * 4 members, what member 0 sends:
 *
 *     step       0  1  2 | 3  4  5
 *     chunk      3  2  1 | 0  3  2
 *                sum     | copy
 *
 * Each member sends (n - 1)/n of the data in each half, which is the least possible. On a
 * crossbar with latency alpha and bandwidth B, an all-reduce of S bytes takes
 *
 *     2 (n - 1) (alpha + S/(n B))
 *
 * Broadcast: a chain 0 -> 1 -> ... -> n - 1 in P pieces (chain.h):
 *
 *     (P + n - 2) (alpha + S/(P B))
 *
 * Shift: one step, in which each member passes all that it has to its right neighbour:
 *
 *     alpha + S/B
 */
#include "plan/coll/chain.h"
#include "plan/coll/coll.h"

static struct dts_chain chain_of(const struct dts_coll_shape *shape)
{
    return (struct dts_chain){shape->size, 1, shape->pieces, shape->pieces};
}

static int chunks(const struct dts_coll_shape *shape)
{
    return shape->kind == DTS_BROADCAST ? shape->pieces
           : shape->kind == DTS_SHIFT   ? 1
                                        : shape->size;
}

static int steps(const struct dts_coll_shape *shape)
{
    struct dts_chain chain = chain_of(shape);
    if (shape->kind == DTS_BROADCAST)
        return dts_chain_steps(&chain);
    if (shape->kind == DTS_SHIFT)
        return shape->size > 1;
    return (shape->kind == DTS_ALLREDUCE ? 2 : 1) * (shape->size - 1);
}

static int step(const struct dts_coll_shape *shape, int member, int i,
                struct dts_coll_message *messages)
{
    struct dts_chain chain = chain_of(shape);
    if (shape->kind == DTS_BROADCAST)
        return dts_chain_step(&chain, member, i, false, messages);

    int n = shape->size;
    bool shift = shape->kind == DTS_SHIFT;
    bool add = !shift && shape->kind != DTS_ALLGATHER && i < n - 1;
    int round = i % (n - 1);
    int sent = shift ? 0 : (member + n - round - add) % n; // one further back at each step
    int received = shift ? 0 : (sent + n - 1) % n;         // what the left neighbour sends
    messages[0] = (struct dts_coll_message){
        .peer = (member + 1) % n, .first = sent, .count = 1, .send = true};
    messages[1] = (struct dts_coll_message){
        .peer = (member + n - 1) % n, .first = received, .count = 1, .add = add};
    return 2;
}

static int like(const struct dts_coll_shape *shape, int i)
{
    struct dts_chain chain = chain_of(shape);
    if (shape->kind == DTS_BROADCAST)
        return dts_chain_like(&chain, i);
    if (shape->kind == DTS_SHIFT)
        return i;
    return i < shape->size - 1 ? 0 : shape->size - 1;
}

const struct dts_coll dts_coll_ring = {
    .name = "ring",
    .summary = "each member talks to its neighbours: least data, most steps",
    .pipelined = false,
    .kinds = (1u << DTS_ALLTOALL) - 1 + (1u << DTS_SHIFT),
    .chunks = chunks,
    .steps = steps,
    .step = step,
    .like = like,
};
