/* matcher.c -- where sender and receiver of a message meet, and it enters the wire. */
#include <assert.h>
#include <math.h>
#include <stddef.h>

#include <simgrid/engine.h>

#include "base/mem.h"
#include "sim/exact/matcher.h"

static struct dts_match_queue *queue_of(struct dts_matcher *matcher, int src, int dst,
                                        enum dts_stream stream, int channel)
{
    const int *endpoint = matcher->simulation->endpoint;
    const enum dts_stream wire = dts_stream_wire(stream);
    assert(src < 1 << 20 && dst < 1 << 20 && channel >= 0 && channel < 1 << 16 && wire < 256);
    const uint64_t key =
        (uint64_t)src << 44 | (uint64_t)dst << 24 | (uint64_t)channel << 8 | (uint64_t)wire;
    uint64_t *number = dts_map_at(&matcher->numbers, key);
    if (*number == 0) {
        *number = ++matcher->queue_count;
        matcher->queues = dts_grow(matcher->queues, &matcher->queue_room, matcher->queue_count,
                                   sizeof(*matcher->queues));
        matcher->queues[*number - 1].pair =
            dts_endpoint_pair_find(&matcher->pairs, endpoint[src], endpoint[dst]);
    }
    return &matcher->queues[*number - 1];
}

static struct dts_exact_message *new_message(struct dts_matcher *matcher)
{
    struct dts_exact_message *message = matcher->free;
    if (message != NULL)
        matcher->free = message->next;
    else
        message = dts_alloc(1, sizeof(*message));
    *message = (struct dts_exact_message){.matcher = matcher, .over_s = -1};
    return message;
}

static void put(struct dts_match_queue *queue, struct dts_exact_message *message, bool sent)
{
    if (queue->first == NULL)
        queue->first = message;
    else
        queue->last->next = message;
    queue->last = message;
    queue->sent = sent;
}

/* The first message that the other side left; NULL: it comes later. */
static struct dts_exact_message *take(struct dts_match_queue *queue, bool sent)
{
    struct dts_exact_message *message = queue->first;
    if (message == NULL || queue->sent != sent)
        return NULL;
    queue->first = message->next;
    message->next = NULL;
    return message;
}

/* Tell who is there, and forget the message when all were told. */
static void tell(struct dts_matcher *matcher, struct dts_exact_message *message)
{
    struct dts_party sender = message->sender, receiver = message->receiver;
    double over_s = message->over_s, delay_s = message->delay_s;
    message->sender.lane = NULL;
    if (receiver.lane != NULL) {
        message->next = matcher->free;
        matcher->free = message;
        matcher->over(&receiver, over_s, delay_s);
    }
    if (sender.lane != NULL)
        matcher->over(&sender, over_s, 0);
}

int dts_matcher_links(void *self, const int **links)
{
    struct dts_matcher *matcher = self;
    const struct dts_path *path = dts_endpoint_pair_path(
        &matcher->pairs, matcher->entering->pair, matcher->entering->path);
    *links = path->links;
    return path->hops;
}

static void enter_wire(void *self, int which)
{
    (void)which;
    struct dts_exact_message *message = self;
    struct dts_matcher *matcher = message->matcher;
    long parts = lround(message->wire_bytes * DTS_SIMGRID_PARTS);
    matcher->sent += 1;
    dts_progress_at(matcher->simulation->progress, matcher->sent);
    matcher->entering = message;
    dts_simgrid_flow(matcher->loop, matcher->hosts[message->src], matcher->hosts[message->dst],
                     parts, message);
}

/* Who can be there is there: the message goes when its latency is paid. */
static void leave(struct dts_matcher *matcher, struct dts_exact_message *message)
{
    if (message->ready_s > simgrid_get_clock())
        dts_exact_call_at(matcher->events, message->ready_s, enter_wire, message, 0);
    else
        enter_wire(message, 0);
}

void dts_matcher_arrived(struct dts_matcher *matcher, struct dts_exact_message *message)
{
    message->over_s = simgrid_get_clock();
    tell(matcher, message);
}

/* The path that is drawn for a message gives it its latency and its links. */
static void stamp(struct dts_matcher *matcher, struct dts_exact_message *message, int pair,
                  const struct dts_message *planned)
{
    const struct dts_transport *by = matcher->pairs.pair[pair].by;
    const double bytes = (double)planned->bytes;
    struct dts_transport paced;
    if (planned->pace != NULL) {
        const int k = by == &matcher->pairs.net->transports[DTS_BETWEEN];
        paced = dts_transport_paced(by, planned->pace->hop_s[k], planned->pace->path[k],
                                    planned->pace->share[k]);
        by = &paced;
    }
    message->pair = pair;
    message->path = dts_endpoint_pair_pick(&matcher->pairs, pair);
    double latency_s = dts_endpoint_pair_path(&matcher->pairs, pair, message->path)->latency_s;
    double alpha = dts_transport_alpha(by, latency_s, bytes);
    message->waits = by->blocking;
    message->ready_s = simgrid_get_clock() + (by->blocking ? alpha : 0);
    message->delay_s = by->blocking ? 0 : alpha;
    message->wire_bytes = dts_transport_wire_bytes(by, bytes);
}

void dts_matcher_send(struct dts_matcher *matcher, int rank, enum dts_stream stream,
                      const struct dts_message *planned, struct dts_party sender)
{
    struct dts_match_queue *queue =
        queue_of(matcher, rank, planned->peer, stream, planned->channel);
    struct dts_exact_message *message = take(queue, false);
    bool met = message != NULL;
    if (!met) {
        message = new_message(matcher);
        put(queue, message, true);
    }
    message->sender = sender;
    message->src = rank;
    message->dst = planned->peer;
    stamp(matcher, message, queue->pair, planned);
    if (met || !message->waits)
        leave(matcher, message);
}

const struct dts_transport *dts_matcher_receive(struct dts_matcher *matcher, int rank,
                                                enum dts_stream stream,
                                                const struct dts_message *planned,
                                                struct dts_party receiver)
{
    struct dts_match_queue *queue =
        queue_of(matcher, planned->peer, rank, stream, planned->channel);
    struct dts_exact_message *message = take(queue, true);
    const struct dts_transport *by = matcher->pairs.pair[queue->pair].by;
    if (message == NULL) {
        message = new_message(matcher);
        message->receiver = receiver;
        put(queue, message, false);
        return by;
    }
    message->receiver = receiver;
    if (message->waits)
        leave(matcher, message);
    else if (message->over_s >= 0)
        tell(matcher, message);
    return by;
}
