/* library.c -- the plan's group becomes MPI's, and the plan's operation one call. */
#include "live/library.h"

#include <stdlib.h>

#include "base/mem.h"
#include "live/mpi_call.h"

enum { TAG = 3 };

static bool is_library(const struct dts_op *op)
{
    return op->kind == DTS_OP_COLLECTIVE && op->collective.algorithm->by_library;
}

/* Members of the rank's group of this operation alone call it, in the order of their plan. */
static MPI_Comm group_of(const struct dts_lanes *lanes, const struct dts_op *op)
{
    const struct dts_group *group = &op->collective.group;
    int in_role = lanes->rank->rank - lanes->rank->role->first;
    int member = in_role / group->stride % group->size;
    int first = lanes->rank->rank - member * group->stride;
    int *ranks = dts_alloc((size_t)group->size, sizeof(*ranks));
    MPI_Comm world = dts_wire_all(lanes->live->wire), comm;
    MPI_Group all, mine;
    for (int m = 0; m < group->size; m++)
        ranks[m] = first + m * group->stride;
    DTS_MPI(MPI_Comm_group(world, &all));
    DTS_MPI(MPI_Group_incl(all, group->size, ranks, &mine));
    DTS_MPI(MPI_Comm_create_group(world, mine, TAG, &comm));
    DTS_MPI(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN));
    MPI_Group_free(&mine);
    MPI_Group_free(&all);
    free(ranks);
    return comm;
}

/* The operation before it that has the same members and goes one after another with it: they
 * can share a communicator. -1: none. */
static int before(const struct dts_plan *plan, int op)
{
    const struct dts_op *mine = &plan->ops[op];
    for (int o = op - 1; o >= 0; o--) {
        const struct dts_op *other = &plan->ops[o];
        if (is_library(other) && other->stream == mine->stream &&
            other->collective.group.stride == mine->collective.group.stride &&
            other->collective.group.size == mine->collective.group.size)
            return o;
    }
    return -1;
}

void dts_library_open(struct dts_lanes *lanes)
{
    const struct dts_plan *plan = &lanes->rank->role->plan;
    MPI_Comm *comms = dts_alloc((size_t)plan->op_count, sizeof(*comms));
    for (int o = 0; o < plan->op_count; o++) {
        const bool library = is_library(&plan->ops[o]);
        const int earlier = library ? before(plan, o) : -1;
        if (!library)
            comms[o] = MPI_COMM_NULL;
        else
            comms[o] = earlier >= 0 ? comms[earlier] : group_of(lanes, &plan->ops[o]);
    }
    lanes->library = comms;
}

void dts_library_close(struct dts_lanes *lanes)
{
    const struct dts_plan *plan = &lanes->rank->role->plan;
    MPI_Comm *comms = lanes->library;
    for (int o = 0; o < plan->op_count; o++)
        if (is_library(&plan->ops[o]) && before(plan, o) < 0)
            MPI_Comm_free(&comms[o]);
    free(comms);
}

void dts_library_collective(struct dts_lane *lane, int op)
{
    const struct dts_live_rank *rank = lane->of->rank;
    const struct dts_plan *plan = &rank->role->plan;
    const struct dts_span *data = &plan->ops[op].collective.data;
    const MPI_Comm *comms = lane->of->library;
    const size_t bytes = plan->buffers[data->buffer].element_bytes;
    char *values = (char *)rank->buffers[data->buffer] + data->first * bytes;
    DTS_MPI(MPI_Allreduce(MPI_IN_PLACE, values, (int)data->count,
                          bytes == sizeof(double) ? MPI_DOUBLE : MPI_FLOAT, MPI_SUM,
                          comms[op]));
}
