/* exchange.c -- messages in flight together, and the sums of what arrives.
 *
 * What a member sends in a step is what it held before the step, so what arrives for elements
 * that are being sent waits aside until they are gone. Sums are made in the order of the
 * messages, not of arrival.
 *
 *     adds                    through a window, added piece by piece
 *     messages of 16 bits     through a window: buffers are fp32
 *     elements being sent     into scratch as a whole
 *     several onto one place  a slot for each peer, until a call of the plan sums them
 *     lists (executor.h)      slots, too, and from scratch: each peer gets another one
 *     all else                into and out of the buffer itself
 *
 * Elements are floats, or doubles where those of the buffer have 8 bytes. All of this lies in
 * the rank's memory (message_memory.h), and is computed with there.
 */
#include <stdlib.h>

#include "base/mem.h"
#include "live/lane.h"
#include "live/pieces.h"

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
    return (char *)lane->of->memory->buffers[m->data.buffer] +
           (m->data.first + first) * dts_values_real(values.bytes);
}

/* What is under way, for who fills and empties windows. */
struct exchange {
    const struct dts_lane *lane;
    const struct dts_message *messages;
    bool round; // what is sent stays here as the message says
};

/* From element `first` on, what arrived goes to its place. */
static void settle(const struct dts_lane *lane, const struct dts_message *m, size_t first,
                   const void *arrived, size_t count)
{
    const struct dts_values values = dts_lane_values(lane->of, m->data.buffer);
    const struct dts_message_memory *memory = lane->of->memory;
    (m->add ? memory->kind->add : memory->kind->take)(memory->self, lane->stream, &values,
                                                      place(lane, m, first), arrived, count);
}

/* A piece of a message that goes through a window. */
static void fill_or_empty(void *self, int message, size_t first, void *piece, size_t bytes)
{
    const struct exchange *e = self;
    const struct dts_message *m = &e->messages[message];
    const struct dts_values values = dts_lane_values(e->lane->of, m->data.buffer);
    const struct dts_message_memory *memory = e->lane->of->memory;
    const size_t at = first / values.bytes, count = bytes / values.bytes;
    if (m->send)
        memory->kind->pack(memory->self, e->lane->stream, &values, piece, place(e->lane, m, at),
                           count, e->round);
    else
        settle(e->lane, m, at, piece, count);
}

static struct dts_wire_message *put_on_wire(struct dts_lane *lane,
                                            const struct dts_message *messages, int count)
{
    lane->on_wire =
        dts_grow(lane->on_wire, &lane->on_wire_room, (size_t)count, sizeof(*lane->on_wire));
    for (int i = 0; i < count; i++)
        lane->on_wire[i] = (struct dts_wire_message){.send = messages[i].send,
                                                     .peer = messages[i].peer,
                                                     .tag = messages[i].channel,
                                                     .bytes = messages[i].bytes};
    return lane->on_wire;
}

static void carry(struct dts_lane *lane, int count, const struct dts_carrier *carrier)
{
    dts_pieces_carry(lane->pieces, dts_wire_comm(lane->of->live->wire, lane->stream),
                     lane->on_wire, count, carrier);
}

static void receive_slots(struct dts_lane *lane, const struct dts_op *op,
                          const struct dts_message *messages, int count)
{
    struct dts_arrivals *slots = &lane->of->arrivals[op - lane->of->rank->role->plan.ops];
    struct dts_wire_message *on_wire = put_on_wire(lane, messages, count);
    const size_t each = messages[0].bytes;
    if (slots->messages == NULL) {
        *slots = (struct dts_arrivals){messages[0].data, count, NULL};
        slots->messages =
            lane->of->memory->kind->get(lane->of->memory->self, (size_t)count * each);
    }
    for (int i = 0; i < count; i++)
        on_wire[i].data = slots->messages + (size_t)i * each;
    carry(lane, count, NULL);
}

/* Does the executor read and write the messages? */
static const struct dts_executor_lists *lists_of(const struct dts_lane *lane,
                                                 const struct dts_op *op)
{
    const struct dts_lanes *lanes = lane->of;
    const struct dts_executor_lists *lists = lanes->live->executor->lists;
    return lists != NULL && lists->has(lanes->executor_self, op) ? lists : NULL;
}

