/* exchange.c -- messages in flight together, and the sums of what arrives.
 *
 * All receives are posted, then all sends. What a member sends in a step is what it held before
 * the step, so what arrives for elements that are being sent waits aside until they are gone.
 * Sums are made in the order of the messages, not of arrival.
 *
 *     adds                    into scratch, added when it is there and its elements are free
 *     several onto one place  a slot for each peer, until a call of the plan sums them
 *     messages of 16 bits     from scratch and into scratch: buffers are fp32
 *     all else                into the buffer itself
 *
 * Elements are floats, or doubles where those of the buffer have 8 bytes.
 */
#include <stdint.h>
#include <stdlib.h>

#include "base/mem.h"
#include "live/lane.h"
#include "live/pieces.h"

static const size_t IN_PLACE = SIZE_MAX; // no offset in scratch

static bool overlap(const struct dts_message *a, const struct dts_message *b)
{
    return a->data.buffer == b->data.buffer && a->data.first < b->data.first + b->data.count &&
           b->data.first < a->data.first + a->data.count;
}

/* Is there a send of these elements? */
static bool is_sent(const struct dts_message *messages, int count, const struct dts_message *m)
{
    for (int i = 0; i < count; i++)
        if (messages[i].send && overlap(&messages[i], m))
            return true;
    return false;
}

/* Do several messages of an exchange arrive at one place, none to be added? */
static bool pile_up(const struct dts_message *messages, int count)
{
    return count > 1 && !messages[0].send && !messages[0].add &&
           overlap(&messages[0], &messages[1]);
}

/* Element `first` of a message's, where it belongs in the buffer. */
static void *place(const struct dts_lane *lane, const struct dts_message *m, size_t first)
{
    const struct dts_values values = dts_lane_values(lane->of, m->data.buffer);
    return (char *)lane->of->rank->buffers[m->data.buffer] +
           (m->data.first + first) * dts_values_real(values.bytes);
}

void dts_lane_add(float *restrict sum, const float *restrict values, size_t count)
{
    for (size_t e = 0; e < count; e++)
        sum[e] += values[e];
}

static int pieces_of(const struct dts_message *m)
{
    return dts_pieces(m->bytes);
}

static void post(const struct dts_lane *lane, const struct dts_message *m, void *message,
                 MPI_Request *requests)
{
    MPI_Comm comm = dts_wire_comm(lane->of->live->wire, lane->stream);
    if (m->send)
        dts_pieces_send(comm, message, m->bytes, m->peer, m->channel, requests);
    else
        dts_pieces_receive(comm, message, m->bytes, m->peer, m->channel, requests);
}

/* Where each message that may not lie in the buffer at once lies in scratch: *offset of it. */
static size_t plan_scratch(const struct dts_lane *lane, const struct dts_message *messages,
                           int count, size_t *offset)
{
    size_t needed = 0;
    for (int i = 0; i < count; i++) {
        const struct dts_message *m = &messages[i];
        const struct dts_values values = dts_lane_values(lane->of, m->data.buffer);
        const bool aside = !m->send && (m->add || is_sent(messages, count, m));
        offset[i] = IN_PLACE;
        if (!aside && !dts_values_narrow(&values))
            continue;
        offset[i] = needed;
        needed += (m->bytes + sizeof(double) - 1) / sizeof(double) * sizeof(double);
    }
    return needed;
}

/* Part of what arrived aside goes to its place. */
static void settle(const struct dts_lane *lane, const struct dts_message *m, size_t offset,
                   size_t first, size_t count)
{
    const struct dts_values values = dts_lane_values(lane->of, m->data.buffer);
    const char *message = lane->scratch + offset + first * values.bytes;
    (m->add ? dts_values_add : dts_values_take)(&values, place(lane, m, first), message, count);
}

/* Wait for one receive, adding piece by piece what may be added at once. */
static void take(const struct dts_lane *lane, const struct dts_message *m, size_t offset,
                 MPI_Request *requests)
{
    const struct dts_values values = dts_lane_values(lane->of, m->data.buffer);
    const size_t each = dts_piece_bytes / values.bytes;
    for (int p = 0; p < pieces_of(m); p++) {
        size_t first = (size_t)p * each, left = m->data.count - first;
        dts_pieces_wait(&requests[p], 1);
        if (offset != IN_PLACE)
            settle(lane, m, offset, first, left < each ? left : each);
    }
}

