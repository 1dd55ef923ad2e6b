#include <math.h>
#include <stdlib.h>

#include <simgrid/actor.h>
#include <simgrid/comm.h>
#include <simgrid/engine.h>

#include "base/mem.h"
#include "base/rng.h"
#include "sim/exact_lane.h"

/* One message of an exchange under way. */
struct dts_mail {
    const struct dts_message *message;
    struct dts_postage postage;
    void *letter;
    double finished_s; // as this lane saw it
};

static const struct dts_op *op_of(const struct dts_lane *lane)
{
    return &lane->role->plan.ops[lane->op];
}

static struct dts_exact_rank *rank_of(const struct dts_lane *lane)
{
    return &lane->exact->ranks[lane->rank];
}

static void wake(struct dts_lane *lane)
{
    lane->state = DTS_LANE_RUNS;
    sg_sem_release(lane->sem);
}

/* Noise and slowdown act on what the device computes, not on fixed times. */
static bool is_kernel(const struct dts_op *op)
{
    enum dts_pass pass = op->call.pass;
    return op->stream == DTS_COMPUTE &&
           (pass == DTS_FORWARD || pass == DTS_BACKWARD || pass == DTS_UPDATE);
}

/* A draw 4 sigma below the mean must not turn time around. */
static double factor(double sigma, double normal)
{
    return fmax(0.1, 1 + sigma * normal);
}

static double step_noise(const struct dts_lane *lane)
{
    const struct dts_noise *noise = &lane->exact->simulation->noise;
    if (noise->step_sigma == 0)
        return 1;
    return factor(noise->step_sigma,
                  dts_normal(noise->seed, 2 + (uint64_t)lane->step, (uint64_t)lane->rank));
}

/* Run at full speed while the rank does not communicate, slower while it does. */
static void compute(struct dts_lane *lane, double seconds)
{
    double slow = 1 / (1 + lane->exact->simulation->slowdown);
    while (seconds > 0) {
        double speed = rank_of(lane)->talking > 0 ? slow : 1;
        double from_s = simgrid_get_clock();
        lane->state = DTS_LANE_COMPUTES;
        bool over = sg_sem_acquire_timeout(lane->sem, seconds / speed) != 0;
        lane->state = DTS_LANE_RUNS;
        seconds = over ? 0 : seconds - (simgrid_get_clock() - from_s) * speed;
    }
}

static void call(void *self, const struct dts_op *op, const struct dts_call *call)
{
    struct dts_lane *lane = self;
    double seconds = call->seconds;
    if (is_kernel(op))
        seconds *= rank_of(lane)->device_noise * step_noise(lane);
    if (is_kernel(op) && lane->exact->simulation->slowdown > 0)
        compute(lane, seconds);
    else if (seconds > 0)
        sg_actor_sleep_for(seconds);
}

/* Communication of a rank begins or ends: its kernel goes on at another speed. */
static void talk(struct dts_lane *lane, int more)
{
    struct dts_exact_rank *rank = rank_of(lane);
    bool before = rank->talking > 0;
    rank->talking += more;
    struct dts_lane *computing =
        &lane->exact->lanes[lane->rank * DTS_STREAMS + (int)DTS_COMPUTE];
    if (before != (rank->talking > 0) && computing->state == DTS_LANE_COMPUTES)
        wake(computing);
}

/* Send what was weighed: each message when its latency is paid, all of them counted from now.
 */
