/* exchange.c -- messages in flight together: latency, wire, sums. */
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "sim/flow/flow.h"

static double sum_s(const struct dts_flow *f, int job, const struct dts_message *message,
                    const struct dts_transport *by)
{
    if (message->pace != NULL && by->measured.count == 0)
        return 0; // the library's bandwidth has it
    double rate = by->reduce_bytes_per_s;
    rate = rate > 0 ? rate : f->jobs[job].of.reduce_bytes_per_s;
    return message->add && rate > 0 ? (double)message->bytes / rate : 0;
}

static int by_first(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* When all is complete. Sums follow one another in the order of arrival. */
static double end_s(const struct dts_flow *f, struct dts_flow_lane *lane)
{
    double last = f->now_s, summed = 0;
    size_t adding = 0;
    lane->arrivals = dts_grow(lane->arrivals, &lane->arrival_room, 2 * (size_t)lane->mail_count,
                              sizeof(*lane->arrivals));
    for (int i = 0; i < lane->mail_count; i++) {
        const struct dts_flow_mail *m = &lane->mail[i];
        if (m->planned->send)
            continue;
        last = fmax(last, m->arrived_s);
        if (m->sum_s > 0) {
            lane->arrivals[2 * adding] = m->arrived_s;
            lane->arrivals[2 * adding + 1] = m->sum_s;
            adding++;
        }
    }
    if (adding > 1)
        qsort(lane->arrivals, adding, 2 * sizeof(*lane->arrivals), by_first);
    for (size_t i = 0; i < adding; i++)
        summed = fmax(summed, lane->arrivals[2 * i]) + lane->arrivals[2 * i + 1];
    return fmax(last, summed);
}

/* One thing less to wait for; the last one ends the exchange. */
static void close_one(struct dts_flow *f, int number)
{
    struct dts_flow_lane *lane = &f->lanes[number];
    if (--lane->open > 0)
        return;
    const double end = end_s(f, lane);
    if (end > f->now_s)
        dts_flow_date_set(f, number, end);
    else
        dts_flow_lane_wake(f, number);
}

void dts_flow_mail_over(struct dts_flow *f, struct dts_flow_party party,
                        const struct dts_flow_over *over)
{
    const double at_s = over->over_s + over->delay_s;
    if (f->lanes[party.lane].server != NULL) {
        dts_flow_serve_arrived(f, party, over->sent_s, at_s);
        return;
    }
    f->lanes[party.lane].mail[party.which].arrived_s = at_s;
    close_one(f, party.lane);
}

/* Receives first: a message that has waited for one of them may be over at once. */
void dts_flow_exchange(struct dts_flow *f, int number, const struct dts_message *messages,
                       int count)
{
    struct dts_flow_lane *lane = &f->lanes[number];
    lane->mail = dts_grow(lane->mail, &lane->mail_room, (size_t)count, sizeof(*lane->mail));
    lane->known = dts_grow(lane->known, &lane->known_room, (size_t)count, sizeof(*lane->known));
    lane->mail_count = count;
    lane->open = count + 1; // ours: not over before all are on their way
    lane->state = DTS_FLOW_EXCHANGES;
    for (int i = 0; i < count; i++)
        lane->mail[i] = (struct dts_flow_mail){.planned = &messages[i], .stream = lane->stream};
    for (int i = 0; i < count; i++)
        if (!messages[i].send)
            lane->mail[i].sum_s =
                sum_s(f, lane->job, &messages[i], dts_flow_receive(f, number, i));
    for (int i = 0; i < count; i++)
        if (messages[i].send)
            dts_flow_send(f, number, i);
    close_one(f, number);
}
