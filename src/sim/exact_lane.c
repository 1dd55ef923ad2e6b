#include <math.h>

#include <simgrid/actor.h>
#include <simgrid/engine.h>

#include "base/rng.h"
#include "sim/exact_lane.h"

static const struct dts_op *op_of(const struct dts_lane *lane)
{
    return &lane->role->plan.ops[lane->op];
}

static struct dts_exact_rank *rank_of(const struct dts_lane *lane)
{
    return &lane->exact->ranks[lane->rank];
}

static void wake(struct dts_lane *lane)
{
    lane->state = DTS_LANE_RUNS;
    sg_sem_release(lane->sem);
}

/* Noise and slowdown act on what the device computes, not on fixed times. */
static bool is_kernel(const struct dts_op *op)
{
    enum dts_pass pass = op->call.pass;
    return op->stream == DTS_COMPUTE &&
           (pass == DTS_FORWARD || pass == DTS_BACKWARD || pass == DTS_UPDATE);
}

/* A draw 4 sigma below the mean must not turn time around. */
static double factor(double sigma, double normal)
{
    return fmax(0.1, 1 + sigma * normal);
}

static double step_noise(const struct dts_lane *lane)
{
    const struct dts_noise *noise = &lane->exact->simulation->noise;
    if (noise->step_sigma == 0)
        return 1;
    return factor(noise->step_sigma,
                  dts_normal(noise->seed, 2 + (uint64_t)lane->step, (uint64_t)lane->rank));
}

/* Run at full speed while the rank does not communicate, slower while it does. */
static void compute(struct dts_lane *lane, double seconds)
{
    double slow = 1 / (1 + lane->exact->simulation->slowdown);
    while (seconds > 0) {
        double speed = rank_of(lane)->talking > 0 ? slow : 1;
        double from_s = simgrid_get_clock();
        lane->state = DTS_LANE_COMPUTES;
        bool over = sg_sem_acquire_timeout(lane->sem, seconds / speed) != 0;
        lane->state = DTS_LANE_RUNS;
        seconds = over ? 0 : seconds - (simgrid_get_clock() - from_s) * speed;
    }
}

static void call(void *self, const struct dts_op *op, const struct dts_call *call)
{
    struct dts_lane *lane = self;
    double seconds = call->seconds;
    if (is_kernel(op))
        seconds *= rank_of(lane)->device_noise * step_noise(lane);
    if (is_kernel(op) && lane->exact->simulation->slowdown > 0)
        compute(lane, seconds);
    else if (seconds > 0)
        sg_actor_sleep_for(seconds);
}

/* Communication of a rank begins or ends: its kernel goes on at another speed. */
static void talk(struct dts_lane *lane, int more)
{
    struct dts_exact_rank *rank = rank_of(lane);
    bool before = rank->talking > 0;
    rank->talking += more;
    struct dts_lane *computing =
        &lane->exact->lanes[lane->rank * DTS_STREAMS + (int)DTS_COMPUTE];
    if (before != (rank->talking > 0) && computing->state == DTS_LANE_COMPUTES)
        wake(computing);
}

static void exchange(void *self, const struct dts_op *op, const struct dts_message *messages,
                     int count)
{
    (void)op;
    if (count > 0)
        dts_lane_exchange(self, messages, count);
}

static void begin(void *self, int op)
{
    struct dts_lane *lane = self;
    lane->op = op;
    lane->began_s = simgrid_get_clock();
    if (op_of(lane)->kind != DTS_OP_CALL)
        talk(lane, 1);
}

static void wait(void *self, int op, bool previous_step)
{
    struct dts_lane *lane = self;
    lane->awaited_op = op;
    lane->awaited_steps = lane->step + (previous_step ? 0 : 1);
    while (rank_of(lane)->done[op] < lane->awaited_steps) {
        lane->state = DTS_LANE_WAITS;
        sg_sem_acquire(lane->sem);
        lane->state = DTS_LANE_RUNS;
    }
}

static bool takes_part(const struct dts_lane *lane)
{
    const struct dts_op *op = op_of(lane);
    return op->kind != DTS_OP_EXCHANGE || op->exchange.every <= 1 ||
           (lane->rank - lane->role->first) % op->exchange.every == 0;
}

/* Does the end of this operation count as the end of the step? */
static bool ends_step(const struct dts_lane *lane)
{
    return lane->role_number == 0 &&
           (lane->stream == DTS_COMPUTE || !dts_plan_uses(&lane->role->plan, DTS_COMPUTE));
}

static void record(struct dts_lane *lane, double now)
{
    struct dts_exact *exact = lane->exact;
    struct dts_timing *timing = exact->timing;
    if (ends_step(lane))
        exact->step_ends[lane->step] = fmax(exact->step_ends[lane->step], now);
    if (lane->step < exact->simulation->steps - 1 || !takes_part(lane))
        return;
    struct dts_op_time *time = &timing->ops[timing->first_op[lane->role_number] + lane->op];
    time->start_s = fmin(time->start_s, lane->began_s);
    time->end_s = fmax(time->end_s, now);
    if (lane->role_number == 0 && lane->stream == DTS_COMPUTE &&
        op_of(lane)->kind == DTS_OP_CALL)
        timing->compute_s += (now - lane->began_s) / lane->role->count;
}

static void done(void *self, int op)
{
    struct dts_lane *lane = self;
    if (op_of(lane)->kind != DTS_OP_CALL)
        talk(lane, -1);
    record(lane, simgrid_get_clock());
    rank_of(lane)->done[op] = lane->step + 1;
    for (int s = 0; s < DTS_STREAMS; s++) {
        struct dts_lane *other = &lane->exact->lanes[lane->rank * DTS_STREAMS + s];
        if (other->state == DTS_LANE_WAITS && other->awaited_op == op &&
            other->awaited_steps <= lane->step + 1)
            wake(other);
    }
}

void dts_lane_live(int argc, char **argv)
{
    static const struct dts_backend backend = {
        .call = call, .exchange = exchange, .begin = begin, .wait = wait, .done = done};
    struct dts_lane *lane = sg_actor_self_get_data();
    (void)argc;
    (void)argv;
    for (lane->step = 0; lane->step < lane->exact->simulation->steps; lane->step++)
        dts_run_stream(lane->role, lane->rank, lane->stream, &backend, lane);
    lane->state = DTS_LANE_FINISHED;
}