static void send_all(struct dts_lane *lane, int count)
{
    double now = simgrid_get_clock(), done = -1;
    for (;;) {
        double next = INFINITY;
        for (int i = 0; i < count; i++) {
            const struct dts_mail *m = &lane->mail[i];
            double delay = m->postage.blocks ? m->postage.alpha_s : 0;
            if (m->message->send && delay > done)
                next = fmin(next, delay);
        }
        if (isinf(next))
            return;
        if (next > 0)
            sg_actor_sleep_until(now + next);
        for (int i = 0; i < count; i++) {
            struct dts_mail *m = &lane->mail[i];
            double delay = m->postage.blocks ? m->postage.alpha_s : 0;
            struct dts_letter *letter;
            if (!m->message->send || delay != next)
                continue;
            lane->comms[i] = dts_post_send(&lane->exact->post, lane->rank, lane->stream,
                                           m->message, &m->postage, &letter);
            m->letter = letter;
        }
        done = next;
    }
}

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

static void note_finish(struct dts_mail *mail)
{
    mail->finished_s = simgrid_get_clock();
    if (mail->message->send)
        ((struct dts_letter *)mail->letter)->arrived_s = mail->finished_s;
}

/* Wait for all, in any order, and note when each was over. */
static void wait_apart(struct dts_lane *lane, int count)
{
    int *numbers = dts_alloc((size_t)count, sizeof(*numbers));
    for (int i = 0; i < count; i++)
        numbers[i] = i;
    while (count > 0) {
        ssize_t over = sg_comm_wait_any(lane->comms, (size_t)count);
        note_finish(&lane->mail[numbers[over]]);
        count--;
        lane->comms[over] = lane->comms[count];
        numbers[over] = numbers[count];
    }
    free(numbers);
}

/* It matters when each single message was over, if something follows it: a sum here, or
 * latency at the receiver. Otherwise only the last one counts. */
static void wait_all(struct dts_lane *lane, int count)
{
    bool apart = false;
    for (int i = 0; i < count; i++) {
        const struct dts_mail *m = &lane->mail[i];
        apart |= m->message->send ? !m->postage.blocks : sum_s(lane, m->message) > 0;
    }
    if (apart && count > 1) {
        wait_apart(lane, count);
        return;
    }
    for (int i = 0; i < count; i++) {
        sg_comm_wait(lane->comms[i]);
        note_finish(&lane->mail[i]);
    }
}

/* When a received message is there for the program: latency that did not block comes after the
 * wire. The sender knows best when that was done, should we have come late to fetch it. */
static double arrival_s(const struct dts_mail *mail)
{
    const struct dts_letter *letter = mail->letter;
    double wire_s =
        letter->arrived_s >= 0 ? fmin(letter->arrived_s, mail->finished_s) : mail->finished_s;
    return wire_s + letter->delay_s;
}

