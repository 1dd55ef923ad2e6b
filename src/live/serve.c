/* serve.c -- a server that answers requests as they come (plan/serve.h).
 *
 * Two threads for each peer and way that its messages take: one receives requests, one sends
 * answers. A request that is there is worked on under one lock, so one at a time; the rule says
 * who is answered, and what these get is copied, since the next request may change the weights
 * while it travels.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/os/clock.h"
#include "live/lane.h"
#include "live/pieces.h"
#include "plan/served.h"

struct serving {
    struct dts_lanes *lanes;
    struct dts_server rule;
    struct dts_served_item *items;          // owned, as all below
    struct dts_message *requests, *answers; // by item and peer
    char **arrived, **leaving;              // their values
    bool *due;                              // the answer may leave
    pthread_mutex_t lock;
    pthread_cond_t changed; // due
};

/* Requests or answers of one peer on one stream, in the order of the items. */
struct way {
    struct serving *of;
    enum dts_stream stream;
    int peer;
    bool sends;
    pthread_t thread;
};

static const struct dts_op *op_of(const struct serving *s, int number)
{
    return &s->lanes->rank->role->plan.ops[number];
}

static void set_time(const struct serving *s, double *times, int step, int op)
{
    times[(size_t)step * (size_t)s->lanes->rank->role->plan.op_count + (size_t)op] =
        dts_now_s();
}

/* Where a span of the rank's buffers lies. */
static float *at(const struct serving *s, const struct dts_span *span)
{
    return s->lanes->rank->buffers[span->buffer] + span->first;
}

/* Does the executor read and write the messages? */
static const struct dts_executor_lists *lists_of(const struct serving *s,
                                                 const struct dts_op *op)
{
    const struct dts_executor_lists *lists = s->lanes->live->executor->lists;
    return lists != NULL && lists->has(s->lanes->executor_self, op) ? lists : NULL;
}

/* An update is the mean over all peers where all are used; of fewer it is made as large. */
static void scale(float *values, size_t count, float factor)
{
    for (size_t i = 0; i < count && factor != 1; i++)
        values[i] *= factor;
}

/* The weights that a gradient is of are those that its peer was sent last. */
static void compensate(const struct serving *s, int request, float *gradient)
{
    const struct dts_span *span = &s->answers[request].data;
    const double lambda = s->lanes->rank->role->serve.compensation;
    const float *now = at(s, span), *sent = (const float *)(void *)s->leaving[request];
    for (size_t i = 0; i < span->count && lambda > 0; i++)
        gradient[i] =
            dts_late_compensated(gradient[i], lambda, s->rule.peers, now[i] - sent[i]);
}

/* Take a gradient into the sum. */
static void add(const struct serving *s, int request, bool first, float factor)
{
    const struct dts_span *span = &s->requests[request].data;
    float *gradient = (float *)(void *)s->arrived[request];
    const struct dts_op *op = op_of(s, s->items[request / s->rule.peers].request);
    const struct dts_executor_lists *lists = lists_of(s, op);
    if (lists != NULL) {
        lists->take(s->lanes->executor_self, op, gradient, factor, first);
        return;
    }
    float *sum = at(s, span);
    compensate(s, request, gradient);
    for (size_t i = 0; i < span->count; i++)
        sum[i] = first ? factor * gradient[i] : sum[i] + factor * gradient[i];
}

/* The sum of gradients of some peers becomes as large as that of all. */
static void scale_sum(const struct serving *s, int request, float factor)
{
    const struct dts_span *span = &s->requests[request].data;
    const struct dts_op *op = op_of(s, s->items[request / s->rule.peers].request);
    const struct dts_executor_lists *lists = lists_of(s, op);
    if (lists != NULL)
        lists->scale(s->lanes->executor_self, op, factor);
    else
        scale(at(s, span), span->count, factor);
}

