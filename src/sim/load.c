#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "plan/run.h"
#include "sim/load.h"
#include "sim/period.h"

/* An operation that was counted. */
struct counted {
    const struct dts_role *role;
    const struct dts_op *op;
    size_t element_bytes;
    struct dts_load *load; // owned
};

struct dts_loader {
    const struct dts_simulation *simulation;
    struct counted *counted;
    size_t count, room;
    bool keep_links;   // operations may overlap and have to share
    double *total;     // bytes on each link in a step, over all operations counted
    double *bytes;     // of each link, zero between counts
    unsigned char *by; // which transports use the link: bits, zero between counts
    int *touched;      // links that are not zero
    int touched_count;
    struct dts_message *messages; // of one rank
    size_t message_room;
    double *gain, *gain_next; // of each rank: longest_walk()
    int *from, *from_next;
    unsigned char *hop_by; // transport of that hop
};

/* Can two operations be under way at once? With one stream of one role that communicates, no.
 */
static bool may_overlap(const struct dts_job *job)
{
    int streams = 0;
    for (int r = 0; r < job->role_count; r++)
        for (int o = 0, seen = 0; o < job->roles[r].plan.op_count; o++) {
            const struct dts_op *op = &job->roles[r].plan.ops[o];
            if (op->kind == DTS_OP_CALL || (seen >> op->stream & 1))
                continue;
            seen |= 1 << op->stream;
            streams++;
        }
    return streams > 1;
}

struct dts_loader *dts_loader_new(const struct dts_simulation *simulation)
{
    struct dts_loader *l = dts_alloc(1, sizeof(*l));
    size_t links = (size_t)simulation->net->links, ranks = (size_t)simulation->job->ranks;
    l->simulation = simulation;
    l->keep_links = may_overlap(simulation->job);
    l->total = dts_alloc(links, sizeof(*l->total));
    l->bytes = dts_alloc(links, sizeof(*l->bytes));
    l->by = dts_alloc(links, sizeof(*l->by));
    l->touched = dts_alloc(links, sizeof(*l->touched));
    l->gain = dts_alloc(ranks, sizeof(*l->gain));
    l->gain_next = dts_alloc(ranks, sizeof(*l->gain_next));
    l->from = dts_alloc(ranks, sizeof(*l->from));
    l->from_next = dts_alloc(ranks, sizeof(*l->from_next));
    l->hop_by = dts_alloc(ranks, sizeof(*l->hop_by));
    return l;
}

static void load_free(struct dts_load *load)
{
    for (int p = 0; p < load->phase_count; p++)
        free(load->phases[p].links);
    free(load->phases);
    free(load);
}

void dts_loader_free(struct dts_loader *l)
{
    if (l == NULL)
        return;
    for (size_t i = 0; i < l->count; i++)
        load_free(l->counted[i].load);
    free(l->counted);
    free(l->total);
    free(l->bytes);
    free(l->by);
    free(l->touched);
    free(l->messages);
    free(l->gain);
    free(l->gain_next);
    free(l->from);
    free(l->from_next);
    free(l->hop_by);
    free(l);
}

static void add_to_link(struct dts_loader *l, struct dts_phase *phase, int link, double share,
                        double wire, int transport)
{
    const struct dts_net *net = l->simulation->net;
    if (net->ops->shared != NULL && !net->ops->shared(net->self, link)) {
        double capacity = net->ops->capacity(net->self, link);
        phase->load_s[transport] = fmax(phase->load_s[transport], wire / capacity);
        phase->most_bytes_per_s = fmin(phase->most_bytes_per_s, capacity);
        return;
    }
    if (l->by[link] == 0)
        l->touched[l->touched_count++] = link;
    l->by[link] |= (unsigned char)(1 << transport);
    l->bytes[link] += share * wire;
}

