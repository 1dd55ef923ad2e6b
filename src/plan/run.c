/* run.c -- the walker, and the messages that operations stand for. */
#include "plan/run.h"

#include <assert.h>
#include <stdlib.h>

#include "base/mem.h"

/* How far the members of a node are rotated in a channel, and how many of them rotate: all from
 * member `fixed` on. */
static int rotate(const struct dts_collective *c, int member, int channel, int direction)
{
    int per_node = c->shape.per_node;
    if (channel == 0 || per_node == 1 || c->shape.kind >= DTS_ALLTOALL)
        return member; // which member is next to which is part of the result
    int in_node = member % per_node;
    int fixed = c->shape.kind == DTS_BROADCAST && member < per_node ? 1 : 0;
    int turning = per_node - fixed;
    if (in_node < fixed)
        return member;
    int by = channel * turning / c->channels; // below turning
    int turned = in_node - fixed + direction * by;
    turned += turned < 0 ? turning : turned >= turning ? -turning : 0;
    return member - in_node + fixed + turned;
}

/* Members are seen in a channel's own numbering, so that its ring is another one. */
static int number_of(const struct dts_collective *c, int member, int channel)
{
    if (c->orders != NULL)
        return c->orders->place[channel % c->orders->count][member];
    return rotate(c, member, channel, 1);
}

static int member_of(const struct dts_collective *c, int number, int channel)
{
    if (c->orders != NULL)
        return c->orders->member[channel % c->orders->count][number];
    return rotate(c, number, channel, -1);
}

static int own_member(const struct dts_role *role, const struct dts_group *group, int rank)
{
    int member = rank - role->first;
    if (group->stride == 1 && member < group->size) // nearly always, and division is slow
        return member;
    return member / group->stride % group->size;
}

/* The part of the span that some of `parts` equal parts stand for. */
static struct dts_span part_of(struct dts_span data, int parts, int first, int count)
{
    struct dts_span part = {.buffer = data.buffer};
    dts_coll_span(data.count, parts, first, count, &part.first, &part.count);
    part.first += data.first;
    return part;
}

/* Those of one channel; `self` is the member that `rank` is. */
static int channel_step(const struct dts_collective *c, int rank, int self, int channel, int i,
                        struct dts_coll_message *messages)
{
    int first_rank = rank - self * c->group.stride;
    int count = c->algorithm->step(&c->shape, number_of(c, self, channel), i, messages);
    for (int m = 0; m < count; m++) {
        int peer = member_of(c, messages[m].peer, channel);
        messages[m].peer = first_rank + peer * c->group.stride;
        messages[m].lane = messages[m].lane * c->channels + channel;
    }
    return count;
}

int dts_collective_step(const struct dts_role *role, const struct dts_collective *collective,
                        int rank, int i, struct dts_coll_message *messages)
{
    int self = own_member(role, &collective->group, rank), count = 0;
    for (int c = 0; c < collective->channels; c++)
        count += channel_step(collective, rank, self, c, i, messages + count);
    return count;
}

/* What the members of the rank's group combine. */
static struct dts_span data_of(const struct dts_role *role, const struct dts_collective *c,
                               int rank)
{
    return c->of_share ? dts_collective_share(role, &role->plan.ops[c->scatter].collective,
                                              rank, c->scatter_channel)
                       : c->data;
}

int dts_collective_messages(const struct dts_role *role,
                            const struct dts_collective *collective, int rank, int i,
                            struct dts_message *messages)
{
    size_t element_bytes = role->plan.buffers[collective->data.buffer].element_bytes;
    int chunks = collective->algorithm->chunks(&collective->shape);
    int self = own_member(role, &collective->group, rank);
    const struct dts_span all = data_of(role, collective, rank);
    int count = 0;

