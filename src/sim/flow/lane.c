/* lane.c -- the lanes: operations, waits, kernels. */
#include <assert.h>
#include <math.h>

#include "base/rng.h"
#include "sim/flow/flow.h"

static const struct dts_op *op_of(const struct dts_flow_lane *lane)
{
    return &lane->role->plan.ops[lane->op];
}

void dts_flow_lane_wake(struct dts_flow *f, int number)
{
    struct dts_flow_lane *lane = &f->lanes[number];
    lane->state = DTS_FLOW_RUNS;
    lane->next = DTS_FLOW_NONE;
    if (f->queue == DTS_FLOW_NONE)
        f->queue = number;
    else
        f->lanes[f->queue_end].next = number;
    f->queue_end = number;
}

/* A draw 4 sigma below the mean must not turn time around. */
static double step_noise(const struct dts_flow *f, const struct dts_flow_lane *lane)
{
    const struct dts_noise *noise = &f->jobs[lane->job].of.noise;
    if (noise->step_sigma == 0)
        return 1;
    return fmax(0.1, 1 + noise->step_sigma * dts_normal(noise->seed, 2 + (uint64_t)lane->step,
                                                        (uint64_t)lane->place));
}

/* A kernel runs at full speed while its rank does not communicate, slower while it does. */
static void set_pace(struct dts_flow *f, int number)
{
    struct dts_flow_lane *lane = &f->lanes[number];
    lane->left_s -= (f->now_s - lane->from_s) * lane->speed;
    lane->from_s = f->now_s;
    lane->speed =
        f->ranks[lane->place].talking > 0 ? 1 / (1 + f->jobs[lane->job].of.slowdown) : 1;
    dts_flow_date_set(f, number, fmax(f->now_s, f->now_s + lane->left_s / lane->speed));
}

static void set_computing(struct dts_flow *f, int rank, bool computing)
{
    f->ranks[rank].computing = computing;
    if (f->simulation->message_slowdown > 0)
        f->wire_ops->slow(f, rank);
}

/* Returns false when it takes time: the lane is woken when that is over. */
static bool call(struct dts_flow *f, int number)
{
    struct dts_flow_lane *lane = &f->lanes[number];
    const struct dts_op *op = op_of(lane);
    const bool kernel = dts_op_is_kernel(op);
    double seconds = op->call.seconds;
    const struct dts_neighbour *job = &f->jobs[lane->job].of;
    if (kernel)
        seconds *= (job->compute_factor != NULL ? job->compute_factor[lane->rank] : 1) *
                   f->ranks[lane->place].device_noise * step_noise(f, lane);
    if (seconds <= 0)
        return true;
    lane->state = DTS_FLOW_CALLS;
    if (kernel)
        set_computing(f, lane->place, true);
    if (kernel && job->slowdown > 0) {
        lane->state = DTS_FLOW_COMPUTES;
        lane->left_s = seconds;
        lane->from_s = f->now_s;
        lane->speed = 1;
        set_pace(f, number);
    } else {
        dts_flow_date_set(f, number, f->now_s + seconds);
    }
    return false;
}

/* Communication of a rank begins or ends: its kernel goes on at another speed. */
static void talk(struct dts_flow *f, const struct dts_flow_lane *lane, int more)
{
    struct dts_flow_rank *rank = &f->ranks[lane->place];
    const bool before = rank->talking > 0;
    rank->talking += more;
    if (before != (rank->talking > 0) && rank->compute != DTS_FLOW_NONE &&
        f->lanes[rank->compute].state == DTS_FLOW_COMPUTES)
        set_pace(f, rank->compute);
}

/* Does it slow the rank's kernels down while it lasts? */
static bool talks(const struct dts_op *op)
{
    return op->kind != DTS_OP_CALL && !(op->kind == DTS_OP_EXCHANGE && op->exchange.awaits);
}

static void begin(struct dts_flow *f, struct dts_flow_lane *lane, int op)
{
    lane->op = op;
    lane->began_s = f->now_s;
    if (talks(op_of(lane)))
        talk(f, lane, 1);
}

/* Returns false when another stream has to be waited for. */
static bool wait(struct dts_flow *f, struct dts_flow_lane *lane, const struct dts_event *event)
{
    lane->awaited_op = event->op;
    lane->awaited_steps = lane->step + (event->previous_step ? 0 : 1);
    if (f->ranks[lane->place].done[event->op] >= lane->awaited_steps)
        return true;
    lane->state = DTS_FLOW_WAITS;
    return false;
}

static bool takes_part(const struct dts_flow_lane *lane)
{
    const struct dts_op *op = op_of(lane);
    return op->kind != DTS_OP_EXCHANGE || op->exchange.every <= 1 ||
           (lane->rank - lane->role->first) % op->exchange.every == 0;
}

/* The step from whose begin times of a lane count: its own, or, where nobody of the rank waits
 * for it, that which the rank is at. */
