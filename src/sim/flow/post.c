/* post.c -- where sender and receiver of a message meet, and it enters the wire. */
#include <assert.h>

#include "base/mem.h"
#include "sim/flow/flow.h"

static int box_find(struct dts_flow *f, int src, int dst, enum dts_stream stream, int channel)
{
    const int *endpoint = f->endpoint;
    const enum dts_stream wire = dts_stream_wire(stream);
    assert(src < 1 << 20 && dst < 1 << 20 && channel >= 0 && channel < 1 << 16 && wire < 256);
    const uint64_t key =
        (uint64_t)src << 44 | (uint64_t)dst << 24 | (uint64_t)channel << 8 | (uint64_t)wire;
    uint64_t *number = dts_map_at(&f->box_numbers, key);
    if (*number == 0) {
        *number = ++f->box_count;
        f->boxes = dts_grow(f->boxes, &f->box_room, f->box_count, sizeof(*f->boxes));
        f->boxes[f->box_count - 1] = (struct dts_flow_box){
            .first = DTS_FLOW_NONE,
            .last = DTS_FLOW_NONE,
            .pair = dts_endpoint_pair_find(&f->pairs, endpoint[src], endpoint[dst])};
    }
    return (int)*number - 1;
}

/* The other rank of a message, among those of all jobs. */
static int peer_place(const struct dts_flow *f, const struct dts_flow_lane *lane,
                      const struct dts_message *message)
{
    return f->jobs[lane->job].first_rank + message->peer;
}

/* The box of message `which` of a lane's exchange. */
static struct dts_flow_box *box_of(struct dts_flow *f, struct dts_flow_lane *lane, int which)
{
    const struct dts_message *m = lane->mail[which].planned;
    struct dts_flow_known *known = &lane->known[which];
    if (known->box == 0 || known->peer != m->peer || known->channel != m->channel ||
        known->send != m->send) {
        const int peer = peer_place(f, lane, m);
        const int src = m->send ? lane->place : peer, dst = m->send ? peer : lane->place;
        const enum dts_stream stream = lane->mail[which].stream;
        *known = (struct dts_flow_known){
            m->peer, m->channel, box_find(f, src, dst, stream, m->channel) + 1, m->send};
    }
    return &f->boxes[known->box - 1];
}

static int new_message(struct dts_flow *f)
{
    int number = f->free_message;
    if (number != DTS_FLOW_NONE) {
        f->free_message = f->messages[number].next;
    } else {
        number = (int)f->message_count++;
        f->messages =
            dts_grow(f->messages, &f->message_room, f->message_count, sizeof(*f->messages));
    }
    f->messages[number] = (struct dts_flow_message){.sender = {DTS_FLOW_NONE, 0},
                                                    .receiver = {DTS_FLOW_NONE, 0},
                                                    .place = DTS_FLOW_NONE,
                                                    .next = DTS_FLOW_NONE};
    return number;
}

static void put(struct dts_flow *f, struct dts_flow_box *box, int number, bool sent)
{
    if (box->first == DTS_FLOW_NONE)
        box->first = number;
    else
        f->messages[box->last].next = number;
    box->last = number;
    box->sent = sent;
}

/* The first message that the other side left; -1: it comes later. */
static int take(struct dts_flow *f, struct dts_flow_box *box, bool sent)
{
    const int number = box->first;
    if (number == DTS_FLOW_NONE || box->sent != sent)
        return DTS_FLOW_NONE;
    box->first = f->messages[number].next;
    f->messages[number].next = DTS_FLOW_NONE;
    return number;
}

/* Tell who is there, and forget the message when all were told: what follows may use it again.
 */
static void tell(struct dts_flow *f, int number)
{
    struct dts_flow_message *m = &f->messages[number];
    const struct dts_flow_party sender = m->sender, receiver = m->receiver;
    const struct dts_flow_over there = {m->sent_s, m->over_s, m->delay_s};
    const struct dts_flow_over away = {m->sent_s, m->over_s, 0};
    m->sender.lane = DTS_FLOW_NONE;
    if (receiver.lane != DTS_FLOW_NONE) {
        m->next = f->free_message;
        f->free_message = number;
        dts_flow_mail_over(f, receiver, &there);
    }
    if (sender.lane != DTS_FLOW_NONE)
        dts_flow_mail_over(f, sender, &away);
}

