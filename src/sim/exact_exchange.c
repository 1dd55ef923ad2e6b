/* exact_exchange.c -- messages in flight together: latency, wire, sums. */
#include <math.h>
#include <stdlib.h>

#include <simgrid/actor.h>
#include <simgrid/comm.h>
#include <simgrid/engine.h>

#include "base/mem.h"
#include "sim/exact_lane.h"

enum { NONE = -1 };

static double sum_s(const struct dts_lane *lane, const struct dts_message *message)
{
    const struct dts_simulation *s = lane->exact->simulation;
    if (message->send || !message->add)
        return 0;
    int by = s->net->ops->transport(s->net->self, s->endpoint[message->peer],
                                    s->endpoint[lane->rank]);
    double rate = s->net->transports[by].reduce_bytes_per_s;
    rate = rate > 0 ? rate : s->reduce_bytes_per_s;
    return rate > 0 ? (double)message->bytes / rate : 0;
}

/* Post what is received, weigh what is sent. */
static void open_mail(struct dts_lane *lane, const struct dts_message *messages, int count)
{
    struct dts_post *post = &lane->exact->post;
    lane->comms = dts_grow(lane->comms, &lane->comm_room, (size_t)count, sizeof(*lane->comms));
    lane->mail = dts_grow(lane->mail, &lane->mail_room, (size_t)count, sizeof(*lane->mail));
    for (int i = 0; i < count; i++) {
        struct dts_mail *m = &lane->mail[i];
        *m = (struct dts_mail){.message = &messages[i], .sum_s = sum_s(lane, &messages[i])};
        if (messages[i].send)
            m->postage =
                dts_post_weigh(post, lane->rank, messages[i].peer, (double)messages[i].bytes);
        else
            lane->comms[i] =
                dts_post_receive(post, lane->rank, lane->stream, &messages[i], &m->letter);
    }
}

/* Does it matter when each single message is over? It does if something follows it: a sum
 * here, or latency at the receiver. Otherwise only the last one counts. */
static bool apart(const struct dts_lane *lane, int count)
{
    for (int i = 0; i < count; i++)
        if (lane->mail[i].sum_s > 0 || lane->mail[i].postage.after_s > 0)
            return count > 1;
    return false;
}

/* The shortest latency longer than `paid` that comes before a message; INFINITY: none. */
static double next_latency_s(const struct dts_lane *lane, int count, double paid)
{
    double next = INFINITY;
    for (int i = 0; i < count; i++) {
        const struct dts_mail *m = &lane->mail[i];
        if (m->message->send && m->postage.before_s > paid)
            next = fmin(next, m->postage.before_s);
    }
    return next;
}

static void send_one(struct dts_lane *lane, int i, bool start)
{
    struct dts_mail *m = &lane->mail[i];
    if (i != NONE)
        lane->comms[i] = dts_post_send(&lane->exact->post, lane->rank, lane->stream, m->message,
                                       &m->postage, start, &m->letter);
}

/* Send each message when its latency is paid, all of them counted from now. `hold`: the last
 * one starts when it is waited for, which spares SimGrid a switch between actors; returns it.
 */
static int send_all(struct dts_lane *lane, int count, bool hold)
{
    double now = simgrid_get_clock(), next;
    for (double paid = next_latency_s(lane, count, -1); !isinf(paid); paid = next) {
        int last = NONE;
        next = next_latency_s(lane, count, paid);
        if (paid > 0)
            sg_actor_sleep_until(now + paid);
        for (int i = 0; i < count; i++) {
            const struct dts_mail *m = &lane->mail[i];
            if (!m->message->send || m->postage.before_s != paid)
                continue;
            send_one(lane, last, true);
            last = i;
        }
        bool held = hold && isinf(next);
        send_one(lane, last, !held);
        if (held)
            return last;
    }
    return NONE;
}

static void note_finish(void *self, int i)
{
    struct dts_mail *mail = &((struct dts_lane *)self)->mail[i];
    mail->finished_s = simgrid_get_clock();
    if (mail->message->send)
        ((struct dts_letter *)mail->letter)->arrived_s = mail->finished_s;
}

static void wait_together(struct dts_lane *lane, int count, int first)
{
    if (first != NONE)
        sg_comm_wait(lane->comms[first]);
    for (int i = 0; i < count; i++) {
        if (i != first)
            sg_comm_wait(lane->comms[i]);
        note_finish(lane, i);
    }
}

/* When a received message is there for the program: latency that did not block comes after the
 * wire. The sender knows best when that was done, should we have come late to fetch it. */
static double arrival_s(const struct dts_mail *mail)
{
    const struct dts_letter *letter = mail->letter;
    double wire_s = mail->finished_s;
    if (letter->arrived_s >= 0)
        wire_s = fmin(wire_s, letter->arrived_s);
    return wire_s + letter->delay_s;
}

static int by_first(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* When all is complete. Sums follow one another in the order of arrival. */
static double end_s(struct dts_lane *lane, int count)
{
    double last = simgrid_get_clock(), summed = 0;
    size_t adding = 0;
    lane->arrivals = dts_grow(lane->arrivals, &lane->arrival_room, 2 * (size_t)count,
                              sizeof(*lane->arrivals));
    for (int i = 0; i < count; i++) {
        const struct dts_mail *m = &lane->mail[i];
        if (m->message->send)
            continue;
        double arrival = arrival_s(m);
        last = fmax(last, arrival);
        if (m->sum_s > 0) {
            lane->arrivals[2 * adding] = arrival;
            lane->arrivals[2 * adding + 1] = m->sum_s;
            adding++;
        }
    }
    qsort(lane->arrivals, adding, 2 * sizeof(*lane->arrivals), by_first);
    for (size_t i = 0; i < adding; i++)
        summed = fmax(summed, lane->arrivals[2 * i]) + lane->arrivals[2 * i + 1];
    return fmax(last, summed);
}

void dts_lane_exchange(struct dts_lane *lane, const struct dts_message *messages, int count)
{
    open_mail(lane, messages, count);
    bool one_by_one = apart(lane, count);
    int held = send_all(lane, count, !one_by_one);
    if (one_by_one)
        dts_simgrid_wait_each(lane->comms, count, note_finish, lane);
    else
        wait_together(lane, count, held);
    double end = end_s(lane, count);
    for (int i = 0; i < count; i++)
        dts_post_drop(&lane->exact->post, lane->mail[i].letter);
    if (end > simgrid_get_clock())
        sg_actor_sleep_until(end);
}