/* A message that a rank sends: its bytes on the links of all its paths. */
static void add_sent(struct dts_loader *l, struct dts_phase *phase, int src, int dst,
                     double bytes)
{
    const struct dts_net *net = l->simulation->net;
    double wire = dts_net_wire_bytes(net, src, dst, bytes);
    int transport = net->ops->transport(net->self, src, dst);
    int paths = net->ops->paths(net->self, src, dst);
    int links[DTS_MAX_ROUTE];

    phase->bytes = fmax(phase->bytes, wire);
    for (int p = 0; p < paths; p++) {
        double share = paths == 1 ? 1.0 : net->ops->share(net->self, src, dst, p);
        int hops = net->ops->route(net->self, src, dst, p, links);
        for (int h = 0; h < hops; h++)
            add_to_link(l, phase, links[h], share, wire, transport);
        if (dts_net_blocks(net, src, dst))
            phase->stay_alpha_s[transport] =
                fmax(phase->stay_alpha_s[transport], dts_net_alpha(net, src, dst, p, bytes));
    }
}

/* A message that a rank receives is a hop of a walk. Messages are summed one after another. */
static void add_received(struct dts_loader *l, struct dts_phase *phase, int rank,
                         const struct dts_message *message, double *sum_s)
{
    const struct dts_simulation *s = l->simulation;
    int src = s->endpoint[message->peer], dst = s->endpoint[rank];
    double bytes = (double)message->bytes, alpha = 0;
    int transport = s->net->ops->transport(s->net->self, src, dst);
    int paths = s->net->ops->paths(s->net->self, src, dst);

    if (message->add) {
        double rate = s->net->transports[transport].reduce_bytes_per_s;
        rate = rate > 0 ? rate : s->reduce_bytes_per_s;
        if (rate > 0)
            *sum_s += bytes / rate;
    }
    for (int p = 0; p < paths; p++)
        alpha = fmax(alpha, dts_net_alpha(s->net, src, dst, p, bytes));
    if (!dts_net_blocks(s->net, src, dst))
        phase->late_s = fmax(phase->late_s, alpha);
    if (l->from[rank] == rank || alpha > l->gain[rank]) {
        l->gain[rank] = alpha;
        l->from[rank] = message->peer;
        l->hop_by[rank] = (unsigned char)transport;
    }
}

static void add_messages(struct dts_loader *l, struct dts_phase *phase, int rank, int count,
                         double *sent)
{
    const int *endpoint = l->simulation->endpoint;
    double sum_s = 0;
    for (int m = 0; m < count; m++) {
        const struct dts_message *message = &l->messages[m];
        if (message->bytes == 0)
            continue;
        if (message->send) {
            add_sent(l, phase, endpoint[rank], endpoint[message->peer], (double)message->bytes);
            *sent += 1;
        } else {
            add_received(l, phase, rank, message, &sum_s);
        }
    }
    l->gain[rank] += sum_s;
    phase->sum_s = fmax(phase->sum_s, sum_s);
}

/* The longest walk of `hops` hops against the direction of the messages: a hop from rank r goes
 * to from[r] and gains gain[r]. By doubling, so that 55,294 hops cost 16 passes. */
static double longest_walk(struct dts_loader *l, const struct dts_role *role, int hops)
{
    double most = 0;
    int first = role->first, end = role->first + role->count;
    double *total = dts_alloc((size_t)role->count, sizeof(*total));
    int *at = dts_alloc((size_t)role->count, sizeof(*at));
    for (int r = first; r < end; r++)
        at[r - first] = r;
    for (int left = hops; left > 0; left /= 2) {
        for (int r = first; r < end && left % 2 == 1; r++) {
            total[r - first] += l->gain[at[r - first]];
            at[r - first] = l->from[at[r - first]];
        }
        for (int r = first; r < end; r++) {
            l->gain_next[r] = l->gain[r] + l->gain[l->from[r]];
            l->from_next[r] = l->from[l->from[r]];
        }
        memcpy(l->gain + first, l->gain_next + first, (size_t)role->count * sizeof(*l->gain));
        memcpy(l->from + first, l->from_next + first, (size_t)role->count * sizeof(*l->from));
    }
    for (int r = 0; r < role->count; r++)
        most = fmax(most, total[r]);
    free(total);
    free(at);
    return most;
}

