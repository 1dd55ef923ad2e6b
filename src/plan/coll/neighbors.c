/* neighbors.c -- edges go to the members before and behind, which do not meet at the ends: what
 * a stencil, or a convolution whose image is divided into strips, needs of its neighbours.
 *
 * One step. Chunk 0 goes to the member behind, chunk 1 to the one before; what arrives takes
 * the place of what left. With 4 members:
 *
 *     member        0     1     2     3
 *     chunk 0     ----> ----> ---->
 *     chunk 1       <---- <---- <----
 *
 * Of a halo that goes one way there is one chunk. A member in the middle sends all of its data,
 * and on a crossbar with latency alpha and bandwidth B a halo of S bytes, both edges together,
 * takes
 *
 *     alpha + S/B            from 3 members on; of 2, each of which has one neighbour:
 *     alpha + S/(2 B)
 *
 * Dryden et al. 2019, arXiv:1903.06681, section IV.
 */
#include "plan/coll/coll.h"

static int chunks(const struct dts_coll_shape *shape)
{
    return shape->kind == DTS_HALO ? 2 : 1;
}

static int steps(const struct dts_coll_shape *shape)
{
    return shape->size > 1;
}

/* Both directions are the same, seen from the other end. */
static int add(const struct dts_coll_shape *shape, int member, int ahead, int chunk,
               struct dts_coll_message *messages)
{
    const int to = member + ahead, from = member - ahead;
    int count = 0;
    if (to >= 0 && to < shape->size)
        messages[count++] =
            (struct dts_coll_message){.peer = to, .first = chunk, .count = 1, .send = true};
    if (from >= 0 && from < shape->size)
        messages[count++] = (struct dts_coll_message){.peer = from, .first = chunk, .count = 1};
    return count;
}

static int step(const struct dts_coll_shape *shape, int member, int i,
                struct dts_coll_message *messages)
{
    (void)i;
    int count = 0;
    if (shape->kind != DTS_HALO_BEFORE)
        count += add(shape, member, 1, 0, messages);
    if (shape->kind != DTS_HALO_BEHIND)
        count += add(shape, member, -1, chunks(shape) - 1, messages + count);
    return count;
}

static int like(const struct dts_coll_shape *shape, int i)
{
    (void)shape;
    return i;
}

const struct dts_coll dts_coll_neighbors = {
    .name = "neighbors",
    .summary = "halo: edges to the members before and behind, in one step",
    .kinds = 1u << DTS_HALO | 1u << DTS_HALO_BEHIND | 1u << DTS_HALO_BEFORE,
    .chunks = chunks,
    .steps = steps,
    .step = step,
    .like = like,
};