static int by_arrival(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* Sums follow one another in the order of arrival. Returns when the exchange is complete. */
static double end_s(struct dts_lane *lane, int count)
{
    double last = simgrid_get_clock();
    int adding = 0;
    lane->arrivals = dts_grow(lane->arrivals, &lane->arrival_room, 2 * (size_t)count,
                              sizeof(*lane->arrivals));
    for (int i = 0; i < count; i++) {
        const struct dts_mail *m = &lane->mail[i];
        if (m->message->send)
            continue;
        double arrival = arrival_s(m), seconds = sum_s(lane, m->message);
        last = fmax(last, arrival);
        if (seconds > 0) {
            lane->arrivals[2 * adding] = arrival;
            lane->arrivals[2 * adding + 1] = seconds;
            adding++;
        }
    }
    qsort(lane->arrivals, (size_t)adding, 2 * sizeof(*lane->arrivals), by_arrival);
    double summed = 0;
    for (int i = 0; i < adding; i++)
        summed = fmax(summed, lane->arrivals[2 * i]) + lane->arrivals[2 * i + 1];
    return fmax(last, summed);
}

static void exchange(void *self, const struct dts_op *op, const struct dts_message *messages,
                     int count)
{
    struct dts_lane *lane = self;
    struct dts_post *post = &lane->exact->post;
    (void)op;
    if (count == 0)
        return;
    lane->comms = dts_grow(lane->comms, &lane->comm_room, (size_t)count, sizeof(*lane->comms));
    lane->mail = dts_grow(lane->mail, &lane->mail_room, (size_t)count, sizeof(*lane->mail));
    for (int i = 0; i < count; i++) {
        struct dts_mail *m = &lane->mail[i];
        *m = (struct dts_mail){.message = &messages[i]};
        if (messages[i].send)
            m->postage =
                dts_post_weigh(post, lane->rank, messages[i].peer, (double)messages[i].bytes);
        else
            lane->comms[i] =
                dts_post_receive(post, lane->rank, lane->stream, &messages[i], &m->letter);
    }
    send_all(lane, count);
    wait_all(lane, count);
    double end = end_s(lane, count);
    for (int i = 0; i < count; i++)
        dts_post_drop(post, lane->mail[i].letter);
    if (end > simgrid_get_clock())
        sg_actor_sleep_until(end);
}

static void begin(void *self, int op)
{
    struct dts_lane *lane = self;
    lane->op = op;
    lane->began_s = simgrid_get_clock();
    if (op_of(lane)->kind != DTS_OP_CALL)
        talk(lane, 1);
}

static void wait(void *self, int op, bool previous_step)
{
    struct dts_lane *lane = self;
    lane->awaited_op = op;
    lane->awaited_steps = lane->step + (previous_step ? 0 : 1);
    while (rank_of(lane)->done[op] < lane->awaited_steps) {
        lane->state = DTS_LANE_WAITS;
        sg_sem_acquire(lane->sem);
        lane->state = DTS_LANE_RUNS;
    }
}

static bool takes_part(const struct dts_lane *lane)
{
    const struct dts_op *op = op_of(lane);
    return op->kind != DTS_OP_EXCHANGE || op->exchange.every <= 1 ||
           (lane->rank - lane->role->first) % op->exchange.every == 0;
}

/* Does the end of this operation count as the end of the step? */
static bool ends_step(const struct dts_lane *lane)
{
    return lane->role_number == 0 &&
           (lane->stream == DTS_COMPUTE || !dts_plan_uses(&lane->role->plan, DTS_COMPUTE));
}

static void record(struct dts_lane *lane, double now)
{
    struct dts_exact *exact = lane->exact;
    struct dts_timing *timing = exact->timing;
    if (ends_step(lane))
        exact->step_ends[lane->step] = fmax(exact->step_ends[lane->step], now);
    if (lane->step < exact->simulation->steps - 1 || !takes_part(lane))
        return;
    struct dts_op_time *time = &timing->ops[timing->first_op[lane->role_number] + lane->op];
    time->start_s = fmin(time->start_s, lane->began_s);
    time->end_s = fmax(time->end_s, now);
    if (lane->role_number == 0 && lane->stream == DTS_COMPUTE &&
        op_of(lane)->kind == DTS_OP_CALL)
        timing->compute_s += (now - lane->began_s) / lane->role->count;
}

static void done(void *self, int op)
{
    struct dts_lane *lane = self;
    if (op_of(lane)->kind != DTS_OP_CALL)
        talk(lane, -1);
    record(lane, simgrid_get_clock());
    rank_of(lane)->done[op] = lane->step + 1;
    for (int s = 0; s < DTS_STREAMS; s++) {
        struct dts_lane *other = &lane->exact->lanes[lane->rank * DTS_STREAMS + s];
        if (other->state == DTS_LANE_WAITS && other->awaited_op == op &&
            other->awaited_steps <= lane->step + 1)
            wake(other);
    }
}

void dts_lane_live(int argc, char **argv)
{
    static const struct dts_backend backend = {call, exchange, begin, wait, done};
    struct dts_lane *lane = sg_actor_self_get_data();
    (void)argc;
    (void)argv;
    for (lane->step = 0; lane->step < lane->exact->simulation->steps; lane->step++)
        dts_run_stream(lane->role, lane->rank, lane->stream, &backend, lane);
    lane->state = DTS_LANE_FINISHED;
}