static void begin_phase(struct dts_loader *l, struct dts_phase *phase, int repeat)
{
    *phase = (struct dts_phase){.repeat = repeat, .most_bytes_per_s = INFINITY};
    l->touched_count = 0;
    for (int r = 0; r < l->simulation->job->ranks; r++) {
        l->gain[r] = 0;
        l->from[r] = r;
    }
}

static void end_phase(struct dts_loader *l, struct dts_phase *phase,
                      const struct dts_role *role, int times)
{
    const struct dts_net *net = l->simulation->net;
    if (l->keep_links) {
        phase->links = dts_alloc((size_t)l->touched_count, sizeof(*phase->links));
        phase->link_count = l->touched_count;
    }
    for (int i = 0; i < l->touched_count; i++) {
        int link = l->touched[i];
        double seconds = l->bytes[link] / net->ops->capacity(net->self, link);
        for (int k = 0; k < 2; k++)
            if (l->by[link] >> k & 1)
                phase->load_s[k] = fmax(phase->load_s[k], seconds);
        if (l->keep_links)
            phase->links[i] = (struct dts_link_load){link, l->bytes[link] / phase->bytes};
        l->total[link] += l->bytes[link] * phase->repeat * times;
        l->bytes[link] = 0;
        l->by[link] = 0;
    }
    for (int r = role->first; r < role->first + role->count; r++) {
        if (l->from[r] != r)
            l->gain[r] += phase->load_s[l->hop_by[r]];
        phase->hop_s = fmax(phase->hop_s, l->gain[r]);
    }
    phase->walk_s = longest_walk(l, role, phase->repeat);
}

/* Of a class that is repeated, what its repetitions cost on average. */
static struct dts_step_time step_time(const struct dts_phase *phase)
{
    double mean_s = dts_phase_seconds(phase, 1);
    return phase->repeat > 1 ? (struct dts_step_time){mean_s, mean_s}
                             : (struct dts_step_time){dts_phase_stay_s(phase, 1), phase->hop_s};
}

static void set_period(const struct dts_role *role, const struct dts_collective *c,
                       const struct dts_step_time *steps_s, struct dts_load *load)
{
    double sum_s = 0;
    for (int p = 0; p < load->phase_count; p++)
        sum_s += load->phases[p].repeat * dts_phase_seconds(&load->phases[p], 1);
    struct dts_period period = dts_period_find(role, c, steps_s, sum_s);
    load->share = sum_s > 0 ? period.period_s / sum_s : 1;
    load->tail_s = period.latency_s - period.period_s;
}

static void count_collective(struct dts_loader *l, const struct dts_role *role,
                             const struct dts_collective *c, int times, struct dts_load *load)
{
    int steps = c->algorithm->steps(&c->shape);
    int *repeats = dts_alloc((size_t)steps, sizeof(*repeats));
    struct dts_step_time *steps_s = dts_alloc((size_t)steps, sizeof(*steps_s));
    size_t room = (size_t)DTS_COLL_MESSAGES * (size_t)c->channels;
    l->messages = dts_grow(l->messages, &l->message_room, room, sizeof(*l->messages));

    int classes = 0;
    for (int i = 0; i < steps; i++)
        classes += repeats[c->algorithm->like(&c->shape, i)]++ == 0;
    load->phases = dts_alloc((size_t)classes, sizeof(*load->phases));
    for (int i = 0; i < steps; i++) {
        if (repeats[i] == 0)
            continue;
        struct dts_phase *phase = &load->phases[load->phase_count++];
        double sent = 0;
        begin_phase(l, phase, repeats[i]);
        for (int r = role->first; r < role->first + role->count; r++)
            add_messages(l, phase, r, dts_collective_messages(role, c, r, i, l->messages),
                         &sent);
        end_phase(l, phase, role, times);
        load->messages += sent * repeats[i];
        for (int j = i; j < steps; j++)
            if (c->algorithm->like(&c->shape, j) == i)
                steps_s[j] = step_time(phase);
    }
    set_period(role, c, steps_s, load);
    free(steps_s);
    free(repeats);
}

