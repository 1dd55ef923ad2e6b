/* lane.c -- what begins, and what a completion means. */
#include <math.h>

#include "base/mem.h"
#include "plan/run.h"
#include "sim/fluid/fluid.h"

/* Each member has done itself what comes before on its own stream. */
static bool is_call_before(const struct lane *lane, struct dts_wait wait)
{
    const struct dts_op *op = &lane->role->plan.ops[wait.op];
    return op->kind == DTS_OP_CALL && op->stream == lane->stream && !wait.previous_step;
}

static bool waits_are_over(const struct fluid *f, const struct lane *lane)
{
    const struct dts_op *op = dts_fluid_op(lane);
    for (int w = 0; w < op->wait_count; w++) {
        struct dts_wait wait = lane->role->plan.waits[op->first_wait + w];
        if (is_call_before(lane, wait))
            continue;
        if (f->done[f->first_op[lane->cohort] + wait.op] <= lane->step - wait.previous_step)
            return false;
    }
    return true;
}

static void stir(struct fluid *f, int cohort)
{
    f->stirred[cohort / 64] |= (uint64_t)1 << cohort % 64;
}

/* Does the operation not act in the lane's step? Who waits for it goes on. */
static bool is_left_out(struct fluid *f, const struct lane *lane)
{
    if (dts_when_acts(&dts_fluid_op(lane)->when, f->simulation->first_step + lane->step))
        return false;
    f->done[f->first_op[lane->cohort] + lane->op] = lane->step + 1;
    return true;
}

void dts_fluid_next_op(struct fluid *f, struct lane *lane)
{
    const struct dts_plan *plan = &lane->role->plan;
    stir(f, lane->cohort);
    lane->state = WAITING;
    lane->previous = lane->op;
    do {
        if (++lane->op >= plan->op_count) {
            lane->op = 0;
            lane->step++;
        }
        if (lane->step == f->simulation->steps) {
            lane->state = FINISHED;
            return;
        }
    } while (plan->ops[lane->op].stream != lane->stream || is_left_out(f, lane));
}

/* Does the end of this operation count as the end of the step? */
static bool ends_step(const struct dts_role *role, const struct dts_op *op)
{
    return role->kind == DTS_WORKER &&
           (op->stream == DTS_COMPUTE || !dts_plan_uses(&role->plan, DTS_COMPUTE));
}

/* Only of the last step in which it acts: cohorts may be a step apart. */
static struct dts_op_time *time_of(const struct fluid *f, int cohort, int op, int step)
{
    const struct dts_cohort *who = &f->cohorts->all[cohort];
    const int last = dts_engine_last_step(f->simulation, &who->role->plan.ops[op].when);
    return step == last ? &f->timing->ops[f->timing->first_op[who->role_number] + op] : NULL;
}

/* Lanes wait for what their own cohort does. */
static void mark_done(struct fluid *f, int cohort, int number, int step)
{
    const struct dts_cohort *who = &f->cohorts->all[cohort];
    const struct dts_op *op = &who->role->plan.ops[number];
    struct dts_op_time *time = time_of(f, cohort, number, step);
    f->done[f->first_op[cohort] + number] = step + 1;
    stir(f, cohort);
    dts_progress_more(f->simulation->progress);
    if (time != NULL)
        time->end_s = fmax(time->end_s, f->now);
    dts_fluid_run(f, cohort, number)->ended.last_s = f->now;
    if (op->kind != DTS_OP_CALL)
        dts_fluid_has_talked(f, cohort, number);
    if (ends_step(who->role, op))
        f->step_ends[step] = fmax(f->step_ends[step], f->now);
}

/* Of the last step in which it acts, the mean over all workers. */
static void add_compute(const struct fluid *f, const struct lane *lane)
{
    const struct dts_cohort *who = &f->cohorts->all[lane->cohort];
    const struct dts_when *when = &dts_fluid_op(lane)->when;
    if (lane->state == CALLING && lane->stream == DTS_COMPUTE &&
        who->role->kind == DTS_WORKER &&
        lane->step == dts_engine_last_step(f->simulation, when))
        f->timing->compute_s += dts_when_share(when) * (f->now - lane->begun_s) * lane->mean *
                                who->count / f->workers;
}

void dts_fluid_complete(struct fluid *f, struct lane *lane)
{
    add_compute(f, lane);
    mark_done(f, lane->cohort, lane->op, lane->step);
    dts_fluid_next_op(f, lane);
}

void dts_fluid_end_tail(struct fluid *f, size_t number)
{
    struct tail tail = f->tails[number];
    for (size_t i = number + 1; i < f->tail_count; i++)
        f->tails[i - 1] = f->tails[i];
    f->tail_count--;
    mark_done(f, tail.cohort, tail.op, tail.step);
}

/* The operation that a lane is at is complete so much later; its stream goes on now. */
static void leave_tail(struct fluid *f, struct lane *lane, double left_s)
{
    if (left_s <= 0) {
        dts_fluid_complete(f, lane);
        return;
    }
    f->tails = dts_grow(f->tails, &f->tail_room, f->tail_count + 1, sizeof(*f->tails));
    f->tails[f->tail_count++] =
        (struct tail){lane->cohort, lane->op, lane->step, left_s, left_s};
    dts_fluid_next_op(f, lane);
}

