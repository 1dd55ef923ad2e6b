/* binary_blocks.c -- halving and doubling in blocks of powers of two (Rabenseifner and
 * Traff 2004, doi:10.1007/978-3-540-30218-6_13).
 *
 * The members are cut into blocks of decreasing sizes, the binary digits of their number:
 * 7 = 4 + 2 + 1, the largest block first. Each block halves among itself as halving_doubling
 * does, so that number x of a block of 2^k ends with chunk (x with its k bits reversed) of 2^k.
 * All the members x + t 2^k of a larger block end with parts of it: that is whom x sends them
 * to, in the step in which they get the same parts from their last partner. The largest block
 * ends with the sum of all, and everything goes back the same way.
 *
 *     step        0                   1             |  2             3
 *     4           0-1 2-3             0-2 1-3       |  0-2 1-3       0-1 2-3
 *     2           4-5                 4->0 2  5->1 3|  0 2->4  1 3->5  4-5
 *     1           6->4 5                            |                4 5->6
 *                 sum                               |  copy
 *
 * A member that would have more than DTS_COLL_MESSAGES peers in a larger block gives larger
 * parts to the first of them, in the earlier step in which they hold such parts.
 *
 * For a power of two this is halving_doubling, step for step. Else with k = log2 of the largest
 * block and a smaller one half as large, on a crossbar with latency alpha and bandwidth B,
 *
 *     2 (k alpha + S/B)
 *
 * A smaller block costs more: each of its s members passes on S/s.
 */
#include "plan/coll/coll.h"

enum { MOST_PEERS_LOG2 = 6 };
_Static_assert(1 << MOST_PEERS_LOG2 <= DTS_COLL_MESSAGES, "a step holds a member's messages");

struct range {
    int first, count;
};

struct block {
    int first;  // member
    int rounds; // log2 of its size
};

static int log2_below(int size)
{
    int rounds = 0;
    while (size >> (rounds + 1) > 0)
        rounds++;
    return rounds;
}

/* The block of a member; those before it, *larger the last, and behind it, *smaller the first.
 * Their rounds are -1 when there is none. */
static struct block block_of(int size, int member, struct block *larger, struct block *smaller)
{
    struct block block = {0, log2_below(size)};
    int end = 1 << block.rounds;
    *larger = (struct block){0, -1};
    while (member >= end) {
        *larger = block;
        block = (struct block){end, log2_below(size - end)};
        end += 1 << block.rounds;
    }
    *smaller = (struct block){end, end < size ? log2_below(size - end) : -1};
    return block;
}

/* The step in which a block gives what it holds to the next larger one. */
static int hand_over(const struct block *small, const struct block *large)
{
    int last = small->rounds + MOST_PEERS_LOG2;
    return (last < large->rounds ? last : large->rounds) - 1;
}

/* What `number` keeps of all chunks when they have been halved by the bits 0 .. bit of it. */
static struct range half(int chunks, int number, int bit)
{
    struct range range = {0, chunks};
    for (int b = 0; b <= bit; b++) {
        range.count /= 2;
        range.first += (number >> b & 1) * range.count;
    }
    return range;
}

static struct dts_coll_message message(int peer, struct range range, bool send, bool halving)
{
    return (struct dts_coll_message){.peer = peer,
                                     .first = range.first,
                                     .count = range.count,
                                     .send = send,
                                     .add = halving && !send};
}

static int chunks(const struct dts_coll_shape *shape)
{
    return 1 << log2_below(shape->size);
}

static int steps(const struct dts_coll_shape *shape)
{
    return 2 * log2_below(shape->size);
}

/* The way back is the way there, with what was sent received. */
static int step(const struct dts_coll_shape *shape, int member, int i,
                struct dts_coll_message *messages)
{
    struct block larger, smaller;
    struct block own = block_of(shape->size, member, &larger, &smaller);
    int all = chunks(shape), rounds = log2_below(shape->size), count = 0;
    int number = member - own.first;
    bool halving = i < rounds;
    int bit = halving ? i : 2 * rounds - 1 - i;

    if (bit < own.rounds) {
        int partner = number ^ 1 << bit;
        struct range mine = half(all, number, bit), theirs = half(all, partner, bit);
        int peer = own.first + partner;
        messages[count++] = message(peer, halving ? theirs : mine, true, halving);
        messages[count++] = message(peer, halving ? mine : theirs, false, halving);
    }
    if (smaller.rounds >= 0 && bit == hand_over(&smaller, &own) && number < 2 << bit) {
        int peer = smaller.first + number % (1 << smaller.rounds);
        messages[count++] = message(peer, half(all, number, bit), !halving, halving);
    }
    if (larger.rounds >= 0 && bit == hand_over(&own, &larger))
        for (int peer = number; peer < 2 << bit; peer += 1 << own.rounds)
            messages[count++] =
                message(larger.first + peer, half(all, peer, bit), halving, halving);
    return count;
}

static int like(const struct dts_coll_shape *shape, int i)
{
    (void)shape;
    return i;
}

static bool fits(const struct dts_coll_shape *shape, const char **why)
{
    if (shape->kind == DTS_ALLREDUCE)
        return true;
    *why = "does all-reduce only (halving_doubling does the others)";
    return false;
}

const struct dts_coll dts_coll_binary_blocks = {
    .name = "binary_blocks",
    .summary = "halving and doubling in blocks, for any number of members",
    .pipelined = false,
    .fits = fits,
    .chunks = chunks,
    .steps = steps,
    .step = step,
    .like = like,
};
