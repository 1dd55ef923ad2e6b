/* halving_doubling.c -- members exchange halves, quarters, ... in log2(n) steps (Thakur,
 * Rabenseifner and Gropp 2005, doi:10.1177/1094342005051521).
 *
 * All-reduce of 4 members, the data in 4 chunks; what member 0 sends, to whom:
 *
 *     step       0        1     |  2     3
 *     chunks     2 3      1     |  0     0 1
 *     to         1        2     |  2     1
 *                sum            |  copy
 *
 * The large messages go to the nearest member: distance 1 first in the all-reduce, which is
 * also the order of MPICH and Gloo, and suits a network whose neighbours are close. What a
 * member has summed in the middle is then chunk number (its own number with the bits reversed),
 * which nobody sees. Reduce-scatter must end with chunk m in member m, and all-gather begins
 * so: they take the largest distance for the largest message (the order of MPICH's recursive
 * halving). Broadcast: a binomial scatter, then the doubling of an all-gather.
 *
 * When n is no power of two, with p the power below it and r = n - p, each odd member below 2 r
 * gives its data to the even one before it, sits out, and gets the result in the end.
 *
 * On a crossbar with latency alpha and bandwidth B, for S bytes and k = log2(p), for r = 0:
 *
 *     reduce-scatter, all-gather   k alpha + (p-1)/p S/B
 *     all-reduce, broadcast        2 (k alpha + (p-1)/p S/B)
 *
 * and for r > 0 another alpha + S/B before and after (not before a broadcast; only the member's
 * own S/n after a reduce-scatter and before an all-gather).
 */
#include "plan/coll/binomial.h"
#include "plan/coll/coll.h"

/* A range of chunks. */
struct range {
    int first, count;
};

struct group {
    int size;  // p
    int extra; // r
    int rounds;
    bool shares; // chunks are the members' shares, not p equal ones
};

static struct group group_of(const struct dts_coll_shape *shape)
{
    struct group g = {.size = 1};
    for (; 2 * g.size <= shape->size; g.rounds++)
        g.size *= 2;
    g.extra = shape->size - g.size;
    g.shares = shape->kind == DTS_REDUCE_SCATTER || shape->kind == DTS_ALLGATHER;
    return g;
}

static int chunks(const struct dts_coll_shape *shape)
{
    struct group g = group_of(shape);
    return g.shares ? shape->size : g.size;
}

static int steps(const struct dts_coll_shape *shape)
{
    struct group g = group_of(shape);
    int folds = g.extra == 0 ? 0 : shape->kind == DTS_BROADCAST ? 1 : 2;
    return (g.shares ? 1 : 2) * g.rounds + folds;
}

/* The members that stay, renumbered 0 .. p - 1; and back. */
static int number_of(const struct group *g, int member)
{
    return member < 2 * g->extra ? member / 2 : member - g->extra;
}

static int member_of(const struct group *g, int number)
{
    return number < g->extra ? 2 * number : number + g->extra;
}

/* The chunks of `count` neighbours from `number` on. */
static struct range block(const struct group *g, int number, int count)
{
    if (!g->shares)
        return (struct range){number, count};
    int first = member_of(g, number);
    int end = number + count == g->size ? g->size + g->extra : member_of(g, number + count);
    return (struct range){first, end - first};
}

/* What `number` keeps when the data has been halved by the bits 0 .. bit of its number. */
static struct range half(int size, int number, int bit)
{
    struct range range = {0, size};
    for (int b = 0; b <= bit; b++) {
        range.count /= 2;
        range.first += (number >> b & 1) * range.count;
    }
    return range;
}

/* Send one range to a member and receive another from it. */
static int swap(int peer, struct range sent, struct range received, bool add,
                struct dts_coll_message *messages)
{
    messages[0] = (struct dts_coll_message){
        .peer = peer, .first = sent.first, .count = sent.count, .send = true};
    messages[1] = (struct dts_coll_message){
        .peer = peer, .first = received.first, .count = received.count, .add = add};
    return 2;
}

/* Between the odd members below 2 r and their partners; in the beginning the odd one sends. */
static int fold(const struct dts_coll_shape *shape, const struct group *g, int member, bool end,
                struct dts_coll_message *message)
{
    if (member >= 2 * g->extra)
        return 0;
    bool odd = member % 2 == 1;
    bool own = shape->kind == (end ? DTS_REDUCE_SCATTER : DTS_ALLGATHER);
    bool add = !end && shape->kind != DTS_ALLGATHER;
    *message = (struct dts_coll_message){
        .peer = odd ? member - 1 : member + 1,
        .first = own ? member | 1 : 0,
        .count = own ? 1 : chunks(shape),
        .send = odd != end,
        .add = add && !odd,
    };
    return 1;
}

/* Round i of an all-reduce: halving, distances 1, 2, ..., then doubling back. */
static int allreduce(const struct group *g, int number, int i,
                     struct dts_coll_message *messages)
{
    bool halving = i < g->rounds;
    int bit = halving ? i : 2 * g->rounds - 1 - i;
    int partner = number ^ 1 << bit;
    struct range mine = half(g->size, number, bit), theirs = half(g->size, partner, bit);
    return swap(member_of(g, partner), halving ? theirs : mine, halving ? mine : theirs,
                halving, messages);
}

/* A reduce-scatter or an all-gather where number m owns block m, over a distance. */
static int in_order(const struct group *g, int number, int distance, bool halving,
                    struct dts_coll_message *messages)
{
    int partner = number ^ distance;
    struct range mine = block(g, number & ~(distance - 1), distance);
    struct range theirs = block(g, partner & ~(distance - 1), distance);
    return swap(member_of(g, partner), halving ? theirs : mine, halving ? mine : theirs,
                halving, messages);
}

static int scatter(const struct group *g, int number, int i, struct dts_coll_message *messages)
{
    int count = dts_binomial_deal(g->size, number, g->rounds - 1 - i, true, 1, messages);
    if (count > 0)
        messages[0].peer = member_of(g, messages[0].peer);
    return count;
}

static int step(const struct dts_coll_shape *shape, int member, int i,
                struct dts_coll_message *messages)
{
    struct group g = group_of(shape);
    int begin = g.extra > 0 && shape->kind != DTS_BROADCAST ? 1 : 0;
    int rounds = (g.shares ? 1 : 2) * g.rounds;
    if (i < begin || i >= begin + rounds)
        return fold(shape, &g, member, i > 0, messages);
    if (member < 2 * g.extra && member % 2 == 1)
        return 0;

    int number = number_of(&g, member), round = i - begin;
    switch (shape->kind) {
    case DTS_ALLREDUCE:
        return allreduce(&g, number, round, messages);
    case DTS_REDUCE_SCATTER:
        return in_order(&g, number, g.size >> (round + 1), true, messages);
    case DTS_BROADCAST:
        if (round < g.rounds)
            return scatter(&g, number, round, messages);
        return in_order(&g, number, 1 << (round - g.rounds), false, messages);
    default:
        return in_order(&g, number, 1 << round, false, messages);
    }
}

static int like(const struct dts_coll_shape *shape, int i)
{
    (void)shape;
    return i;
}

const struct dts_coll dts_coll_halving_doubling = {
    .name = "halving_doubling",
    .summary = "recursive halving, then doubling: least data in few steps",
    .pipelined = false,
    .chunks = chunks,
    .steps = steps,
    .step = step,
    .like = like,
};