/* Does the message wait in scratch until what it replaces or adds to is gone? */
static bool waits_aside(const struct dts_message *messages, int count,
                        const struct dts_message *m)
{
    return !m->send && is_sent(messages, count, m);
}

static size_t scratch_of(const struct dts_message *m)
{
    return (m->bytes + sizeof(double) - 1) / sizeof(double) * sizeof(double);
}

/* Where each message lies that does not go through a window. */
static void place_messages(struct dts_lane *lane, const struct dts_message *messages, int count,
                           struct dts_wire_message *on_wire)
{
    size_t needed = 0;
    for (int i = 0; i < count; i++)
        if (waits_aside(messages, count, &messages[i]))
            needed += scratch_of(&messages[i]);
    lane->scratch =
        dts_message_memory_grow(lane->of->memory, lane->scratch, &lane->scratch_room, needed);
    char *scratch = lane->scratch;
    for (int i = 0; i < count; i++) {
        const struct dts_message *m = &messages[i];
        const struct dts_values values = dts_lane_values(lane->of, m->data.buffer);
        if (waits_aside(messages, count, m)) {
            on_wire[i].data = scratch;
            scratch += scratch_of(m);
        } else if (!dts_values_narrow(&values) && (m->send || !m->add)) {
            on_wire[i].data = place(lane, m, 0);
        }
    }
}

static void send_lists(struct dts_lane *lane, const struct dts_op *op,
                       const struct dts_message *messages, int count)
{
    const struct dts_executor_lists *lists = lists_of(lane, op);
    struct dts_wire_message *on_wire = put_on_wire(lane, messages, count);
    size_t needed = 0;
    for (int i = 0; i < count; i++)
        needed += scratch_of(&messages[i]);
    lane->scratch =
        dts_message_memory_grow(lane->of->memory, lane->scratch, &lane->scratch_room, needed);
    char *scratch = lane->scratch;
    for (int i = 0; i < count; i++) {
        on_wire[i].data = scratch;
        lists->give(lane->of->executor_self, op, messages[i].peer, lane->step,
                    (float *)(void *)scratch);
        scratch += scratch_of(&messages[i]);
    }
    carry(lane, count, NULL);
}

/* Members of a collective go on with what they sent; a server keeps its weights as they are. */
void dts_lane_exchange(struct dts_lane *lane, const struct dts_op *op,
                       const struct dts_message *messages, int count)
{
    struct exchange exchange = {lane, messages, op->kind == DTS_OP_COLLECTIVE};
    const struct dts_carrier carrier = {fill_or_empty, &exchange};
    const bool lists = lists_of(lane, op) != NULL;
    if (lists && messages[0].send) {
        send_lists(lane, op, messages, count);
        return;
    }
    if (lists || pile_up(messages, count)) {
        receive_slots(lane, op, messages, count);
        return;
    }
    struct dts_wire_message *on_wire = put_on_wire(lane, messages, count);
    place_messages(lane, messages, count, on_wire);
    carry(lane, count, &carrier);
    for (int i = 0; i < count; i++)
        if (waits_aside(messages, count, &messages[i]))
            settle(lane, &messages[i], 0, on_wire[i].data, messages[i].data.count);
}

void dts_lane_sum(struct dts_lane *lane, int op)
{
    const struct dts_arrivals *slots = &lane->of->arrivals[op];
    const struct dts_message_memory *memory = lane->of->memory;
    const struct dts_op *planned = &lane->of->rank->role->plan.ops[op];
    if (slots->messages == NULL)
        return;
    const struct dts_values values = dts_lane_values(lane->of, slots->span.buffer);
    const size_t each = slots->span.count;
    const struct dts_executor_lists *lists = lists_of(lane, planned);
    for (int i = 0; lists != NULL && i < slots->count; i++)
        lists->take(lane->of->executor_self, planned,
                    (float *)(void *)slots->messages + (size_t)i * each, 1, i == 0);
    if (lists != NULL)
        return;
    void *sum = (char *)memory->buffers[slots->span.buffer] +
                slots->span.first * dts_values_real(values.bytes);
    memory->kind->take(memory->self, lane->stream, &values, sum, slots->messages, each);
    for (int i = 1; i < slots->count; i++)
        memory->kind->add(memory->self, lane->stream, &values, sum,
                          slots->messages + (size_t)i * each * values.bytes, each);
}
