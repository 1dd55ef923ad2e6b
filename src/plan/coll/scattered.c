/* scattered.c -- an all-to-all in which many parts are in flight at once.
 *
 * In a step a member sends the parts of the next LANES members ahead (dts_coll_part) and
 * receives those of as many behind it, all at once. With up to 33 members that is one step:
 * what a group of sends and receives is to NCCL, and MPICH's algorithm of this name, whose
 * throttle is 32 as well (MPIR_CVAR_ALLTOALL_THROTTLE). On a crossbar with latency alpha and
 * bandwidth B, an all-to-all of S bytes takes
 *
 *     ceil((n - 1)/LANES) alpha + (n - 1)/n S/B
 *
 * where pairwise.c waits n - 1 times for alpha.
 */
#include "plan/coll/coll.h"

enum { LANES = DTS_COLL_MESSAGES / 2 };

static int chunks(const struct dts_coll_shape *shape)
{
    return shape->size;
}

static int steps(const struct dts_coll_shape *shape)
{
    return (shape->size - 1 + LANES - 1) / LANES;
}

static int step(const struct dts_coll_shape *shape, int member, int i,
                struct dts_coll_message *messages)
{
    const int first = 1 + i * LANES;
    int count = 0;
    for (int k = first; k < first + LANES && k < shape->size; k++) {
        messages[count++] = (struct dts_coll_message){
            .peer = dts_coll_ahead(shape, member, k), .first = k, .count = 1, .send = true};
        messages[count++] = (struct dts_coll_message){
            .peer = dts_coll_behind(shape, member, k), .first = k, .count = 1};
    }
    return count;
}

static int like(const struct dts_coll_shape *shape, int i)
{
    (void)shape;
    return i;
}

const struct dts_coll dts_coll_scattered = {
    .name = "scattered",
    .summary = "all-to-all: parts to and from up to 32 members at once",
    .kinds = 1u << DTS_ALLTOALL,
    .chunks = chunks,
    .steps = steps,
    .step = step,
    .like = like,
};
