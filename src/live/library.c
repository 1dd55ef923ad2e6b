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

void dts_library_open(struct dts_lanes *lanes)
{
    const struct dts_plan *plan = &lanes->rank->role->plan;
    MPI_Comm *comms = dts_alloc((size_t)plan->op_count, sizeof(*comms));
    for (int o = 0; o < plan->op_count; o++)
        comms[o] = is_library(&plan->ops[o]) ? group_of(lanes, &plan->ops[o]) : MPI_COMM_NULL;
    lanes->library = comms;
}

void dts_library_close(struct dts_lanes *lanes)
{
    MPI_Comm *comms = lanes->library;
    for (int o = 0; o < lanes->rank->role->plan.op_count; o++)
        if (comms[o] != MPI_COMM_NULL)
            MPI_Comm_free(&comms[o]);
    free(comms);
}

void dts_library_collective(struct dts_lane *lane, int op)
{
    const struct dts_live_rank *rank = lane->of->rank;
    const struct dts_span *data = &rank->role->plan.ops[op].collective.data;
    const MPI_Comm *comms = lane->of->library;
    DTS_MPI(MPI_Allreduce(MPI_IN_PLACE, rank->buffers[data->buffer] + data->first,
                          (int)data->count, MPI_FLOAT, MPI_SUM, comms[op]));
}
