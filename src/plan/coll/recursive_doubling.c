/* recursive_doubling.c -- pairs exchange all that they have: fewest steps, for small data
 * (Thakur, Rabenseifner and Gropp 2005, doi:10.1177/1094342005051521).
 *
 *     step        0                1                2
 *     pairs    0-1  2-3         0-2  1-3         0-4  1-5
 *
 * When n = 2^k + r is no power of two, r surplus members give their data to members 0 .. r - 1
 * first and get the result last. On a crossbar with latency alpha and bandwidth B, an
 * all-reduce of S bytes takes
 *
 *     k (alpha + S/B), and 2 (alpha + S/B) more where r > 0
 */
#include "plan/coll/coll.h"

static bool fits(const struct dts_coll_shape *shape, const char **why)
{
    *why = "does all-reduces alone";
    return shape->kind == DTS_ALLREDUCE;
}

static int chunks(const struct dts_coll_shape *shape)
{
    (void)shape;
    return 1;
}

static int rounds(const struct dts_coll_shape *shape)
{
    return 31 - __builtin_clz((unsigned)shape->size);
}

static int surplus(const struct dts_coll_shape *shape)
{
    return shape->size - (1 << rounds(shape));
}

static int steps(const struct dts_coll_shape *shape)
{
    return rounds(shape) + (surplus(shape) > 0 ? 2 : 0);
}

static struct dts_coll_message whole(int peer, bool send, bool add)
{
    return (struct dts_coll_message){.peer = peer, .count = 1, .send = send, .add = add};
}

/* Data to the members that take part, or the result back. */
static int fold(const struct dts_coll_shape *shape, int member, bool back,
                struct dts_coll_message *messages)
{
    const int first = 1 << rounds(shape);
    if (member >= first)
        messages[0] = whole(member - first, !back, false);
    else if (member < surplus(shape))
        messages[0] = whole(member + first, back, !back);
    else
        return 0;
    return 1;
}

static int step(const struct dts_coll_shape *shape, int member, int i,
                struct dts_coll_message *messages)
{
    const bool folds = surplus(shape) > 0;
    if (folds && (i == 0 || i == steps(shape) - 1))
        return fold(shape, member, i > 0, messages);
    if (member >= 1 << rounds(shape))
        return 0;
    const int peer = member ^ 1 << (i - folds);
    messages[0] = whole(peer, true, false);
    messages[1] = whole(peer, false, true);
    return 2;
}

static int like(const struct dts_coll_shape *shape, int i)
{
    (void)shape;
    return i;
}

const struct dts_coll dts_coll_recursive_doubling = {
    .name = "recursive_doubling",
    .summary = "pairs exchange all they have: fewest steps, for small data",
    .fits = fits,
    .chunks = chunks,
    .steps = steps,
    .step = step,
    .like = like,
};