static void enter(struct dts_flow *f, int number)
{
    f->messages[number].state = DTS_FLOW_ON_WIRE;
    f->sent += 1;
    if (f->messages[number].src < f->simulation->job->ranks)
        dts_progress_more(f->simulation->progress);
    f->wire_ops->enter(f, number);
}

/* Who can be there is there: the message goes when its latency is paid. */
static void leave(struct dts_flow *f, int number)
{
    struct dts_flow_message *m = &f->messages[number];
    m->state = DTS_FLOW_READY;
    if (m->ready_s > f->now_s)
        dts_flow_date_set(f, ~number, m->ready_s);
    else
        enter(f, number);
}

void dts_flow_message_due(struct dts_flow *f, int number)
{
    if (f->messages[number].state == DTS_FLOW_READY)
        enter(f, number);
    else
        f->wire_ops->due(f, number);
}

void dts_flow_arrived(struct dts_flow *f, int number)
{
    f->messages[number].state = DTS_FLOW_OVER;
    f->messages[number].over_s = f->now_s;
    tell(f, number);
}

/* The path that is drawn for a message, or all of them, give it its latency and its links. */
static void stamp(struct dts_flow *f, struct dts_flow_message *m, int pair,
                  const struct dts_message *planned)
{
    const struct dts_transport *by = f->pairs.pair[pair].by;
    const double bytes = (double)planned->bytes;
    struct dts_transport paced;
    if (planned->pace != NULL) {
        const int k = by == &f->pairs.net->transports[DTS_BETWEEN];
        paced = dts_transport_paced(by, planned->pace->hop_s[k], planned->pace->path[k],
                                    planned->pace->share[k]);
        by = &paced;
    }
    m->pair = pair;
    m->path = f->spread ? 0 : dts_endpoint_pair_pick(&f->pairs, pair);
    const double latency_s = f->spread
                                 ? f->pairs.pair[pair].latency_s
                                 : dts_endpoint_pair_path(&f->pairs, pair, m->path)->latency_s;
    const double alpha = dts_transport_alpha(by, latency_s, bytes);
    m->waits = by->blocking;
    m->sent_s = f->now_s;
    m->ready_s = f->now_s + (by->blocking ? alpha : 0);
    m->delay_s = by->blocking ? 0 : alpha;
    m->wire_bytes = dts_transport_wire_bytes(by, bytes);
}

void dts_flow_send(struct dts_flow *f, int lane_number, int which)
{
    struct dts_flow_lane *lane = &f->lanes[lane_number];
    struct dts_flow_box *box = box_of(f, lane, which);
    const struct dts_message *planned = lane->mail[which].planned;
    int number = take(f, box, false);
    const bool met = number != DTS_FLOW_NONE;
    if (!met) {
        number = new_message(f);
        put(f, box, number, true);
    }
    struct dts_flow_message *m = &f->messages[number];
    m->sender = (struct dts_flow_party){lane_number, which};
    m->src = lane->place;
    m->dst = peer_place(f, lane, planned);
    stamp(f, m, box->pair, planned);
    if (met || !m->waits)
        leave(f, number);
}

const struct dts_transport *dts_flow_receive(struct dts_flow *f, int lane_number, int which)
{
    struct dts_flow_box *box = box_of(f, &f->lanes[lane_number], which);
    const struct dts_transport *by = f->pairs.pair[box->pair].by;
    int number = take(f, box, true);
    if (number == DTS_FLOW_NONE) {
        number = new_message(f);
        f->messages[number].receiver = (struct dts_flow_party){lane_number, which};
        put(f, box, number, false);
        return by;
    }
    struct dts_flow_message *m = &f->messages[number];
    m->receiver = (struct dts_flow_party){lane_number, which};
    if (m->waits)
        leave(f, number);
    else if (m->state == DTS_FLOW_OVER)
        tell(f, number);
    return by;
}