    for (int c = 0; c < collective->channels; c++) {
        struct dts_coll_message step[DTS_COLL_MESSAGES];
        struct dts_span part = part_of(all, collective->channels, c, 1);
        struct dts_span result =
            collective->of_share
                ? part
                : part_of(*dts_collective_result(collective), collective->channels, c, 1);
        int step_count = channel_step(collective, rank, self, c, i, step);
        for (int m = 0; m < step_count; m++) {
            struct dts_span data =
                part_of(step[m].send ? part : result, chunks, step[m].first, step[m].count);
            if (data.count == 0)
                continue;
            messages[count++] = (struct dts_message){
                .peer = step[m].peer,
                .send = step[m].send,
                .add = step[m].add,
                .channel = step[m].lane,
                .data = data,
                .bytes = data.count * element_bytes,
                .pace = dts_coll_pace_known(&collective->pace) ? &collective->pace : NULL,
            };
        }
    }
    return count;
}

struct dts_span dts_collective_share(const struct dts_role *role,
                                     const struct dts_collective *collective, int rank,
                                     int channel)
{
    int self = own_member(role, &collective->group, rank);
    int first, count;
    dts_coll_share(collective->algorithm, &collective->shape,
                   number_of(collective, self, channel), &first, &count);
    const struct dts_span all = data_of(role, collective, rank);
    struct dts_span part = part_of(all, collective->channels, channel, 1);
    return part_of(part, collective->algorithm->chunks(&collective->shape), first, count);
}

struct dts_span dts_collective_part(const struct dts_collective *collective, int from, int to,
                                    int channel)
{
    struct dts_span part = part_of(collective->data, collective->channels, channel, 1);
    return part_of(part, collective->shape.size, dts_coll_part(&collective->shape, from, to),
                   1);
}

static struct dts_span exchanged(const struct dts_exchange *x, int rank, int peer)
{
    if (x->part == DTS_WHOLE)
        return x->data;
    int shard = (x->part == DTS_SHARD_OF_PEER ? peer : rank) - x->shard_base;
    return part_of(x->data, x->shards, shard, 1);
}

long dts_exchange_peer(const struct dts_exchange *x, int rank, int p)
{
    const long peer = (long)x->first_peer + (x->relative ? rank : 0) + (long)p * x->peer_stride;
    if (x->ring_size == 0)
        return peer;
    const long place = (peer - x->ring_first) % x->ring_size;
    return x->ring_first + place + (place < 0 ? x->ring_size : 0);
}

int dts_exchange_messages(const struct dts_role *role, const struct dts_exchange *exchange,
                          int rank, struct dts_message *messages)
{
    if (exchange->every > 1 && (rank - role->first) % exchange->every != 0)
        return 0;
    size_t element_bytes = role->plan.buffers[exchange->data.buffer].element_bytes;
    int count = 0;
    for (int p = 0; p < exchange->peer_count; p++) {
        int peer = (int)dts_exchange_peer(exchange, rank, p);
        struct dts_span data = exchanged(exchange, rank, peer);
        if (data.count == 0)
            continue;
        messages[count++] = (struct dts_message){
            .peer = peer,
            .send = exchange->send,
            .add = exchange->add,
            .channel = exchange->channel,
            .data = data,
            .bytes = data.count * element_bytes,
        };
    }
    return count;
}

int dts_plan_streams(const struct dts_plan *plan)
{
    int streams = 0;
    for (int i = 0; i < plan->op_count; i++)
        if ((int)plan->ops[i].stream >= streams)
            streams = (int)plan->ops[i].stream + 1;
    return streams;
}

bool dts_plan_uses(const struct dts_plan *plan, enum dts_stream stream)
{
    for (int i = 0; i < plan->op_count; i++)
        if (plan->ops[i].stream == stream)
            return true;
    return false;
}

/* How many sets of messages an operation may have, one after another. */
static int sets_of(const struct dts_op *op)
{
    switch (op->kind) {
    case DTS_OP_CALL:
        return 0;
    case DTS_OP_EXCHANGE:
        return 1;
    case DTS_OP_COLLECTIVE:
        return op->collective.algorithm->steps(&op->collective.shape);
    }
    assert(!"a kind of operation");
    return 0;
}

