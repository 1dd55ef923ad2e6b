/* time.c -- how time passes: speeds, and the next completion. */
#include <math.h>

#include "sim/fluid/fluid.h"

static double call_speed(const struct fluid *f, const struct lane *lane)
{
    if (f->simulation->slowdown == 0)
        return 1;
    bool slow = lane->state == CALLING && dts_op_is_kernel(dts_fluid_op(lane)) &&
                f->talking[lane->cohort] > 0;
    return slow ? 1 / (1 + f->simulation->slowdown) : 1;
}

static double flow_left_s(const struct fluid_flow *flow)
{
    if (flow->state == PAYING)
        return flow->pays_s * flow->repetition_s;
    return flow->class < flow->cost_count ? flow->left * flow->repetition_s : 0;
}

/* Seconds until something completes; INFINITY: nothing is under way. */
static double next_completion(struct fluid *f)
{
    double least = INFINITY;
    for (size_t i = 0; i < f->timed.count; i++) {
        const struct lane *lane = &f->lanes[f->timed.all[i]];
        f->left_s[i] = lane->left_s / call_speed(f, lane);
        if (f->left_s[i] < least) // fmin() would be called
            least = f->left_s[i];
    }
    for (size_t i = 0; i < f->going.count; i++) {
        double left_s = flow_left_s(&f->flows[f->going.all[i]]);
        if (left_s < least)
            least = left_s;
    }
    for (size_t i = 0; i < f->tail_count; i++)
        least = fmin(least, f->tails[i].left_s);
    return least;
}

/* The wire is done with a flow: its lanes go on, what it leaves behind becomes a tail. */
static void end_flow(struct fluid *f, struct fluid_flow *flow)
{
    flow->state = OVER;
    flow->over_s = f->now;
    if (flow->receiver < 0)
        dts_fluid_leave_tail(f, &f->lanes[flow->sender], flow->tail_s);
    else
        dts_fluid_end_message(f, flow);
}

static void advance_flow(struct fluid *f, struct fluid_flow *flow, double elapsed,
                         double nearly)
{
    double *left = flow->state == PAYING ? &flow->pays_s : &flow->left;
    if (flow_left_s(flow) > nearly) {
        *left -= elapsed / flow->repetition_s;
        return;
    }
    f->wire_changed = true;
    flow->bytes_per_s = NAN;
    if (flow->state == PAYING)
        flow->state = UNDER_WAY;
    else if (++flow->class < flow->cost_count)
        flow->left = flow->costs[flow->class].repeat;
    else
        end_flow(f, flow);
}

static void advance_flows(struct fluid *f, double elapsed, double nearly)
{
    size_t kept = 0;
    for (size_t i = 0; i < f->going.count; i++) {
        int number = f->going.all[i];
        struct fluid_flow *flow = &f->flows[number];
        advance_flow(f, flow, elapsed, nearly);
        if (flow->state != OVER)
            f->going.all[kept++] = number;
        else if (flow->receiver < 0 || flow->awaited)
            dts_fluid_forget_flow(f, flow);
    }
    f->going.count = kept;
}

static void advance_lanes(struct fluid *f, double elapsed, double nearly)
{
    size_t kept = 0;
    for (size_t i = 0; i < f->timed.count; i++) {
        struct lane *lane = &f->lanes[f->timed.all[i]];
        lane->left_s -= elapsed * call_speed(f, lane);
    }
    f->now += elapsed;
    for (size_t i = 0; i < f->timed.count; i++) {
        int number = f->timed.all[i];
        if (f->left_s[i] <= nearly)
            dts_fluid_end_timed(f, &f->lanes[number]);
        else
            f->timed.all[kept++] = number;
    }
    f->timed.count = kept;
}

/* Let time pass. What completes within rounding of `elapsed` completes now, so that equal times
 * stay equal. Speeds are those from before any of it completed. */
static void advance(struct fluid *f, double elapsed)
{
    size_t tails = f->tail_count; // those of now; what begins a tail now waits in full
    double nearly = elapsed * (1 + 1e-12) + 1e-15;
    advance_lanes(f, elapsed, nearly);
    advance_flows(f, elapsed, nearly);
    for (size_t i = 0, kept = 0; i < tails; i++) {
        bool over = f->tails[kept].left_s <= nearly;
        f->tails[kept].left_s -= elapsed;
        if (over)
            dts_fluid_end_tail(f, kept);
        else
            kept++;
    }
}

bool dts_fluid_advance(struct fluid *f)
{
    dts_fluid_set_rates(f);
    double elapsed = next_completion(f);
    if (isinf(elapsed))
        return false;
    advance(f, elapsed);
    return true;
}
