/* mpi.c -- the all-reduce of the MPI library itself. Live, the library is called; what it
 * does inside is its own affair and depends on sizes. It is simulated as a ring, which is what
 * Open MPI does with large messages of more than a few ranks
 * (coll_tuned_decision_fixed.c, 4.1).
 */
#include "plan/coll/coll.h"

extern const struct dts_coll dts_coll_ring;

static bool fits(const struct dts_coll_shape *shape, const char **why)
{
    *why = "does all-reduces alone";
    return shape->kind == DTS_ALLREDUCE;
}

static int chunks(const struct dts_coll_shape *shape)
{
    return dts_coll_ring.chunks(shape);
}

static int steps(const struct dts_coll_shape *shape)
{
    return dts_coll_ring.steps(shape);
}

static int step(const struct dts_coll_shape *shape, int member, int i,
                struct dts_coll_message *messages)
{
    return dts_coll_ring.step(shape, member, i, messages);
}

static int like(const struct dts_coll_shape *shape, int i)
{
    return dts_coll_ring.like(shape, i);
}

const struct dts_coll dts_coll_mpi = {
    .name = "mpi",
    .summary = "live: the MPI library's own; simulated as a ring",
    .by_library = true,
    .fits = fits,
    .chunks = chunks,
    .steps = steps,
    .step = step,
    .like = like,
};