/* The weights change by the sum. */
static void update(const struct serving *s, int request, const struct dts_serve_answer *answer)
{
    const struct dts_lanes *lanes = s->lanes;
    const int op = s->items[request / s->rule.peers].call, step = s->rule.clock[request] - 1;
    if (s->rule.rule->sums)
        scale_sum(s, request, (float)s->rule.peers / (float)answer->summed);
    if (lanes->live->executor->late != NULL)
        lanes->live->executor->late(lanes->executor_self, op_of(s, op), answer->stale);
    set_time(s, lanes->times->begin_s, step, op);
    lanes->live->executor->call(lanes->executor_self, op_of(s, op), step, dts_now_s());
    set_time(s, lanes->times->end_s, step, op);
}

/* What a peer is answered is kept, since the next request may change the weights. */
static void keep_answer(const struct serving *s, int item, int peer)
{
    const int to = item * s->rule.peers + peer;
    const struct dts_message *answer = &s->answers[to];
    const struct dts_op *op = op_of(s, s->items[item].reply);
    const struct dts_executor_lists *lists = lists_of(s, op);
    if (lists != NULL)
        lists->give(s->lanes->executor_self, op, answer->peer, s->rule.clock[to] - 1,
                    (float *)(void *)s->leaving[to]);
    else
        memcpy(s->leaving[to], at(s, &answer->data), answer->data.count * sizeof(float));
    s->due[to] = true;
}

/* A request is there. */
static void work_on(struct serving *s, int request)
{
    const int item = request / s->rule.peers, peer = request % s->rule.peers;
    struct dts_serve_answer answer;
    pthread_mutex_lock(&s->lock);
    dts_server_take(&s->rule, item, peer, &answer);
    if (answer.counts)
        dts_stale_counts_add(s->lanes->times->staleness, &answer);
    if (answer.used)
        add(s, request, answer.summed == 1, (float)answer.factor);
    if (answer.update)
        update(s, request, &answer);
    for (int i = 0; i < answer.count; i++)
        keep_answer(s, item, answer.peers[i]);
    pthread_cond_broadcast(&s->changed);
    pthread_mutex_unlock(&s->lock);
}

static void wait_until_due(struct serving *s, int answer)
{
    pthread_mutex_lock(&s->lock);
    while (!s->due[answer])
        pthread_cond_wait(&s->changed, &s->lock);
    s->due[answer] = false;
    pthread_mutex_unlock(&s->lock);
}

static void carry(const struct way *way, struct dts_pieces *pieces,
                  const struct dts_message *planned, void *values)
{
    struct dts_wire_message message = {.send = way->sends,
                                       .peer = planned->peer,
                                       .tag = planned->channel,
                                       .bytes = planned->bytes,
                                       .data = values};
    dts_pieces_carry(pieces, dts_wire_comm(way->of->lanes->live->wire, way->stream), &message,
                     1, NULL);
}

static void *go_on(void *self)
{
    struct way *way = self;
    struct serving *s = way->of;
    struct dts_pieces pieces = {.memory = &s->lanes->host,
                                .piece_bytes = s->lanes->live->piece_bytes};
    for (int step = 0; step < s->lanes->live->steps; step++)
        for (int i = 0; i < s->rule.items; i++) {
            const int op = way->sends ? s->items[i].reply : s->items[i].request;
            const int which = i * s->rule.peers + way->peer;
            if (op_of(s, op)->stream != way->stream)
                continue;
            set_time(s, s->lanes->times->begin_s, step, op);
            if (way->sends)
                wait_until_due(s, which);
            carry(way, &pieces, way->sends ? &s->answers[which] : &s->requests[which],
                  way->sends ? s->leaving[which] : s->arrived[which]);
            set_time(s, s->lanes->times->end_s, step, op);
            if (!way->sends)
                work_on(s, which);
        }
    pthread_mutex_lock(&s->lanes->lock);
    s->lanes->times->sent_messages += pieces.sent_messages;
    s->lanes->times->sent_bytes += pieces.sent_bytes;
    pthread_mutex_unlock(&s->lanes->lock);
    dts_pieces_free(&pieces);
    return NULL;
}

