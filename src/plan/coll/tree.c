/* tree.c -- along one binomial tree, whose root is member 0 (binomial.h draws it).
 *
 * With k = log2(n) dimensions, rounded up, on a crossbar with latency alpha and bandwidth B,
 * for S bytes:
 *
 *     broadcast       k (alpha + S/B)                         all data on every edge
 *     all-reduce      2 k (alpha + S/B)                       up, then down
 *     reduce-scatter  k (alpha + S/B) + k alpha + (n-1)/n S/B up, then a scatter
 *     all-gather      the same                                a gather, then down
 *
 * The root talks to k children and can send no more than B, so that cutting the data into
 * pieces wins nothing on the way down or up alone. It wins where both ways are in use at once:
 * an all-reduce in P >= k pieces. A round takes k steps, one for each dimension from 0 on, and
 * in the step of dimension d all its edges carry a piece up and an older one down:
 *
 *     up     piece p on dimension d in round p
 *     down   piece p on dimension d in round p + k - d
 *
 * The two ways must use one dimension at a time: any other order gives some member two messages
 * to send in one step. The way down takes its dimensions in the opposite order, one in each
 * round, and in its last rounds fewer and fewer of them: nobody waits in a step without a
 * message. So k P + k (k + 1)/2 steps of alpha + S/(P B). With fewer pieces than k there is
 * little to win, and the plain way is taken.
 */
#include "plan/coll/binomial.h"
#include "plan/coll/coll.h"

static bool in_pieces(const struct dts_coll_shape *shape)
{
    return shape->kind == DTS_ALLREDUCE &&
           shape->pieces >= dts_binomial_dimensions(shape->size);
}

static int chunks(const struct dts_coll_shape *shape)
{
    if (shape->kind == DTS_REDUCE_SCATTER || shape->kind == DTS_ALLGATHER)
        return shape->size;
    return in_pieces(shape) ? shape->pieces : 1;
}

static int steps(const struct dts_coll_shape *shape)
{
    int k = dts_binomial_dimensions(shape->size);
    if (k == 0)
        return 0;
    if (in_pieces(shape))
        return k * (shape->pieces + k - 1) + 1;
    return shape->kind == DTS_BROADCAST ? k : 2 * k;
}

static int piece(const struct dts_coll_shape *shape, int member, int dimension, bool down,
                 int number, struct dts_coll_message *message)
{
    if (number < 0 || number >= shape->pieces)
        return 0;
    struct dts_coll_message what = {.first = number, .count = 1, .add = !down};
    return dts_binomial_pass(shape->size, member, dimension, down, what, message);
}

static int step(const struct dts_coll_shape *shape, int member, int i,
                struct dts_coll_message *messages)
{
    int n = shape->size, k = dts_binomial_dimensions(n);
    if (in_pieces(shape)) {
        int dimension = i % k, round = i / k;
        int count = piece(shape, member, dimension, false, round, messages);
        return count +
               piece(shape, member, dimension, true, round - (k - dimension), messages + count);
    }

    bool down = shape->kind == DTS_BROADCAST || i >= k;
    int dimension = down ? k - 1 - i % k : i;
    bool dealt = shape->kind == (down ? DTS_REDUCE_SCATTER : DTS_ALLGATHER);
    if (dealt)
        return dts_binomial_deal(n, member, dimension, down, 1, messages);
    struct dts_coll_message all = {.count = chunks(shape), .add = !down};
    return dts_binomial_pass(n, member, dimension, down, all, messages);
}

static int like(const struct dts_coll_shape *shape, int i)
{
    if (!in_pieces(shape))
        return i;
    int k = dts_binomial_dimensions(shape->size);
    int dimension = i % k, round = i / k;
    int changes[] = {shape->pieces + k - dimension, shape->pieces, k - dimension, 0};
    int c = 0; // the way down ends, the way up ends, the way down begins, the way up begins
    while (round < changes[c])
        c++;
    return changes[c] * k + dimension;
}

const struct dts_coll dts_coll_tree = {
    .name = "tree",
    .summary = "one binomial tree: fewest steps, for small messages",
    .pipelined = true,
    .chunks = chunks,
    .steps = steps,
    .step = step,
    .like = like,
};
