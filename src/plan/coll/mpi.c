/* mpi.c -- the all-reduce and the all-to-all of the MPI library itself. Live, the library is
 * called; what it does inside is its own affair and depends on sizes. They are simulated as a
 * ring and as `pairwise`, which is what Open MPI does with large messages of more than a few
 * ranks (coll_tuned_decision_fixed.c, 4.1).
 */
#include "plan/coll/coll.h"

extern const struct dts_coll dts_coll_ring, dts_coll_pairwise;

static const struct dts_coll *as(const struct dts_coll_shape *shape)
{
    return shape->kind == DTS_ALLTOALL ? &dts_coll_pairwise : &dts_coll_ring;
}

static int chunks(const struct dts_coll_shape *shape)
{
    return as(shape)->chunks(shape);
}

static int steps(const struct dts_coll_shape *shape)
{
    return as(shape)->steps(shape);
}

static int step(const struct dts_coll_shape *shape, int member, int i,
                struct dts_coll_message *messages)
{
    return as(shape)->step(shape, member, i, messages);
}

static int like(const struct dts_coll_shape *shape, int i)
{
    return as(shape)->like(shape, i);
}

const struct dts_coll dts_coll_mpi = {
    .name = "mpi",
    .summary = "live: the MPI library's own; simulated as a ring, or as pairwise",
    .by_library = true,
    .kinds = 1u << DTS_ALLREDUCE | 1u << DTS_ALLTOALL,
    .chunks = chunks,
    .steps = steps,
    .step = step,
    .like = like,
};