static int fill_set(struct dts_walk *walk, const struct dts_op *op, int i)
{
    bool exchange = op->kind == DTS_OP_EXCHANGE;
    size_t room = exchange ? (size_t)op->exchange.peer_count
                           : (size_t)op->collective.channels * DTS_COLL_MESSAGES;
    walk->messages = dts_grow(walk->messages, &walk->room, room, sizeof(*walk->messages));
    if (exchange)
        return dts_exchange_messages(walk->role, &op->exchange, walk->rank, walk->messages);
    return dts_collective_messages(walk->role, &op->collective, walk->rank, i, walk->messages);
}

static bool acts(const struct dts_walk *walk, const struct dts_op *op)
{
    return walk->step == DTS_ANY_STEP || dts_when_acts(&op->when, walk->step);
}

/* The events of an operation: its waits, begin, then a call or sets of messages, done. */
static bool next_of_op(struct dts_walk *walk, const struct dts_op *op, struct dts_event *event)
{
    *event = (struct dts_event){.op = walk->op};
    int at = walk->done++;
    if (!acts(walk, op)) {
        event->kind = DTS_EVENT_LEFT_OUT;
        return at == 0;
    }
    if (at < op->wait_count) {
        const struct dts_wait *wait = &walk->role->plan.waits[op->first_wait + at];
        *event = (struct dts_event){DTS_EVENT_WAIT, wait->op, wait->previous_step, NULL, 0};
        return true;
    }
    at -= op->wait_count + 1;
    if (at < 0) {
        event->kind = DTS_EVENT_BEGIN;
        return true;
    }
    if (op->kind == DTS_OP_CALL && at-- == 0) {
        event->kind = DTS_EVENT_CALL;
        return true;
    }
    bool whole =
        walk->library && op->kind == DTS_OP_COLLECTIVE && op->collective.algorithm->by_library;
    if (whole && at-- == 0) {
        event->kind = DTS_EVENT_COLLECTIVE;
        return true;
    }
    int sets = whole ? 0 : sets_of(op);
    for (; at < sets; at++, walk->done++) {
        event->count = fill_set(walk, op, at);
        if (event->count == 0)
            continue;
        event->kind = DTS_EVENT_EXCHANGE;
        event->messages = walk->messages;
        return true;
    }
    event->kind = DTS_EVENT_DONE;
    return at == sets;
}

bool dts_walk_next(struct dts_walk *walk, struct dts_event *event)
{
    const struct dts_plan *plan = &walk->role->plan;
    for (; walk->op < plan->op_count; walk->op++, walk->done = 0) {
        const struct dts_op *op = &plan->ops[walk->op];
        if (op->stream == walk->stream && next_of_op(walk, op, event))
            return true;
    }
    walk->op = 0;
    walk->step += walk->step != DTS_ANY_STEP;
    return false;
}

void dts_walk_free(struct dts_walk *walk)
{
    free(walk->messages);
    walk->messages = NULL;
    walk->room = 0;
}

void dts_run_stream(const struct dts_role *role, int rank, enum dts_stream stream, long step,
                    const struct dts_backend *backend, void *self)
{
    struct dts_walk walk = {.role = role, .rank = rank, .stream = stream, .step = step};
    struct dts_event event;
    walk.library = backend->collective != NULL;
    while (dts_walk_next(&walk, &event)) {
        const struct dts_op *op = &role->plan.ops[event.op];
        switch (event.kind) {
        case DTS_EVENT_WAIT:
            backend->wait(self, event.op, event.previous_step);
            break;
        case DTS_EVENT_BEGIN:
            backend->begin(self, event.op);
            break;
        case DTS_EVENT_CALL:
            backend->call(self, op, &op->call);
            break;
        case DTS_EVENT_EXCHANGE:
            backend->exchange(self, op, event.messages, event.count);
            break;
        case DTS_EVENT_COLLECTIVE:
            backend->collective(self, op);
            break;
        case DTS_EVENT_DONE:
            backend->done(self, event.op);
            break;
        case DTS_EVENT_LEFT_OUT:
            backend->left_out(self, event.op);
            break;
        }
    }
    dts_walk_free(&walk);
}