/* All messages of an exchange are in flight together: one phase, once. The side that sends
 * counts the links, the side that receives the latency after. */
static void count_exchange(struct dts_loader *l, const struct dts_role *role,
                           const struct dts_exchange *x, struct dts_load *load)
{
    l->messages =
        dts_grow(l->messages, &l->message_room, (size_t)x->peer_count, sizeof(*l->messages));
    load->phases = dts_alloc(1, sizeof(*load->phases));
    load->phase_count = 1;
    load->share = 1;
    begin_phase(l, load->phases, 1);
    for (int r = role->first; r < role->first + role->count; r++) {
        int count = dts_exchange_messages(role, x, r, l->messages);
        add_messages(l, load->phases, r, count, &load->messages);
    }
    end_phase(l, load->phases, role, 1);
}

static bool alike(const struct dts_op *a, const struct dts_op *b)
{
    if (a->kind != b->kind || a->kind != DTS_OP_COLLECTIVE)
        return false;
    const struct dts_collective *x = &a->collective, *y = &b->collective;
    return x->algorithm == y->algorithm && x->channels == y->channels &&
           x->data.count == y->data.count && x->group.stride == y->group.stride &&
           x->group.size == y->group.size && x->shape.kind == y->shape.kind &&
           x->shape.size == y->shape.size && x->shape.per_node == y->shape.per_node &&
           x->shape.shards == y->shape.shards && x->shape.pieces == y->shape.pieces &&
           x->shape.between == y->shape.between;
}

const struct dts_load *dts_loader_count(struct dts_loader *l, const struct dts_role *role,
                                        int op_number)
{
    const struct dts_op *op = &role->plan.ops[op_number];
    int buffer =
        op->kind == DTS_OP_COLLECTIVE ? op->collective.data.buffer : op->exchange.data.buffer;
    size_t element_bytes = role->plan.buffers[buffer].element_bytes;
    for (size_t i = 0; i < l->count; i++) {
        const struct counted *c = &l->counted[i];
        if (c->role == role && c->element_bytes == element_bytes &&
            (c->op == op || alike(c->op, op)))
            return c->load;
    }
    int times = 0;
    for (int o = 0; o < role->plan.op_count; o++)
        times += alike(&role->plan.ops[o], op);

    struct dts_load *load = dts_alloc(1, sizeof(*load));
    if (op->kind == DTS_OP_COLLECTIVE)
        count_collective(l, role, &op->collective, times, load);
    else
        count_exchange(l, role, &op->exchange, load);
    l->counted = dts_grow(l->counted, &l->room, l->count + 1, sizeof(*l->counted));
    l->counted[l->count++] = (struct counted){role, op, element_bytes, load};
    return load;
}

double dts_phase_stay_s(const struct dts_phase *phase, double rate)
{
    double stay_s = phase->sum_s;
    for (int k = 0; k < 2; k++)
        stay_s = fmax(stay_s, phase->stay_alpha_s[k] + phase->load_s[k] / rate);
    return stay_s;
}

double dts_phase_seconds(const struct dts_phase *phase, double rate)
{
    double slower_s = fmax(phase->load_s[0], phase->load_s[1]) * (1 / rate - 1);
    return fmax(dts_phase_stay_s(phase, rate), phase->walk_s / phase->repeat + slower_s);
}

const double *dts_loader_total(const struct dts_loader *l)
{
    return l->total;
}