static int step_of_rank(const struct dts_flow *f, const struct dts_flow_lane *lane)
{
    const int compute = f->ranks[lane->place].compute;
    const int at = compute != DTS_FLOW_NONE ? f->lanes[compute].step : lane->step;
    return at < lane->step || at > lane->step + 1 ? at : lane->step;
}

/* In the last step in which they act; where messages disturb one step more than another, in the
 * mean over the second half of all steps. */
static void note_compute(struct dts_flow *f, const struct dts_flow_lane *lane)
{
    const struct dts_op *op = op_of(lane);
    const int steps = f->simulation->steps, period = f->timing->period;
    const double seconds = f->now_s - lane->began_s;
    if (lane->role->kind != DTS_WORKER || lane->stream != DTS_COMPUTE ||
        op->kind != DTS_OP_CALL)
        return;
    const int whole = (steps - steps / 2) / period * period, most = whole > 0 ? whole : steps;
    if (f->simulation->job->drifts)
        f->ranks[lane->place].compute_s += lane->step >= steps - most ? seconds / most : 0;
    else if (lane->step >= dts_engine_last_step(f->simulation, &op->when))
        f->ranks[lane->place].compute_s += dts_when_share(&op->when) * seconds;
}

static void record(struct dts_flow *f, const struct dts_flow_lane *lane)
{
    struct dts_timing *timing = f->timing;
    double from_s = 0;
    if (lane->job > 0)
        return;
    if (lane->ends_step)
        f->step_ends[lane->step] = fmax(f->step_ends[lane->step], f->now_s);
    if (f->ends != NULL) { // each rank's own steps
        const int steps = f->simulation->steps;
        if (lane->ends_step)
            f->ends[lane->rank * steps + lane->step] = f->now_s;
        const int own = step_of_rank(f, lane);
        from_s = own > 0 ? f->ends[lane->rank * steps + own - 1] : 0;
    }
    note_compute(f, lane);
    const struct dts_when *when = &op_of(lane)->when;
    if (lane->step < dts_engine_last_step(f->simulation, when) || !takes_part(lane))
        return;
    dts_op_time_add(&timing->ops[timing->first_op[lane->role_number] + lane->op],
                    lane->began_s - from_s, f->now_s - from_s);
}

/* Who waits for the operation goes on. */
static void pass(struct dts_flow *f, const struct dts_flow_lane *lane, int op)
{
    struct dts_flow_rank *rank = &f->ranks[lane->place];
    rank->done[op] = lane->step + 1;
    for (int other = rank->first_lane; other < rank->first_lane + rank->lane_count; other++) {
        const struct dts_flow_lane *l = &f->lanes[other];
        if (l->state == DTS_FLOW_WAITS && l->awaited_op == op &&
            l->awaited_steps <= lane->step + 1)
            dts_flow_lane_wake(f, other);
    }
}

static void done(struct dts_flow *f, int number, int op)
{
    const struct dts_flow_lane *lane = &f->lanes[number];
    struct dts_flow_rank *rank = &f->ranks[lane->place];
    if (talks(op_of(lane)))
        talk(f, lane, -1);
    else if (rank->computing && lane->stream == DTS_COMPUTE)
        set_computing(f, lane->place, false);
    record(f, lane);
    pass(f, lane, op);
}

/* Returns false when the lane has to wait. */
static bool carry_out(struct dts_flow *f, int number, const struct dts_event *event)
{
    struct dts_flow_lane *lane = &f->lanes[number];
    switch (event->kind) {
    case DTS_EVENT_WAIT:
        return wait(f, lane, event);
    case DTS_EVENT_BEGIN:
        begin(f, lane, event->op);
        return true;
    case DTS_EVENT_CALL:
        return call(f, number);
    case DTS_EVENT_EXCHANGE:
        dts_flow_exchange(f, number, event->messages, event->count);
        return false;
    case DTS_EVENT_DONE:
        done(f, number, event->op);
        return true;
    case DTS_EVENT_LEFT_OUT:
        pass(f, lane, event->op);
        return true;
    case DTS_EVENT_COLLECTIVE: // only of walks that ask for it
        break;
    }
    assert(!"an event of this walk");
    return true;
}

static void go_on(struct dts_flow *f, int number)
{
    struct dts_flow_lane *lane = &f->lanes[number];
    while (lane->job > 0 ? f->running > 0 : lane->step < f->simulation->steps) {
        struct dts_event event;
        while (dts_walk_next(&lane->walk, &event))
            if (!carry_out(f, number, &event))
                return;
        lane->step++;
        if (lane->job > 0 && !dts_flow_job_step(f, number))
            return;
    }
    lane->state = DTS_FLOW_FINISHED;
    if (lane->job == 0 && --f->running == 0 && f->wire_ops->finished != NULL)
        f->wire_ops->finished(f);
}

void dts_flow_lanes_go_on(struct dts_flow *f)
{
    while (f->queue != DTS_FLOW_NONE) {
        const int number = f->queue;
        f->queue = f->lanes[number].next;
        go_on(f, number);
    }
}
