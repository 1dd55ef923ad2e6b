/* end.c -- when a collective ends, by what was before it. */
#include <math.h>

#include "base/mem.h"
#include "sim/fluid/fluid.h"

/* The tail of the collective before this one on its stream; NULL: it is over. */
static struct tail *tail_before(const struct fluid *f, const struct lane *lane)
{
    for (size_t i = 0; i < f->tail_count; i++) {
        struct tail *tail = &f->tails[i];
        if (tail->cohort == lane->cohort && tail->op == lane->before &&
            tail->step == lane->before_step)
            return tail;
    }
    return NULL;
}

/* Do the last members of that hold up those of this one? */
static bool is_held_up(const struct lane *lane)
{
    return dts_group_same(&lane->role->plan.ops[lane->before].collective.group,
                          &dts_fluid_op(lane)->collective.group);
}

/* When a collective ends that begins now, while the last members of the one before it still
 * work (row.h). Begun as soon as the first member is free, it ends as far behind that one as
 * the two do in a row. Begun later, it ends no earlier, and at least when it would alone; but
 * the less of the one before is left, the less it gains from members that come one after
 * another, not all at once. */
static double end_behind(const struct tail *tail, double alone_s, double after_s)
{
    double gain_s = fmax(0, alone_s - (tail->all_s + after_s));
    return fmax(tail->left_s + after_s, alone_s - gain_s * tail->left_s / tail->all_s);
}

/* The last members are so much later with what they still do before this. */
static void hold_up_tails(struct fluid *f, const struct lane *lane, double held_s)
{
    for (size_t i = 0; i < f->tail_count; i++) {
        struct tail *tail = &f->tails[i];
        if (tail->cohort == lane->cohort &&
            lane->role->plan.ops[tail->op].stream == lane->stream)
            tail->left_s += held_s;
    }
}

/* Is the next operation of its stream a collective, too? Each member begins that when it is
 * done itself, and so it does what passes between two without a kernel. */
static bool leads_to_collective(const struct lane *lane)
{
    const struct dts_plan *plan = &lane->role->plan;
    const bool passes = lane->stream != DTS_COMPUTE;
    int next = lane->op;
    do
        next = (next + 1) % plan->op_count;
    while (plan->ops[next].stream != lane->stream ||
           (passes && plan->ops[next].kind == DTS_OP_CALL));
    return plan->ops[next].kind == DTS_OP_COLLECTIVE;
}

/* It is begun by members while others still work at the one before, although that is over for
 * fluid, which goes with the last one: the last ones are held up by that, and so the step in
 * which they did that. */
static void overtake(struct fluid *f, const struct lane *lane, const struct dts_load *load,
                     struct dts_follow *follow, double *end_s, double *late_s)
{
    if (lane->before < 0 || lane->stream == DTS_COMPUTE || !is_held_up(lane))
        return;
    struct run *before = dts_fluid_run(f, lane->cohort, lane->before);
    struct dts_row_pair pair = {dts_loader_count(f->loader, lane->cohort, lane->before), load,
                                f->first_op[lane->cohort] + lane->op,
                                before->begun.by_member_s};
    if (!dts_fluid_overtakes(f, lane, &pair.between))
        return;
    const struct dts_follow behind = dts_rows_behind(dts_loader_rows(f->loader), &pair);
    if (!behind.as_asked)
        return;
    *end_s = before->ended.last_s + behind.held_s + behind.row.after_s - f->now;
    *late_s += behind.held_s;
    if (lane->before_step < lane->step)
        f->step_ends[lane->before_step] += behind.held_s;
    *follow = behind;
}

/* How it goes, begun now, and when it ends. Where it follows a tail, its messages hold that up,
 * the less the less is left of it: the tail is made longer, and its members' ends are noted. */
static struct dts_follow follow(struct fluid *f, const struct lane *lane, struct tail *tail,
                                const struct dts_load *load, double *end_s, double *late_s)
{
    struct dts_rows *rows = dts_loader_rows(f->loader);
    struct dts_follow follow =
        dts_rows_alone(rows, load, tail == NULL ? dts_fluid_begin_apart(f, lane) : NULL);
    const double alone_s = follow.row.after_s;
    *end_s = alone_s + (tail == NULL ? dts_fluid_last_begin_s(f, lane) : 0);
    if (tail == NULL)
        overtake(f, lane, load, &follow, end_s, late_s);
    if (tail == NULL || !is_held_up(lane))
        return follow;
    struct run *before = dts_fluid_run(f, lane->cohort, lane->before);
    struct dts_row_pair pair = {dts_loader_count(f->loader, lane->cohort, lane->before), load,
                                f->first_op[lane->cohort] + lane->op,
                                before->begun.by_member_s};
    if (lane->stream != DTS_COMPUTE)
        dts_fluid_find_until(f, lane, f->now - (tail->all_s - tail->left_s), &pair.between);
    follow = dts_rows_behind(rows, &pair);
    double held_s = follow.held_s;
    *end_s = tail->left_s + held_s + follow.row.after_s;
    if (!follow.as_asked) {
        *end_s = end_behind(tail, alone_s, held_s + follow.row.after_s);
        held_s *= tail->left_s / tail->all_s;
    }
    hold_up_tails(f, lane, held_s);
    before->ended.by_member_s = follow.first_ended_s;
    return follow;
}

void dts_fluid_set_end(struct fluid *f, struct lane *lane, const struct dts_load *load,
                       struct fluid_flow *flow)
{
    double end_s, late_s = 0;
    struct tail *tail = tail_before(f, lane);
    const struct dts_follow course = follow(f, lane, tail, load, &end_s, &late_s);
    struct run *run = dts_fluid_run(f, lane->cohort, lane->op);
    late_s += dts_fluid_last_begin_s(f, lane);
    run->begun = (struct moments){f->now + late_s, course.begun_s};
    run->ended = (struct moments){INFINITY, course.ended_s};
    lane->before = lane->op;
    lane->before_step = lane->step;
    if (load->sum_s <= 0)
        return;
    double free_s = end_s - course.row.spread_s;
    if (load->move.script != NULL && !leads_to_collective(lane)) {
        const struct dts_row_pair alike = {load, load, .place = -1};
        free_s = fmin(end_s, dts_rows_behind(dts_loader_rows(f->loader), &alike).row.after_s);
    }
    free_s = fmax(0, free_s);
    flow->share = free_s / load->sum_s;
    flow->tail_s = end_s - free_s;
}
