/* traffic.c -- what a job sends in one step. */
#include <stdlib.h>

#include "base/mem.h"
#include "plan/check.h"
#include "plan/run.h"

/* What one group sends in a collective over a number of elements. */
struct sent {
    double messages, elements;
};

/* A collective that was counted: traffic depends on nothing else. Elements are counted as
 * chunks where there is one in each, so that all such sizes are one; not in an all-to-all. */
struct counted {
    const struct dts_coll *algorithm;
    struct dts_coll_shape shape;
    size_t elements; // at most the number of chunks, but for an all-to-all
    struct sent sent;
};

struct counter {
    struct counted *counted;
    size_t count, room;
};

static bool alike(const struct counted *a, const struct counted *b)
{
    return a->algorithm == b->algorithm && a->elements == b->elements &&
           a->shape.kind == b->shape.kind && a->shape.size == b->shape.size &&
           a->shape.per_node == b->shape.per_node && a->shape.shards == b->shape.shards &&
           a->shape.pieces == b->shape.pieces && a->shape.between == b->shape.between;
}

/* All that the members send in one step. */
static struct sent count_step(const struct counted *c, int chunks, int i)
{
    struct sent sent = {0, 0};
    struct dts_coll_message messages[DTS_COLL_MESSAGES];
    for (int m = 0; m < c->shape.size; m++) {
        int count = c->algorithm->step(&c->shape, m, i, messages);
        for (int x = 0; x < count; x++) {
            size_t first, elements;
            dts_coll_span(c->elements, chunks, messages[x].first, messages[x].count, &first,
                          &elements);
            if (!messages[x].send || elements == 0)
                continue;
            sent.messages += 1;
            sent.elements += (double)elements;
        }
    }
    return sent;
}

/* Where chunks are empty, steps of one class differ by which of them: each step is counted by
 * itself, unless that takes long. */
static struct sent count_steps(const struct counted *c, int chunks)
{
    struct sent total = {0, 0};
    int steps = c->algorithm->steps(&c->shape);
    const bool alone =
        c->elements < (size_t)chunks && steps <= DTS_TRAFFIC_ALONE / c->shape.size;
    int *repeats = dts_alloc((size_t)steps, sizeof(*repeats));
    for (int i = 0; i < steps; i++)
        repeats[alone ? i : c->algorithm->like(&c->shape, i)]++;
    for (int i = 0; i < steps; i++) {
        if (repeats[i] == 0)
            continue;
        struct sent sent = count_step(c, chunks, i);
        total.messages += sent.messages * repeats[i];
        total.elements += sent.elements * repeats[i];
    }
    free(repeats);
    return total;
}

static struct sent count_part(struct counter *counter, const struct dts_collective *c,
                              size_t elements)
{
    int chunks = c->algorithm->chunks(&c->shape);
    // Of an all-to-all one chunk stays, which may be a larger one.
    const bool as_it_is = elements < (size_t)chunks || c->shape.kind == DTS_ALLTOALL;
    size_t counted = as_it_is ? elements : (size_t)chunks;
    struct counted now = {c->algorithm, c->shape, counted, {0, 0}};
    size_t i = 0;
    while (i < counter->count && !alike(&counter->counted[i], &now))
        i++;
    if (i == counter->count) {
        now.sent = count_steps(&now, chunks);
        counter->counted =
            dts_grow(counter->counted, &counter->room, i + 1, sizeof(*counter->counted));
        counter->counted[counter->count++] = now;
    }
    struct sent sent = counter->counted[i].sent;
    if (counted > 0)
        sent.elements *= (double)elements / (double)counted;
    return sent;
}

/* Of one group that combines so many elements. */
static struct sent count_group(struct counter *counter, const struct dts_collective *c,
                               size_t all)
{
    struct sent total = {0, 0};
    for (int channel = 0; channel < c->channels; channel++) {
        size_t first, elements;
        dts_coll_span(all, c->channels, channel, 1, &first, &elements);
        struct sent sent = count_part(counter, c, elements);
        total.messages += sent.messages;
        total.elements += sent.elements;
    }
    return total;
}

static struct sent count_collective(struct counter *counter, const struct dts_role *role,
                                    const struct dts_collective *c)
{
    struct sent total = {0, 0};
    const int groups = role->count / c->group.size;
    if (!c->of_share) {
        const struct sent sent = count_group(counter, c, c->data.count);
        return (struct sent){groups * sent.messages, groups * sent.elements};
    }
    for (int r = 0; r < role->count; r++) { // shares differ by an element
        if (r / c->group.stride % c->group.size != 0)
            continue;
        const struct dts_span share = dts_collective_share(
            role, &role->plan.ops[c->scatter].collective, role->first + r, c->scatter_channel);
        const struct sent sent = count_group(counter, c, share.count);
        total.messages += sent.messages;
        total.elements += sent.elements;
    }
    return total;
}

static struct sent count_exchange(const struct dts_role *role, const struct dts_exchange *x)
{
    struct sent total = {0, 0};
    if (!x->send)
        return total;
    struct dts_message *messages = dts_alloc((size_t)x->peer_count, sizeof(*messages));
    for (int r = 0; r < role->count; r++) {
        int count = dts_exchange_messages(role, x, role->first + r, messages);
        total.messages += count;
        for (int m = 0; m < count; m++)
            total.elements += (double)messages[m].data.count;
    }
    free(messages);
    return total;
}

void dts_job_traffic(const struct dts_job *job, struct dts_traffic *traffic)
{
    *traffic = (struct dts_traffic){0, 0};
    struct counter counter = {NULL, 0, 0};
    for (int r = 0; r < job->role_count; r++) {
        const struct dts_role *role = &job->roles[r];
        for (int o = 0; o < role->plan.op_count; o++) {
            const struct dts_op *op = &role->plan.ops[o];
            if (op->kind == DTS_OP_CALL)
                continue;
            bool exchange = op->kind == DTS_OP_EXCHANGE;
            int buffer = exchange ? op->exchange.data.buffer : op->collective.data.buffer;
            struct sent sent = exchange ? count_exchange(role, &op->exchange)
                                        : count_collective(&counter, role, &op->collective);
            const double share = dts_when_share(&op->when);
            traffic->messages += share * sent.messages;
            traffic->bytes +=
                share * sent.elements * (double)role->plan.buffers[buffer].element_bytes;
        }
    }
    free(counter.counted);
}

void dts_rank_traffic(const struct dts_role *role, int rank, bool library, long step,
                      struct dts_traffic *traffic)
{
    *traffic = (struct dts_traffic){0, 0};
    for (int s = 0; s < dts_plan_streams(&role->plan); s++) {
        struct dts_walk walk = {
            .role = role, .rank = rank, .stream = (enum dts_stream)s, .step = step};
        struct dts_event event;
        walk.library = library;
        while (dts_walk_next(&walk, &event))
            for (int m = 0; event.kind == DTS_EVENT_EXCHANGE && m < event.count; m++) {
                traffic->messages += event.messages[m].send;
                traffic->bytes += event.messages[m].send ? (double)event.messages[m].bytes : 0;
            }
        dts_walk_free(&walk);
    }
}
