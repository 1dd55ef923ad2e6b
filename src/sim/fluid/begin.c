/* begin.c -- what begins. */
#include <math.h>

#include "base/mem.h"
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
    struct dts_op_time *time = dts_fluid_op_time(f, lane->cohort, lane->op, lane->step);
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
