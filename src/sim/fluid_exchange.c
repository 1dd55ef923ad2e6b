/* fluid_exchange.c -- messages between cohorts: who sends, who waits, and when they meet. */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "sim/fluid.h"

/* Negative: a comes before b. */
static int order(const struct transfer *a, const struct transfer *b)
{
    const int x[] = {a->sender, a->receiver, a->step, a->channel, a->transport};
    const int y[] = {b->sender, b->receiver, b->step, b->channel, b->transport};
    for (int i = 0; i < 5; i++)
        if (x[i] != y[i])
            return x[i] < y[i] ? -1 : 1;
    return 0;
}

/* The first transfer that does not come before this one. */
static size_t place_of(const struct fluid *f, const struct transfer *wanted)
{
    size_t low = 0, high = f->transfer_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (order(&f->transfers[middle], wanted) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

struct transfer *dts_fluid_add_transfer(struct fluid *f, const struct transfer *transfer)
{
    size_t place = place_of(f, transfer);
    f->transfers =
        dts_grow(f->transfers, &f->transfer_room, f->transfer_count + 1, sizeof(*f->transfers));
    memmove(&f->transfers[place + 1], &f->transfers[place],
            (f->transfer_count - place) * sizeof(*f->transfers));
    f->transfers[place] = *transfer;
    f->transfer_count++;
    return &f->transfers[place];
}

void dts_fluid_forget_transfers(struct fluid *f)
{
    size_t kept = 0;
    for (size_t i = 0; i < f->transfer_count; i++) {
        const struct transfer *t = &f->transfers[i];
        if (t->state != OVER || (t->receiver >= 0 && !t->awaited))
            f->transfers[kept++] = *t;
    }
    f->transfer_count = kept;
}

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
    size_t place = place_of(f, &wanted);
    if (place < f->transfer_count && order(&f->transfers[place], &wanted) == 0)
        return &f->transfers[place];
    return dts_fluid_add_transfer(f, &wanted);
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
static void start_if_met(struct transfer *t, double now)
{
    if (t->state != MEETING || !t->sent || (t->phases->waits && !t->awaited))
        return;
    t->pays_s = t->sent_s + t->phases->before_s - now; // who waited for the receiver has paid
    t->state = t->pays_s > 0 ? PAYING : UNDER_WAY;
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
        if (t->state == OVER)
            arrive(lane, t->over_s + t->after_s);
        start_if_met(t, f->now);
    }
    end_if_over(f, lane);
}
