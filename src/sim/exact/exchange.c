/* exchange.c -- messages in flight together: latency, wire, sums. */
#include <math.h>
#include <stdlib.h>

#include <simgrid/engine.h>

#include "base/mem.h"
#include "sim/exact/lane.h"

static double sum_s(const struct dts_exact_lane *lane, const struct dts_message *message,
                    const struct dts_transport *by)
{
    if (message->pace != NULL && by->measured.count == 0)
        return 0; // the library's bandwidth has it
    double rate = by->reduce_bytes_per_s;
    rate = rate > 0 ? rate : lane->exact->simulation->reduce_bytes_per_s;
    return message->add && rate > 0 ? (double)message->bytes / rate : 0;
}

static int by_first(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* When all is complete. Sums follow one another in the order of arrival. */
static double end_s(struct dts_exact_lane *lane)
{
    double last = simgrid_get_clock(), summed = 0;
    size_t adding = 0;
    lane->arrivals = dts_grow(lane->arrivals, &lane->arrival_room,
                              2 * (size_t)lane->message_count, sizeof(*lane->arrivals));
    for (int i = 0; i < lane->message_count; i++) {
        const struct dts_exact_lane_message *m = &lane->messages[i];
        if (m->planned->send)
            continue;
        last = fmax(last, m->arrived_s);
        if (m->sum_s > 0) {
            lane->arrivals[2 * adding] = m->arrived_s;
            lane->arrivals[2 * adding + 1] = m->sum_s;
            adding++;
        }
    }
    qsort(lane->arrivals, adding, 2 * sizeof(*lane->arrivals), by_first);
    for (size_t i = 0; i < adding; i++)
        summed = fmax(summed, lane->arrivals[2 * i]) + lane->arrivals[2 * i + 1];
    return fmax(last, summed);
}

static void wake(void *self, int which)
{
    (void)which;
    dts_exact_lane_wake(self);
}

/* One thing less to wait for; the last one ends the exchange. */
static void close_one(struct dts_exact_lane *lane)
{
    if (--lane->open > 0)
        return;
    double end = end_s(lane);
    if (end > simgrid_get_clock())
        dts_exact_call_at(&lane->exact->events, end, wake, lane, 0);
    else
        dts_exact_lane_wake(lane);
}

void dts_exact_lane_message_over(const struct dts_party *party, double over_s, double delay_s)
{
    party->lane->messages[party->which].arrived_s = over_s + delay_s;
    close_one(party->lane);
}

/* Receives first: a message that has waited for one of them may be over at once. */
static void receive_all(struct dts_exact_lane *lane)
{
    for (int i = 0; i < lane->message_count; i++) {
        struct dts_exact_lane_message *message = &lane->messages[i];
        if (message->planned->send)
            continue;
        message->sum_s =
            sum_s(lane, message->planned,
                  dts_matcher_receive(&lane->exact->matcher, lane->rank, lane->stream,
                                      message->planned, (struct dts_party){lane, i}));
    }
}

static void send_all(struct dts_exact_lane *lane)
{
    for (int i = 0; i < lane->message_count; i++)
        if (lane->messages[i].planned->send)
            dts_matcher_send(&lane->exact->matcher, lane->rank, lane->stream,
                             lane->messages[i].planned, (struct dts_party){lane, i});
}

void dts_exact_lane_exchange(struct dts_exact_lane *lane, const struct dts_message *messages,
                             int count)
{
    lane->messages =
        dts_grow(lane->messages, &lane->message_room, (size_t)count, sizeof(*lane->messages));
    lane->message_count = count;
    lane->open = count + 1; // ours: not over before all are on their way
    lane->state = DTS_EXACT_LANE_EXCHANGES;
    for (int i = 0; i < count; i++)
        lane->messages[i] = (struct dts_exact_lane_message){.planned = &messages[i]};
    receive_all(lane);
    send_all(lane);
    close_one(lane);
}
