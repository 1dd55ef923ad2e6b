/* done.c -- what it means that an operation of a lane is complete. */
#include <math.h>

#include "base/mem.h"
#include "plan/run.h"
#include "sim/fluid/fluid.h"

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

struct dts_op_time *dts_fluid_op_time(const struct fluid *f, int cohort, int op, int step)
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
    struct dts_op_time *time = dts_fluid_op_time(f, cohort, number, step);
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

void dts_fluid_leave_tail(struct fluid *f, struct lane *lane, double left_s)
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
    dts_fluid_leave_tail(f, lane, lane->state == CALLING ? lane->late_s : 0);
}