/* Messages of all items and peers, and memory for them. */
static void make_messages(struct serving *s)
{
    const struct dts_live_rank *rank = s->lanes->rank;
    const size_t count = (size_t)s->rule.items * (size_t)s->rule.peers + 1;
    s->items = dts_alloc((size_t)s->rule.items + 1, sizeof(*s->items));
    s->requests = dts_alloc(count, sizeof(*s->requests));
    s->answers = dts_alloc(count, sizeof(*s->answers));
    s->arrived = dts_alloc(count, sizeof(*s->arrived));
    s->leaving = dts_alloc(count, sizeof(*s->leaving));
    s->due = dts_alloc(count, sizeof(*s->due));
    dts_served_items(rank->role, rank->rank, s->items);
    for (int i = 0; i < s->rule.items; i++) {
        const int first = i * s->rule.peers;
        dts_exchange_messages(rank->role, &op_of(s, s->items[i].request)->exchange, rank->rank,
                              &s->requests[first]);
        dts_exchange_messages(rank->role, &op_of(s, s->items[i].reply)->exchange, rank->rank,
                              &s->answers[first]);
        for (int p = first; p < first + s->rule.peers; p++) {
            s->arrived[p] = dts_alloc(s->requests[p].bytes, 1);
            s->leaving[p] = dts_alloc(s->answers[p].bytes, 1);
            if (lists_of(s, op_of(s, s->items[i].reply)) == NULL)
                memcpy(s->leaving[p], at(s, &s->answers[p].data), s->answers[p].bytes);
        }
    }
}

static void forget_messages(struct serving *s)
{
    for (int i = 0; i < s->rule.items * s->rule.peers; i++) {
        free(s->arrived[i]);
        free(s->leaving[i]);
    }
    free(s->items);
    free(s->requests);
    free(s->answers);
    free(s->arrived);
    free(s->leaving);
    free(s->due);
}

/* The ways of one peer: each stream that an item has, once. Returns how many there are now. */
static int add_ways(struct serving *s, int peer, struct way **ways, size_t *room, int count)
{
    const int first = count;
    for (int i = 0; i < s->rule.items; i++)
        for (int k = 0; k < 2; k++) {
            const int op = k == 1 ? s->items[i].reply : s->items[i].request;
            const enum dts_stream stream = op_of(s, op)->stream;
            bool known = false;
            for (int w = first; w < count; w++)
                known = known || ((*ways)[w].stream == stream && (*ways)[w].sends == (k == 1));
            if (known)
                continue;
            *ways = dts_grow(*ways, room, (size_t)count + 1, sizeof(**ways));
            (*ways)[count++] = (struct way){s, stream, peer, k == 1, 0};
        }
    return count;
}

void dts_lanes_serve(struct dts_lanes *lanes)
{
    struct serving s = {.lanes = lanes};
    struct way *ways = NULL;
    size_t room = 0;
    int count = 0;
    dts_served_open(&s.rule, lanes->rank->role, lanes->rank->rank, lanes->live->steps);
    s.rule.joins = true;
    lanes->times->staleness = dts_alloc(1, sizeof(*lanes->times->staleness));
    pthread_mutex_init(&s.lock, NULL);
    pthread_cond_init(&s.changed, NULL);
    make_messages(&s);
    for (int p = 0; p < s.rule.peers; p++)
        count = add_ways(&s, p, &ways, &room, count);
    for (int w = 0; w < count; w++) {
        const int code = pthread_create(&ways[w].thread, NULL, go_on, &ways[w]);
        if (code != 0)
            dts_wire_abort(lanes->live->wire, strerror(code));
    }
    for (int w = 0; w < count; w++)
        pthread_join(ways[w].thread, NULL);
    free(ways);
    forget_messages(&s);
    dts_server_free(&s.rule);
    pthread_cond_destroy(&s.changed);
    pthread_mutex_destroy(&s.lock);
}
