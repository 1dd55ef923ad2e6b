/* library.c -- the plan's group becomes MPI's, and the plan's operation one call. */
#include "live/library.h"

#include <stdlib.h>

#include "base/mem.h"
#include "live/mpi_call.h"
#include "plan/run.h"

enum { TAG = 3 };

static bool is_library(const struct dts_op *op)
{
    return op->kind == DTS_OP_COLLECTIVE && op->collective.algorithm->by_library;
}

bool dts_library_takes_host(const struct dts_lanes *lanes, const struct dts_op *op)
{
    if (!is_library(op))
        return false;
    const struct dts_values values = dts_lane_values(lanes, op->collective.data.buffer);
    return dts_values_narrow(&values);
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
            dts_group_same(&other->collective.group, &mine->collective.group))
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

/* inout += in, rounded once: what MPI_Op_create() wants for each format. */
static void add_halves(enum dts_half half, const uint16_t *in, uint16_t *inout, int count)
{
    const struct dts_values values = {sizeof(*in), half};
    for (int e = 0; e < count; e++) {
        float sum;
        dts_values_take(&values, &sum, &inout[e], 1);
        dts_values_add(&values, &sum, &in[e], 1);
        dts_values_pack(&values, &inout[e], &sum, 1, false);
    }
}

static void add_bf16(void *in, void *inout, int *count, MPI_Datatype *type)
{
    (void)type;
    add_halves(DTS_HALF_BF16, in, inout, *count);
}

static void add_fp16(void *in, void *inout, int *count, MPI_Datatype *type)
{
    (void)type;
    add_halves(DTS_HALF_FP16, in, inout, *count);
}

static void sum_halves(struct dts_lane *lane, const struct dts_values *values, float *data,
                       size_t count, MPI_Comm comm)
{
    MPI_Op sum;
    lane->halves = dts_grow(lane->halves, &lane->halves_room, count * values->bytes, 1);
    dts_values_pack(values, lane->halves, data, count, false);
    DTS_MPI(MPI_Op_create(values->half == DTS_HALF_BF16 ? add_bf16 : add_fp16, 1, &sum));
    dts_message_memory_lend(lane->of->memory);
    DTS_MPI(MPI_Allreduce(MPI_IN_PLACE, lane->halves, (int)count, MPI_UINT16_T, sum, comm));
    dts_message_memory_take_back(lane->of->memory);
    MPI_Op_free(&sum);
    dts_values_take(values, data, lane->halves, count);
}

/* One channel of an all-to-all of packed values, from one place to another. */
static void exchange_parts(struct dts_lane *lane, const struct dts_collective *c, int channel,
                           const struct dts_values *values, char *places[2], MPI_Comm comm)
{
    const size_t size = (size_t)c->group.size;
    const MPI_Datatype type = values->bytes == sizeof(double)     ? MPI_DOUBLE
                              : values->bytes == sizeof(uint16_t) ? MPI_UINT16_T
                                                                  : MPI_FLOAT;
    int self, *numbers = dts_alloc(4 * size, sizeof(*numbers));
    int *counts[2] = {numbers, numbers + size}, *at[2] = {counts[1] + size, at[0] + size};
    DTS_MPI(MPI_Comm_rank(comm, &self));
    for (int m = 0; m < c->group.size; m++)
        for (int way = 0; way < 2; way++) {
            const struct dts_span part =
                dts_collective_part(c, way == 0 ? self : m, way == 0 ? m : self, channel);
            counts[way][m] = (int)part.count;
            at[way][m] = (int)(part.first - c->data.first);
        }
    dts_message_memory_lend(lane->of->memory);
    DTS_MPI(MPI_Alltoallv(places[0], counts[0], at[0], type, places[1], counts[1], at[1], type,
                          comm));
    dts_message_memory_take_back(lane->of->memory);
    free(numbers);
}

/* MPI leaves what it sends where it is, so the span is packed aside, and what arrives as well.
 */
static void all_to_all(struct dts_lane *lane, const struct dts_op *op,
                       const struct dts_values *values, MPI_Comm comm)
{
    const struct dts_collective *c = &op->collective;
    const bool narrow = dts_values_narrow(values);
    const struct dts_message_memory *memory = narrow ? &lane->of->host : lane->of->memory;
    const size_t bytes = c->data.count * values->bytes;
    char *data = (char *)memory->buffers[c->data.buffer] +
                 c->data.first * dts_values_real(values->bytes);
    char *places[2];
    if (narrow)
        lane->halves = dts_grow(lane->halves, &lane->halves_room, 2 * bytes, 1);
    else
        lane->scratch =
            dts_message_memory_grow(memory, lane->scratch, &lane->scratch_room, 2 * bytes);
    places[0] = narrow ? (char *)lane->halves : lane->scratch;
    places[1] = places[0] + bytes;
    if (narrow)
        dts_values_pack(values, places[0], (float *)(void *)data, c->data.count, false);
    else
        memory->kind->take(memory->self, lane->stream, values, places[0], data, c->data.count);
    for (int channel = 0; channel < c->channels; channel++)
        exchange_parts(lane, c, channel, values, places, comm);
    memory->kind->take(memory->self, lane->stream, values, data, places[1], c->data.count);
}

void dts_library_collective(struct dts_lane *lane, int op)
{
    const struct dts_live_rank *rank = lane->of->rank;
    const struct dts_message_memory *memory = lane->of->memory;
    const struct dts_collective *collective = &rank->role->plan.ops[op].collective;
    const struct dts_span *span = &collective->data;
    const struct dts_values values = dts_lane_values(lane->of, span->buffer);
    const MPI_Comm *comms = lane->of->library;
    if (collective->shape.kind == DTS_ALLTOALL) {
        all_to_all(lane, &rank->role->plan.ops[op], &values, comms[op]);
        return;
    }
    if (dts_values_narrow(&values)) {
        sum_halves(lane, &values, rank->buffers[span->buffer] + span->first, span->count,
                   comms[op]);
        return;
    }
    char *data = (char *)memory->buffers[span->buffer] + span->first * values.bytes;
    dts_message_memory_lend(memory);
    DTS_MPI(MPI_Allreduce(MPI_IN_PLACE, data, (int)span->count,
                          values.bytes == sizeof(double) ? MPI_DOUBLE : MPI_FLOAT, MPI_SUM,
                          comms[op]));
    dts_message_memory_take_back(memory);
}
