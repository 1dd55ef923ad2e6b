/* serve.c -- servers that answer requests as they come (plan/serve.h).
 *
 * A receive is open for every peer and item. What has arrived waits in the order of arrival;
 * the first is worked on, one at a time; then the rule says who is answered. The receive of a
 * peer is opened again before it is answered. The lane ends with the last request of the run.
 */
#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "plan/served.h"
#include "sim/flow/flow.h"
#include "sim/heap.h"

struct dts_flow_server {
    struct dts_server rule;
    struct dts_served_item *items;
    struct dts_message *messages; // of item and peer: requests, then as many answers; owned
    struct dts_heap queue;        // requests that are there, `what` by item and peer
    int at;                       // the request that is worked on; -1: none
    double began_s;               // since when
    double left;                  // requests until the end of the run
};

static int places(const struct dts_flow_server *s)
{
    return s->rule.items * s->rule.peers;
}

/* The messages of an item, and the streams that they travel on. */
static void fill_item(struct dts_flow_lane *lane, int item)
{
    const struct dts_flow_server *s = lane->server;
    const struct dts_op *ops = lane->role->plan.ops;
    const int which[] = {s->items[item].request, s->items[item].reply};
    for (int k = 0; k < 2; k++) {
        const struct dts_op *op = &ops[which[k]];
        const int first = k * places(s) + item * s->rule.peers;
        const int count =
            dts_exchange_messages(lane->role, &op->exchange, lane->rank, &s->messages[first]);
        assert(count == s->rule.peers);
        for (int p = 0; p < count; p++)
            lane->mail[first + p] = (struct dts_flow_mail){.planned = &s->messages[first + p],
                                                           .stream = op->stream};
    }
}

void dts_flow_serve_open(struct dts_flow *f, int number)
{
    struct dts_flow_lane *lane = &f->lanes[number];
    struct dts_flow_server *s = lane->server = dts_alloc(1, sizeof(*s));
    dts_served_open(&s->rule, lane->role, lane->rank, f->simulation->steps);
    const size_t count = 2 * (size_t)places(s);
    s->at = DTS_FLOW_NONE;
    s->left = (double)places(s) * f->simulation->steps;
    s->items = dts_alloc((size_t)s->rule.items + 1, sizeof(*s->items));
    dts_served_items(lane->role, lane->rank, s->items);
    s->messages = dts_alloc(count + 1, sizeof(*s->messages));
    lane->mail = dts_grow(lane->mail, &lane->mail_room, count + 1, sizeof(*lane->mail));
    lane->known = dts_grow(lane->known, &lane->known_room, count + 1, sizeof(*lane->known));
    for (int i = 0; i < s->rule.items; i++)
        fill_item(lane, i);
}

/* Of the last step of whoever asks, in seconds of that step. */
static void note(struct dts_flow *f, int number, int op, int request, double begin_s,
                 double end_s)
{
    const struct dts_flow_lane *lane = &f->lanes[number];
    const struct dts_flow_server *s = lane->server;
    const int steps = s->rule.steps, asker = s->messages[request].peer;
    const double zero_s = steps > 1 ? f->ends[asker * steps + steps - 2] : 0;
    dts_op_time_add(&f->timing->ops[f->timing->first_op[lane->role_number] + op],
                    begin_s - zero_s, end_s - zero_s);
}

static void finish(struct dts_flow *f, int number)
{
    f->lanes[number].state = DTS_FLOW_FINISHED;
    if (--f->running == 0 && f->wire_ops->finished != NULL)
        f->wire_ops->finished(f);
}

void dts_flow_serve_start(struct dts_flow *f, int number)
{
    f->lanes[number].state = DTS_FLOW_SERVES;
    const int count = places(f->lanes[number].server);
    for (int i = 0; i < count; i++)
        dts_flow_receive(f, number, i);
    if (count == 0)
        finish(f, number);
}

/* Begin with the request that has been there longest, once it is there. */
static void work_on_next(struct dts_flow *f, int number)
{
    const struct dts_flow_lane *lane = &f->lanes[number];
    struct dts_flow_server *s = lane->server;
    const double first_s = dts_heap_next(&s->queue);
    if (s->at != DTS_FLOW_NONE || isinf(first_s))
        return;
    if (first_s > f->until_s) { // another one may still be earlier
        dts_flow_date_set(f, number, first_s);
        return;
    }
    s->at = dts_heap_take(&s->queue).what;
    s->began_s = f->now_s;
    const struct dts_served_item *item = &s->items[s->at / s->rule.peers];
    dts_flow_date_set(f, number,
                      f->now_s + fmax(0, lane->role->plan.ops[item->call].call.seconds));
}

void dts_flow_serve_arrived(struct dts_flow *f, struct dts_flow_party party, double sent_s,
                            double at_s)
{
    struct dts_flow_server *s = f->lanes[party.lane].server;
    const bool answer = party.which >= places(s);
    const int request = answer ? party.which - places(s) : party.which;
    const struct dts_served_item *item = &s->items[request / s->rule.peers];
    if (s->rule.clock[request] == s->rule.steps - !answer)
        note(f, party.lane, answer ? item->reply : item->request, request, sent_s, at_s);
    if (answer)
        return;
    dts_heap_add(&s->queue, (struct dts_heap_event){.at_s = at_s, .what = party.which});
    work_on_next(f, party.lane);
}

static void answer_peers(struct dts_flow *f, int number, int item,
                         const struct dts_serve_answer *answer)
{
    const struct dts_flow_server *s = f->lanes[number].server;
    for (int i = 0; i < answer->count; i++) {
        const int request = item * s->rule.peers + answer->peers[i];
        if (s->rule.clock[request] < s->rule.steps)
            dts_flow_receive(f, number, request);
        dts_flow_send(f, number, places(s) + request);
    }
}

void dts_flow_serve_due(struct dts_flow *f, int number)
{
    struct dts_flow_server *s = f->lanes[number].server;
    const int request = s->at;
    struct dts_serve_answer answer;
    if (request == DTS_FLOW_NONE) {
        work_on_next(f, number);
        return;
    }
    const int item = request / s->rule.peers, peer = request % s->rule.peers;
    dts_server_take(&s->rule, item, peer, &answer);
    if (s->rule.clock[request] == s->rule.steps)
        note(f, number, s->items[item].call, request, s->began_s, f->now_s);
    if (answer.counts)
        dts_stale_counts_add(f->timing->staleness, &answer);
    s->at = DTS_FLOW_NONE;
    s->left--;
    answer_peers(f, number, item, &answer);
    if (s->left == 0)
        finish(f, number);
    else
        work_on_next(f, number);
}

void dts_flow_serve_free(struct dts_flow_server *s)
{
    if (s == NULL)
        return;
    dts_server_free(&s->rule);
    dts_heap_free(&s->queue);
    free(s->items);
    free(s->messages);
    free(s);
}
