#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "plan/run.h"
#include "sim/load.h"
#include "sim/pattern.h"
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
    struct dts_patterns *patterns;
    bool keep_links;            // operations may overlap and have to share
    double *total;              // bytes on each link in a step, over all operations counted
    struct dts_parcel *parcels; // the messages of one step
    size_t parcel_count, parcel_room;
    struct dts_message *messages; // of one rank
    size_t message_room;
    double *sum_s;            // by rank: to sum what arrives in a step
    double *gain, *gain_next; // by rank: longest_walk()
    int *from, *from_next;
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
    l->patterns = dts_patterns_new(simulation);
    l->sum_s = dts_alloc(ranks, sizeof(*l->sum_s));
    l->gain = dts_alloc(ranks, sizeof(*l->gain));
    l->gain_next = dts_alloc(ranks, sizeof(*l->gain_next));
    l->from = dts_alloc(ranks, sizeof(*l->from));
    l->from_next = dts_alloc(ranks, sizeof(*l->from_next));
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
    dts_patterns_free(l->patterns);
    free(l->total);
    free(l->parcels);
    free(l->messages);
    free(l->sum_s);
    free(l->gain);
    free(l->gain_next);
    free(l->from);
    free(l->from_next);
    free(l);
}

/* What a rank has to do with its messages of a step. */
static void add_parcels(struct dts_loader *l, int rank, int count)
{
    const struct dts_simulation *s = l->simulation;
    l->parcels = dts_grow(l->parcels, &l->parcel_room, l->parcel_count + (size_t)count,
                          sizeof(*l->parcels));
    l->sum_s[rank] = 0;
    for (int m = 0; m < count; m++) {
        const struct dts_message *message = &l->messages[m];
        if (message->bytes == 0)
            continue;
        l->parcels[l->parcel_count++] = (struct dts_parcel){
            rank, message->peer, message->send, message->add, (double)message->bytes};
        if (message->send || !message->add)
            continue;
        int by =
            s->net->ops->transport(s->net->self, s->endpoint[message->peer], s->endpoint[rank]);
        double rate = s->net->transports[by].reduce_bytes_per_s;
        rate = rate > 0 ? rate : s->reduce_bytes_per_s;
        l->sum_s[rank] += rate > 0 ? (double)message->bytes / rate : 0;
    }
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

/* Seconds that each link needs, and the largest of them by transport. */
static void load_links(struct dts_loader *l, struct dts_phase *phase,
                       const struct dts_pattern *pattern, const double wire[2], int times)
{
    if (l->keep_links) {
        phase->links = dts_alloc((size_t)pattern->link_count, sizeof(*phase->links));
        phase->link_count = pattern->link_count;
    }
    for (int i = 0; i < pattern->link_count; i++) {
        const struct dts_pattern_link *link = &pattern->links[i];
        double bytes = link->weight[0] * wire[0] + link->weight[1] * wire[1];
        for (int k = 0; k < 2; k++)
            if (link->weight[k] > 0)
                phase->load_s[k] = fmax(phase->load_s[k], bytes / link->bytes_per_s);
        if (l->keep_links)
            phase->links[i] = (struct dts_link_load){link->link, bytes / phase->bytes};
        l->total[link->link] += bytes * phase->repeat * times;
    }
}

/* Messages on their way: what each hop takes, and the longest walk of them. */
static void load_hops(struct dts_loader *l, struct dts_phase *phase,
                      const struct dts_pattern *pattern, const struct dts_role *role,
                      const double factor[2])
{
    const struct dts_transport *transports = l->simulation->net->transports;
    for (int r = role->first; r < role->first + role->count; r++) {
        int k = pattern->hop_by[r];
        l->from[r] = pattern->from[r];
        l->gain[r] = 0;
        if (l->from[r] == r)
            continue;
        double alpha_s = pattern->hop_latency_s[r] * factor[k] + transports[k].overhead_s;
        if (!transports[k].blocking)
            phase->late_s = fmax(phase->late_s, alpha_s);
        l->gain[r] = alpha_s + phase->load_s[k] + l->sum_s[r];
        phase->hop_s = fmax(phase->hop_s, l->gain[r]);
        phase->sum_s = fmax(phase->sum_s, l->sum_s[r]);
    }
    // The sender of an exchange may be of another role: there is one hop, and no walk.
    bool inside = phase->repeat > 1;
    phase->walk_s = inside ? longest_walk(l, role, phase->repeat) : phase->hop_s;
}

static double largest_bytes(const struct dts_loader *l)
{
    double most = 0;
    for (size_t i = 0; i < l->parcel_count; i++)
        most = fmax(most, l->parcels[i].bytes);
    return most;
}

/* The parcels of one step become a phase. `times`: operations of the plan that are alike. */
static void fill_phase(struct dts_loader *l, struct dts_phase *phase,
                       const struct dts_role *role, int repeat, int times)
{
    *phase = (struct dts_phase){.repeat = repeat, .most_bytes_per_s = INFINITY};
    double bytes = largest_bytes(l), wire[2], factor[2];
    if (bytes == 0)
        return;
    const struct dts_pattern *pattern =
        dts_patterns_find(l->patterns, l->parcels, l->parcel_count, bytes);
    for (int k = 0; k < 2; k++) {
        const struct dts_transport *by = &l->simulation->net->transports[k];
        struct dts_transport_range range = dts_transport_at(by, bytes);
        wire[k] = bytes / (by->efficiency * range.bandwidth_factor);
        factor[k] = range.latency_factor;
        if (!pattern->used[k])
            continue;
        phase->bytes = fmax(phase->bytes, wire[k]);
        phase->load_s[k] = wire[k] / pattern->cap_bytes_per_s[k];
        phase->most_bytes_per_s = fmin(phase->most_bytes_per_s, pattern->cap_bytes_per_s[k]);
        if (by->blocking)
            phase->stay_alpha_s[k] = pattern->latency_s[k] * factor[k] + by->overhead_s;
    }
    load_links(l, phase, pattern, wire, times);
    load_hops(l, phase, pattern, role, factor);
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

static double count_sent(const struct dts_loader *l)
{
    double count = 0;
    for (size_t i = 0; i < l->parcel_count; i++)
        count += l->parcels[i].send;
    return count;
}

/* Of less data than chunks, some chunks are empty and not sent. As if all had an element it
 * loads the links by some bytes more, pays the same latency, and is routed with all others. */
static struct dts_collective without_empty_chunks(const struct dts_collective *collective)
{
    struct dts_collective c = *collective;
    size_t chunks = (size_t)c.algorithm->chunks(&c.shape) * (size_t)c.channels;
    c.data.count = c.data.count < chunks ? chunks : c.data.count;
    return c;
}

static void count_collective(struct dts_loader *l, const struct dts_role *role,
                             const struct dts_collective *collective, int times,
                             struct dts_load *load)
{
    const struct dts_collective padded = without_empty_chunks(collective), *c = &padded;
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
        l->parcel_count = 0;
        for (int r = role->first; r < role->first + role->count; r++)
            add_parcels(l, r, dts_collective_messages(role, c, r, i, l->messages));
        fill_phase(l, phase, role, repeats[i], times);
        load->messages += count_sent(l) * repeats[i];
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
    l->parcel_count = 0;
    for (int r = role->first; r < role->first + role->count; r++)
        add_parcels(l, r, dts_exchange_messages(role, x, r, l->messages));
    fill_phase(l, load->phases, role, 1, 1);
    load->messages = count_sent(l);
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
