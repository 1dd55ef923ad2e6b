/* exchange.c -- messages in flight together, and the sums of what arrives.
 *
 * All receives are posted, then all sends. What a member sends in a step is what it held before
 * the step, so what arrives for elements that are being sent waits aside until they are gone.
 * Sums are made in the order of the messages, not of arrival.
 *
 *     adds                    into scratch, added when it is there and its elements are free
 *     several onto one place  a slot for each peer, until a call of the plan sums them
 *     all else                into the buffer itself
 *
 * Elements are floats, or doubles where those of the buffer have 8 bytes.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

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

static size_t element_bytes(const struct dts_message *m)
{
    return m->bytes / m->data.count;
}

static char *place(const struct dts_lane *lane, const struct dts_message *m)
{
    return (char *)lane->of->rank->buffers[m->data.buffer] + m->data.first * element_bytes(m);
}

void dts_lane_add(float *sum, const float *values, size_t count)
{
    for (size_t e = 0; e < count; e++)
        sum[e] += values[e];
}

/* The same of elements of so many bytes. */
static void add(void *sum, const void *values, size_t bytes, size_t element)
{
    double *sums = sum;
    const double *doubles = values;
    if (element == sizeof(float)) {
        dts_lane_add(sum, values, bytes / element);
        return;
    }
    for (size_t e = 0; e < bytes / element; e++)
        sums[e] += doubles[e];
}

static int pieces_of(const struct dts_message *m)
{
    return dts_pieces(m->bytes);
}

static void post(const struct dts_lane *lane, const struct dts_message *m, void *values,
                 MPI_Request *requests)
{
    MPI_Comm comm = dts_wire_comm(lane->of->live->wire, lane->stream);
    if (m->send)
        dts_pieces_send(comm, values, m->bytes, m->peer, m->channel, requests);
    else
        dts_pieces_receive(comm, values, m->bytes, m->peer, m->channel, requests);
}

/* Where each message that may not lie in the buffer at once lies in scratch: *offset of it. All
 * is in bytes. */
static size_t plan_scratch(const struct dts_message *messages, int count, size_t *offset)
{
    size_t needed = 0;
    for (int i = 0; i < count; i++) {
        const struct dts_message *m = &messages[i];
        offset[i] = IN_PLACE;
        if (m->send || (!m->add && !is_sent(messages, count, m)))
            continue;
        offset[i] = needed;
        needed += (m->bytes + sizeof(double) - 1) / sizeof(double) * sizeof(double);
    }
    return needed;
}

/* Part of what arrived aside goes to its place. */
static void settle(const struct dts_lane *lane, const struct dts_message *m, size_t offset,
                   size_t first, size_t bytes)
{
    const char *values = lane->scratch + offset + first;
    if (m->add)
        add(place(lane, m) + first, values, bytes, element_bytes(m));
    else
        memcpy(place(lane, m) + first, values, bytes);
}

/* Wait for one receive, adding piece by piece what may be added at once. */
static void take(const struct dts_lane *lane, const struct dts_message *m, size_t offset,
                 MPI_Request *requests)
{
    const size_t each = dts_piece_bytes;
    for (int p = 0; p < pieces_of(m); p++) {
        size_t first = (size_t)p * each, left = m->bytes - first;
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
        if (offset[i] != IN_PLACE && is_sent(messages, count, &messages[i]))
            settle(lane, &messages[i], offset[i], 0, messages[i].bytes);
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

static void receive_slots(struct dts_lane *lane, int op, const struct dts_message *messages,
                          int count)
{
    struct dts_arrivals *slots = &lane->of->arrivals[op];
    size_t each = messages[0].bytes;
    int pieces = pieces_of(&messages[0]);
    MPI_Request *requests = room_for(lane, messages, count);
    if (slots->values == NULL) {
        *slots = (struct dts_arrivals){messages[0].data, count, element_bytes(messages), NULL};
        slots->values = dts_alloc((size_t)count, each);
    }
    for (int i = 0; i < count; i++)
        post(lane, &messages[i], slots->values + (size_t)i * each, requests + i * pieces);
    dts_pieces_wait(requests, count * pieces);
}

/* Receives first: then nothing arrives that nobody awaits. */
static void post_all(struct dts_lane *lane, const struct dts_message *messages, int count,
                     const size_t *offset, MPI_Request *requests)
{
    for (int pass = 0; pass < 2; pass++) {
        int at = 0;
        for (int i = 0; i < count; at += pieces_of(&messages[i]), i++) {
            const struct dts_message *m = &messages[i];
            if (m->send == (pass == 1))
                post(lane, m,
                     offset[i] != IN_PLACE ? lane->scratch + offset[i] : place(lane, m),
                     requests + at);
        }
    }
}

void dts_lane_exchange(struct dts_lane *lane, int op, const struct dts_message *messages,
                       int count)
{
    if (pile_up(messages, count)) {
        receive_slots(lane, op, messages, count);
        return;
    }
    MPI_Request *requests = room_for(lane, messages, count);
    size_t *offset = dts_alloc((size_t)count, sizeof(*offset));
    size_t needed = plan_scratch(messages, count, offset);
    lane->scratch = dts_grow(lane->scratch, &lane->scratch_room, needed, 1);
    post_all(lane, messages, count, offset, requests);
    finish(lane, messages, count, offset, requests);
    free(offset);
}

void dts_lane_sum(struct dts_lanes *lanes, int op)
{
    const struct dts_arrivals *slots = &lanes->arrivals[op];
    if (slots->values == NULL)
        return;
    size_t element = slots->element_bytes, each = slots->span.count * element;
    char *sum = (char *)lanes->rank->buffers[slots->span.buffer] + slots->span.first * element;
    memcpy(sum, slots->values, each);
    for (int i = 1; i < slots->count; i++)
        add(sum, slots->values + (size_t)i * each, each, element);
}
