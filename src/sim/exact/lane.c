/* lane.c -- the lanes of the engine `exact`: operations, waits, kernels. */
#include <assert.h>
#include <math.h>

#include <simgrid/engine.h>

#include "base/rng.h"
#include "sim/exact/lane.h"

static const struct dts_op *op_of(const struct dts_exact_lane *lane)
{
    return &lane->role->plan.ops[lane->op];
}

static struct dts_exact_rank *rank_of(const struct dts_exact_lane *lane)
{
    return &lane->exact->ranks[lane->rank];
}

void dts_exact_lane_wake(struct dts_exact_lane *lane)
{
    struct dts_exact *exact = lane->exact;
    lane->state = DTS_EXACT_LANE_RUNS;
    lane->next = NULL;
    if (exact->queue == NULL)
        exact->queue = lane;
    else
        exact->queue_end->next = lane;
    exact->queue_end = lane;
}

/* A draw 4 sigma below the mean must not turn time around. */
static double factor(double sigma, double normal)
{
    return fmax(0.1, 1 + sigma * normal);
}

static double step_noise(const struct dts_exact_lane *lane)
{
    const struct dts_noise *noise = &lane->exact->simulation->noise;
    if (noise->step_sigma == 0)
        return 1;
    return factor(noise->step_sigma,
                  dts_normal(noise->seed, 2 + (uint64_t)lane->step, (uint64_t)lane->rank));
}

static void wake(void *self, int which)
{
    (void)which;
    dts_exact_lane_wake(self);
}

static void kernel_over(void *self, int pace)
{
    struct dts_exact_lane *lane = self;
    if (lane->state == DTS_EXACT_LANE_COMPUTES && lane->pace == pace)
        dts_exact_lane_wake(lane);
}

/* A kernel runs at full speed while its rank does not communicate, slower while it does. */
static void set_pace(struct dts_exact_lane *lane)
{
    double now = simgrid_get_clock();
    lane->left_s -= (now - lane->from_s) * lane->speed;
    lane->from_s = now;
    lane->speed = 1;
    if (rank_of(lane)->talking > 0)
        lane->speed = 1 / (1 + lane->exact->simulation->slowdown);
    dts_exact_call_at(&lane->exact->events, now + lane->left_s / lane->speed, kernel_over, lane,
                      ++lane->pace);
}

/* Returns false when it takes time: the lane is woken when that is over. */
static bool call(struct dts_exact_lane *lane, const struct dts_op *op)
{
    double seconds = op->call.seconds, slowdown = lane->exact->simulation->slowdown;
    if (dts_engine_is_kernel(op))
        seconds *= dts_compute_factor(lane->exact->simulation, lane->rank) *
                   rank_of(lane)->device_noise * step_noise(lane);
    if (seconds <= 0)
        return true;
    lane->state = DTS_EXACT_LANE_CALLS;
    if (dts_engine_is_kernel(op) && slowdown > 0) {
        lane->state = DTS_EXACT_LANE_COMPUTES;
        lane->left_s = seconds;
        lane->from_s = simgrid_get_clock();
        set_pace(lane);
    } else {
        dts_exact_call_at(&lane->exact->events, simgrid_get_clock() + seconds, wake, lane, 0);
    }
    return false;
}

/* Communication of a rank begins or ends: its kernel goes on at another speed. */
static void talk(struct dts_exact_lane *lane, int more)
{
    struct dts_exact_rank *rank = rank_of(lane);
    bool before = rank->talking > 0;
    rank->talking += more;
    struct dts_exact_lane *computing =
        &lane->exact->lanes[lane->rank * DTS_STREAMS + (int)DTS_COMPUTE];
    if (before != (rank->talking > 0) && computing->state == DTS_EXACT_LANE_COMPUTES)
        set_pace(computing);
}