void dts_fluid_end_timed(struct fluid *f, struct lane *lane)
{
    if (lane->state == CALLING && dts_op_is_kernel(dts_fluid_op(lane)))
        dts_fluid_end_kernel(f, lane);
    leave_tail(f, lane, lane->state == CALLING ? lane->late_s : 0);
}

void dts_fluid_end_flow(struct fluid *f, struct fluid_flow *flow)
{
    flow->state = OVER;
    flow->over_s = f->now;
    if (flow->receiver < 0)
        leave_tail(f, &f->lanes[flow->sender], flow->tail_s);
    else
        dts_fluid_end_message(f, flow);
}

static void begin_collective(struct fluid *f, int number)
{
    struct lane *lane = &f->lanes[number];
    const struct dts_load *load = dts_loader_count(f->loader, lane->cohort, lane->op);
    struct fluid_flow flow = {.state = UNDER_WAY,
                              .costs = load->costs,
                              .cost_count = load->cost_count,
                              .share = 1,
                              .left = load->cost_count > 0 ? load->costs[0].repeat : 0,
                              .sender = number,
                              .receiver = -1};
    dts_fluid_set_end(f, lane, load, &flow);
    lane->state = SENDING;
    dts_fluid_begin_flow(f, dts_fluid_add_flow(f, &flow));
}

double dts_fluid_last_begin_s(const struct fluid *f, const struct lane *lane)
{
    double left_s = 0;
    if (dts_fluid_op(lane)->kind == DTS_OP_CALL && lane->stream == DTS_COMPUTE)
        return 0; // takes its time from now
    for (size_t i = 0; i < f->tail_count; i++) {
        const struct tail *tail = &f->tails[i];
        if (tail->cohort == lane->cohort &&
            lane->role->plan.ops[tail->op].stream == lane->stream)
            left_s = fmax(left_s, tail->left_s);
    }
    return left_s;
}

static void begin_call(struct fluid *f, struct lane *lane, double late_s)
{
    const struct dts_op *op = dts_fluid_op(lane);
    const struct pace *pace = &f->paces[lane->cohort];
    const int role = f->cohorts->all[lane->cohort].role_number;
    lane->state = CALLING;
    lane->left_s = op->call.seconds;
    lane->mean = 1;
    if (dts_op_is_kernel(op)) {
        lane->plain_s = op->call.seconds * f->noise[role];
        lane->left_s = dts_fluid_kernel_s(f, lane, lane->plain_s);
        if (pace->by_member != NULL && lane->left_s > 0)
            lane->mean = pace->mean * lane->plain_s / lane->left_s;
    }
    lane->late_s = late_s;
    lane->begun_s = f->now;
    dts_fluid_time_lane(f, lane);
}

static void begin(struct fluid *f, int number)
{
    struct lane *lane = &f->lanes[number];
    const struct dts_op *op = dts_fluid_op(lane);
    struct dts_op_time *time = time_of(f, lane->cohort, lane->op, lane->step);
    if (op->kind == DTS_OP_CALL)
        dts_fluid_begin_call(f, lane);
    if (op->kind == DTS_OP_COLLECTIVE)
        begin_collective(f, number);
    const double later_s = op->kind == DTS_OP_COLLECTIVE
                               ? dts_fluid_run(f, lane->cohort, lane->op)->begun.last_s - f->now
                               : dts_fluid_last_begin_s(f, lane);
    if (time != NULL)
        time->start_s = fmax(time->start_s, f->now + later_s);
    if (op->kind == DTS_OP_CALL) {
        begin_call(f, lane, later_s);
        return;
    }
    dts_fluid_talks(f, lane->cohort, lane->op);
    if (op->kind == DTS_OP_EXCHANGE)
        dts_fluid_exchange(f, number);
}

/* True: something began, which may have let others begin. */
static bool start_cohort(struct fluid *f, int cohort)
{
    bool started = false;
    f->stirred[cohort / 64] &= ~((uint64_t)1 << cohort % 64);
    for (int i = f->first_lane[cohort]; i < f->first_lane[cohort + 1]; i++)
        if (f->lanes[i].state == WAITING && waits_are_over(f, &f->lanes[i])) {
            begin(f, i);
            started = true;
        }
    return started;
}

/* The first from `cohort` on; -1: there is none. */
static int next_stirred(const struct fluid *f, int cohort)
{
    const int words = f->cohorts->count / 64 + 1;
    for (int w = cohort / 64; w < words; w++) {
        const uint64_t from = w == cohort / 64 ? ~(uint64_t)0 << cohort % 64 : ~(uint64_t)0;
        if ((f->stirred[w] & from) != 0)
            return 64 * w + __builtin_ctzll(f->stirred[w] & from);
    }
    return -1;
}

/* Start all that can start now. */
void dts_fluid_start(struct fluid *f)
{
    bool started = true;
    while (started) {
        started = false;
        for (int c = next_stirred(f, 0); c >= 0; c = next_stirred(f, c + 1))
            started |= start_cohort(f, c);
    }
}
