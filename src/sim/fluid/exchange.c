/* exchange.c -- messages between cohorts: who sends, who waits, and when they meet. */
#include <math.h>

#include "sim/fluid/fluid.h"

/* That of this lane's exchange with a lane of the other side: there already where that came
 * first. */
static struct transfer *meet(struct fluid *f, int lane, struct dts_far_side far)
{
    const struct lane *mine = &f->lanes[lane];
    const struct dts_exchange *x = &dts_fluid_op(mine)->exchange;
    int other = f->lane_of[far.cohort * DTS_STREAMS + (int)mine->stream];
    const struct transfer wanted = {.state = MEETING,
                                    .share = 1,
                                    .sender = x->send ? lane : other,
                                    .receiver = x->send ? other : lane,
                                    .step = mine->step,
                                    .channel = x->channel,
                                    .transport = far.transport};
    return dts_fluid_meet_transfer(f, &wanted);
}

static void send(struct transfer *t, const struct dts_phase *phase, double now)
{
    t->sent = true;
    t->sent_s = now;
    t->phases = phase;
    t->phase_count = 1;
    t->left = 1;
}

static void await(struct transfer *t, const struct dts_phase *phase)
{
    t->awaited = true;
    t->after_s = phase->late_s + phase->sum_s;
}

/* One transfer less to wait for, which has arrived by then. */
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

void dts_fluid_end_message(struct fluid *f, const struct transfer *t)
{
    struct lane *sender = &f->lanes[t->sender], *receiver = &f->lanes[t->receiver];
    arrive(sender, t->over_s);
    end_if_over(f, sender);
    if (!t->awaited)
        return;
    arrive(receiver, t->over_s + t->after_s);
    end_if_over(f, receiver);
}

/* Where the transport does not wait for the receiver, messages are on the wire as soon as they
 * are sent. */
static void start_if_met(struct fluid *f, struct transfer *t)
{
    if (t->state != MEETING || !t->sent || (t->phases->waits && !t->awaited))
        return;
    t->pays_s =
        t->sent_s + t->phases->before_s - f->now; // who waited for the receiver has paid
    t->state = t->pays_s > 0 ? PAYING : UNDER_WAY;
    dts_fluid_begin_transfer(f, t);
}

void dts_fluid_exchange(struct fluid *f, int number)
{
    struct lane *lane = &f->lanes[number];
    const bool sends = dts_fluid_op(lane)->exchange.send;
    const struct dts_load *load = dts_loader_count(f->loader, lane->cohort, lane->op);
    lane->state = EXCHANGING;
    lane->open = load->phase_count;
    lane->arrived_s = f->now;
    for (int p = 0; p < load->phase_count; p++) {
        struct transfer *t = meet(f, number, load->far[p]);
        if (sends)
            send(t, &load->phases[p], f->now);
        else
            await(t, &load->phases[p]);
        start_if_met(f, t);
        if (t->state == OVER) {
            arrive(lane, t->over_s + t->after_s);
            dts_fluid_forget_transfer(f, t);
        }
    }
    end_if_over(f, lane);
}