static void begin(struct dts_exact_lane *lane, int op)
{
    lane->op = op;
    lane->began_s = simgrid_get_clock();
    if (op_of(lane)->kind != DTS_OP_CALL)
        talk(lane, 1);
}

/* Returns false when another stream has to be waited for. */
static bool wait(struct dts_exact_lane *lane, const struct dts_event *event)
{
    lane->awaited_op = event->op;
    lane->awaited_steps = lane->step + (event->previous_step ? 0 : 1);
    if (rank_of(lane)->done[event->op] >= lane->awaited_steps)
        return true;
    lane->state = DTS_EXACT_LANE_WAITS;
    return false;
}

static bool takes_part(const struct dts_exact_lane *lane)
{
    const struct dts_op *op = op_of(lane);
    return op->kind != DTS_OP_EXCHANGE || op->exchange.every <= 1 ||
           (lane->rank - lane->role->first) % op->exchange.every == 0;
}

/* Does the end of this operation count as the end of the step? */
static bool ends_step(const struct dts_exact_lane *lane)
{
    return lane->role->kind == DTS_WORKER &&
           (lane->stream == DTS_COMPUTE || !dts_plan_uses(&lane->role->plan, DTS_COMPUTE));
}

static void record(struct dts_exact_lane *lane, double now)
{
    struct dts_exact *exact = lane->exact;
    struct dts_timing *timing = exact->timing;
    if (ends_step(lane))
        exact->step_ends[lane->step] = fmax(exact->step_ends[lane->step], now);
    if (lane->step < exact->simulation->steps - 1 || !takes_part(lane))
        return;
    dts_op_time_add(&timing->ops[timing->first_op[lane->role_number] + lane->op], lane->began_s,
                    now);
    if (lane->role->kind == DTS_WORKER && lane->stream == DTS_COMPUTE &&
        op_of(lane)->kind == DTS_OP_CALL)
        timing->compute_s += (now - lane->began_s) / exact->workers;
}

static void done(struct dts_exact_lane *lane, int op)
{
    if (op_of(lane)->kind != DTS_OP_CALL)
        talk(lane, -1);
    record(lane, simgrid_get_clock());
    rank_of(lane)->done[op] = lane->step + 1;
    for (int s = 0; s < lane->exact->streams; s++) {
        struct dts_exact_lane *other = &lane->exact->lanes[lane->rank * DTS_STREAMS + s];
        if (other->state == DTS_EXACT_LANE_WAITS && other->awaited_op == op &&
            other->awaited_steps <= lane->step + 1)
            dts_exact_lane_wake(other);
    }
}

/* Returns false when the lane has to wait. */
static bool carry_out(struct dts_exact_lane *lane, const struct dts_event *event)
{
    switch (event->kind) {
    case DTS_EVENT_WAIT:
        return wait(lane, event);
    case DTS_EVENT_BEGIN:
        begin(lane, event->op);
        return true;
    case DTS_EVENT_CALL:
        return call(lane, op_of(lane));
    case DTS_EVENT_EXCHANGE:
        dts_exact_lane_exchange(lane, event->messages, event->count);
        return false;
    case DTS_EVENT_DONE:
        done(lane, event->op);
        return true;
    case DTS_EVENT_COLLECTIVE: // only of walks that ask for it
        break;
    }
    assert(!"an event of this walk");
    return true;
}

static void go_on(struct dts_exact_lane *lane)
{
    while (lane->step < lane->exact->simulation->steps) {
        struct dts_event event;
        while (dts_walk_next(&lane->walk, &event))
            if (!carry_out(lane, &event))
                return;
        lane->step++;
    }
    lane->state = DTS_EXACT_LANE_FINISHED;
    if (--lane->exact->running == 0)
        dts_simgrid_end(lane->exact->loop);
}

void dts_exact_lanes_go_on(struct dts_exact *exact)
{
    while (exact->queue != NULL) {
        struct dts_exact_lane *lane = exact->queue;
        exact->queue = lane->next;
        go_on(lane);
    }
}