/* Receives in the order of the messages; those whose elements are being sent come last. */
static void finish(const struct dts_lane *lane, const struct dts_message *messages, int count,
                   const size_t *offset, MPI_Request *requests)
{
    int at = 0;
    for (int i = 0; i < count; at += pieces_of(&messages[i]), i++)
        if (!messages[i].send && !is_sent(messages, count, &messages[i]))
            take(lane, &messages[i], offset[i], requests + at);
    dts_pieces_wait(requests, at);
    for (int i = 0; i < count; i++)
        if (!messages[i].send && offset[i] != IN_PLACE &&
            is_sent(messages, count, &messages[i]))
            settle(lane, &messages[i], offset[i], 0, messages[i].data.count);
}

static MPI_Request *room_for(struct dts_lane *lane, const struct dts_message *messages,
                             int count)
{
    size_t pieces = 0;
    for (int i = 0; i < count; i++)
        pieces += (size_t)pieces_of(&messages[i]);
    lane->requests = dts_grow(lane->requests, &lane->request_room, pieces, sizeof(MPI_Request));
    return lane->requests;
}

static void receive_slots(struct dts_lane *lane, const struct dts_op *op,
                          const struct dts_message *messages, int count)
{
    struct dts_arrivals *slots = &lane->of->arrivals[op - lane->of->rank->role->plan.ops];
    size_t each = messages[0].bytes;
    int pieces = pieces_of(&messages[0]);
    MPI_Request *requests = room_for(lane, messages, count);
    if (slots->messages == NULL) {
        *slots = (struct dts_arrivals){messages[0].data, count, NULL};
        slots->messages = dts_alloc((size_t)count, each);
    }
    for (int i = 0; i < count; i++)
        post(lane, &messages[i], slots->messages + (size_t)i * each, requests + i * pieces);
    dts_pieces_wait(requests, count * pieces);
}

/* Where a message is sent from or received into. Members of a collective go on with what they
 * sent; a server keeps its weights as they are. */
static void *message_of(struct dts_lane *lane, const struct dts_op *op,
                        const struct dts_message *m, size_t offset)
{
    const struct dts_values values = dts_lane_values(lane->of, m->data.buffer);
    if (offset == IN_PLACE)
        return place(lane, m, 0);
    if (m->send)
        dts_values_pack(&values, lane->scratch + offset, place(lane, m, 0), m->data.count,
                        op->kind == DTS_OP_COLLECTIVE);
    return lane->scratch + offset;
}

/* Receives first: then nothing arrives that nobody awaits. */
static void post_all(struct dts_lane *lane, const struct dts_op *op,
                     const struct dts_message *messages, int count, const size_t *offset,
                     MPI_Request *requests)
{
    for (int pass = 0; pass < 2; pass++) {
        int at = 0;
        for (int i = 0; i < count; at += pieces_of(&messages[i]), i++) {
            const struct dts_message *m = &messages[i];
            if (m->send == (pass == 1))
                post(lane, m, message_of(lane, op, m, offset[i]), requests + at);
        }
    }
}

void dts_lane_exchange(struct dts_lane *lane, const struct dts_op *op,
                       const struct dts_message *messages, int count)
{
    if (pile_up(messages, count)) {
        receive_slots(lane, op, messages, count);
        return;
    }
    MPI_Request *requests = room_for(lane, messages, count);
    size_t *offset = dts_alloc((size_t)count, sizeof(*offset));
    size_t needed = plan_scratch(lane, messages, count, offset);
    lane->scratch = dts_grow(lane->scratch, &lane->scratch_room, needed, 1);
    post_all(lane, op, messages, count, offset, requests);
    finish(lane, messages, count, offset, requests);
    free(offset);
}

void dts_lane_sum(struct dts_lanes *lanes, int op)
{
    const struct dts_arrivals *slots = &lanes->arrivals[op];
    if (slots->messages == NULL)
        return;
    const struct dts_values values = dts_lane_values(lanes, slots->span.buffer);
    const size_t each = slots->span.count;
    void *sum = (char *)lanes->rank->buffers[slots->span.buffer] +
                slots->span.first * dts_values_real(values.bytes);
    dts_values_take(&values, sum, slots->messages, each);
    for (int i = 1; i < slots->count; i++)
        dts_values_add(&values, sum, slots->messages + (size_t)i * each * values.bytes, each);
}
