/* exchange.c -- messages between cohorts: who sends, who waits, and when they meet. */
#include <math.h>

#include "sim/fluid/fluid.h"

/* That of this lane's exchange with a lane of the other side: there already where that came
 * first. */
static struct fluid_flow *meet(struct fluid *f, int lane, struct dts_far_side far)
{
    const struct lane *mine = &f->lanes[lane];
    const struct dts_exchange *x = &dts_fluid_op(mine)->exchange;
    int other = f->lane_of[far.cohort * DTS_STREAMS + (int)dts_stream_meets(mine->stream)];
    const struct fluid_flow wanted = {.state = MEETING,
                                      .share = 1,
                                      .sender = x->send ? lane : other,
                                      .receiver = x->send ? other : lane,
                                      .step = mine->step,
                                      .channel = x->channel,
                                      .transport = far.transport};
    return dts_fluid_meet_flow(f, &wanted);
}

static void send(struct fluid_flow *flow, const struct dts_step_cost *cost, double now)
{
    flow->sent = true;
    flow->sent_s = now;
    flow->costs = cost;
    flow->cost_count = 1;
    flow->left = 1;
}

static void await(struct fluid_flow *flow, const struct dts_step_cost *cost)
{
    flow->awaited = true;
    flow->after_s = cost->late_s + cost->sum_s;
}

/* One flow less to wait for, which has arrived by then. */
static void arrive(struct lane *lane, double arrived_s)
{
    lane->open--;
    lane->arrived_s = fmax(lane->arrived_s, arrived_s);
}

/* With nothing open the exchange is over, when the last of it has arrived. */
static void end_if_over(struct fluid *f, struct lane *lane)
{
    if (lane->open > 0)
        return;
    lane->state = ARRIVING;
    lane->left_s = lane->arrived_s - f->now;
    if (lane->left_s <= 0)
        dts_fluid_complete(f, lane);
    else
        dts_fluid_time_lane(f, lane);
}

void dts_fluid_end_message(struct fluid *f, const struct fluid_flow *flow)
{
    struct lane *sender = &f->lanes[flow->sender], *receiver = &f->lanes[flow->receiver];
    arrive(sender, flow->over_s);
    end_if_over(f, sender);
    if (!flow->awaited)
        return;
    arrive(receiver, flow->over_s + flow->after_s);
    end_if_over(f, receiver);
}

/* Where the transport does not wait for the receiver, messages are on the wire as soon as they
 * are sent. */
static void start_if_met(struct fluid *f, struct fluid_flow *flow)
{
    if (flow->state != MEETING || !flow->sent || (flow->costs->waits && !flow->awaited))
        return;
    flow->pays_s =
        flow->sent_s + flow->costs->before_s - f->now; // who waited for the receiver has paid
    flow->state = flow->pays_s > 0 ? PAYING : UNDER_WAY;
    dts_fluid_begin_flow(f, flow);
}

void dts_fluid_exchange(struct fluid *f, int number)
{
    struct lane *lane = &f->lanes[number];
    const bool sends = dts_fluid_op(lane)->exchange.send;
    const struct dts_load *load = dts_loader_count(f->loader, lane->cohort, lane->op);
    lane->state = EXCHANGING;
    lane->open = load->cost_count;
    lane->arrived_s = f->now;
    for (int p = 0; p < load->cost_count; p++) {
        struct fluid_flow *flow = meet(f, number, load->far[p]);
        if (sends)
            send(flow, &load->costs[p], f->now);
        else
            await(flow, &load->costs[p]);
        start_if_met(f, flow);
        if (flow->state == OVER) {
            arrive(lane, flow->over_s + flow->after_s);
            dts_fluid_forget_flow(f, flow);
        }
    }
    end_if_over(f, lane);
}
