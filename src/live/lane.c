/* lane.c -- waits, calls and records of one stream; its messages are in exchange.c. */
#include "live/lane.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/os/clock.h"
#include "live/library.h"
#include "live/mpi_call.h"
#include "live/pieces.h"
#include "live/timed_wait.h"

static const struct dts_plan *plan_of(const struct dts_lane *lane)
{
    return &lane->of->rank->role->plan;
}

static double *entry(const struct dts_lane *lane, double *times, int op)
{
    return &times[(size_t)lane->step * (size_t)plan_of(lane)->op_count + (size_t)op];
}

static void wait(void *self, int op, bool previous_step)
{
    struct dts_lane *lane = self;
    struct dts_lanes *lanes = lane->of;
    int steps = lane->step + (previous_step ? 0 : 1);
    bool waited = false;
    pthread_mutex_lock(&lanes->lock);
    while (lanes->done[op] < steps) {
        pthread_cond_wait(&lanes->changed, &lanes->lock);
        waited = true;
    }
    pthread_mutex_unlock(&lanes->lock);
    if (waited)
        lane->free_s = dts_now_s();
}

/* Where the operation's messages leave and arrive. */
static const struct dts_message_memory *memory_of(const struct dts_lane *lane,
                                                  const struct dts_op *op)
{
    return dts_library_takes_host(lane->of, op) ? &lane->of->host : lane->of->memory;
}

static bool is_moved(const struct dts_lane *lane, const struct dts_op *op)
{
    return op->kind != DTS_OP_CALL && memory_of(lane, op) == &lane->of->host;
}

static void begin(void *self, int op)
{
    struct dts_lane *lane = self;
    const struct dts_lanes *lanes = lane->of;
    const struct dts_executor *executor = lanes->live->executor;
    const struct dts_op *begun = &plan_of(lane)->ops[op];
    *entry(lane, lanes->times->begin_s, op) = dts_now_s();
    if (is_moved(lane, begun) && executor->bring != NULL)
        executor->bring(lanes->executor_self, begun);
}

/* Whoever sums holds more digits than it sent: from now on all members have the same. */
static void round_result(const struct dts_lane *lane, const struct dts_op *op)
{
    if (op->kind != DTS_OP_COLLECTIVE)
        return;
    const struct dts_span *data = dts_collective_result(&op->collective);
    const struct dts_values values = dts_lane_values(lane->of, data->buffer);
    const struct dts_message_memory *memory = memory_of(lane, op);
    if (dts_values_narrow(&values))
        memory->kind->round(memory->self, lane->stream, &values,
                            memory->buffers[data->buffer] + data->first, data->count);
}

/* Who waits for the operation goes on. */
static void pass(struct dts_lane *lane, int op)
{
    struct dts_lanes *lanes = lane->of;
    pthread_mutex_lock(&lanes->lock);
    lanes->done[op] = lane->step + 1;
    pthread_cond_broadcast(&lanes->changed);
    pthread_mutex_unlock(&lanes->lock);
}

static void done(void *self, int op)
{
    struct dts_lane *lane = self;
    struct dts_lanes *lanes = lane->of;
    const struct dts_executor *executor = lanes->live->executor;
    const struct dts_op *ended = &plan_of(lane)->ops[op];
    round_result(lane, ended);
    if (is_moved(lane, ended) && executor->carry_off != NULL)
        executor->carry_off(lanes->executor_self, ended);
    *entry(lane, lanes->times->end_s, op) = dts_now_s();
    pass(lane, op);
}

/* What a server sums is what arrived for the receives that this call waits for. */
static void sum_awaited(struct dts_lane *lane, const struct dts_op *op)
{
    const struct dts_plan *plan = plan_of(lane);
    for (int w = 0; w < op->wait_count; w++)
        dts_lane_sum(lane, plan->waits[op->first_wait + w].op);
}

/* It has no times. */
static void left_out(void *self, int op)
{
    struct dts_lane *lane = self;
    struct dts_lanes *lanes = lane->of;
    *entry(lane, lanes->times->begin_s, op) = NAN;
    *entry(lane, lanes->times->end_s, op) = NAN;
    pass(lane, op);
}

static void call(void *self, const struct dts_op *op, const struct dts_call *call)
{
    struct dts_lane *lane = self;
    struct dts_lanes *lanes = lane->of;
    if (call->pass == DTS_AGGREGATE)
        sum_awaited(lane, op);
    const double due_s = lane->free_s;
    lane->free_s = lanes->live->executor->call(lanes->executor_self, op, lane->step, due_s);
    if (lanes->live->slow_factor > 1 && dts_op_is_kernel(op))
        lane->free_s = dts_timed_wait(&(struct dts_sleeper){0}, lane->free_s,
                                      (lanes->live->slow_factor - 1) * (lane->free_s - due_s));
}

static void exchange(void *self, const struct dts_op *op, const struct dts_message *messages,
                     int count)
{
    struct dts_lane *lane = self;
    dts_lane_exchange(lane, op, messages, count);
    lane->free_s = dts_now_s();
}

static void collective(void *self, const struct dts_op *op)
{
    struct dts_lane *lane = self;
    dts_library_collective(lane, (int)(op - plan_of(lane)->ops));
    lane->free_s = dts_now_s();
}

struct dts_values dts_lane_values(const struct dts_lanes *lanes, int buffer)
{
    return (struct dts_values){lanes->rank->role->plan.buffers[buffer].element_bytes,
                               lanes->live->half};
}

/* Nobody begins before all have ended: not timed, since an operation begins behind it. */
static void rest(struct dts_lane *lane)
{
    if (!lane->of->live->from_rest)
        return;
    DTS_MPI(MPI_Barrier(dts_wire_comm(lane->of->live->wire, lane->stream)));
    lane->free_s = dts_now_s();
}

static long step_of(const struct dts_lane *lane)
{
    const struct dts_live *live = lane->of->live;
    return live->every_op ? DTS_ANY_STEP : live->first_step + lane->step;
}

void *dts_lane_live(void *self)
{
    static const struct dts_backend backend = {call, exchange, begin,     wait,
                                               done, left_out, collective};
    struct dts_lane *lane = self;
    const struct dts_live_rank *rank = lane->of->rank;
    const struct dts_message_memory *memory = lane->of->memory;
    lane->free_s = lane->of->times->start_s;
    lane->pieces = dts_alloc(1, sizeof(*lane->pieces));
    lane->pieces->memory = memory;
    lane->pieces->piece_bytes = lane->of->live->piece_bytes;
    for (lane->step = 0; lane->step < lane->of->live->steps; lane->step++) {
        rest(lane);
        dts_run_stream(rank->role, rank->rank, lane->stream, step_of(lane), &backend, lane);
    }
    pthread_mutex_lock(&lane->of->lock);
    lane->of->times->sent_messages += lane->pieces->sent_messages;
    lane->of->times->sent_bytes += lane->pieces->sent_bytes;
    pthread_mutex_unlock(&lane->of->lock);
    memory->kind->give_back(memory->self, lane->scratch);
    free(lane->halves);
    free(lane->on_wire);
    dts_pieces_free(lane->pieces);
    free(lane->pieces);
    return NULL;
}
