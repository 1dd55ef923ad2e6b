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

/* A class of steps of a collective whose chunks have a byte each. */
struct bone {
    int repeat, chunks;         // chunks: of the largest message
    double sent;                // messages of one repetition
    struct dts_pattern pattern; // owned
};

/* A collective, whatever its data. */
struct skeleton {
    const struct dts_role *role;
    const struct dts_collective *collective; // the first of its like
    struct bone *bones;                      // owned
    int bone_count, steps;
    int *bone_of;  // by step; owned
    double *total; // by link: bytes a step, at the best efficiency, per byte of a chunk; owned
};

struct dts_loader {
    const struct dts_simulation *simulation;
    struct counted *counted;
    size_t count, room;
    struct skeleton *skeletons;
    size_t skeleton_count, skeleton_room;
    struct dts_router *router;
    bool keep_links;            // operations may overlap and have to share
    double *total;              // bytes on each link in a step, over all operations counted
    struct dts_parcel *parcels; // the messages of one step
    size_t parcel_count, parcel_room;
    struct dts_message *messages; // of one rank
    size_t message_room;
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
    l->router = dts_router_new(simulation);
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

static void skeleton_free(struct skeleton *skeleton)
{
    for (int b = 0; b < skeleton->bone_count; b++)
        dts_pattern_free(&skeleton->bones[b].pattern);
    free(skeleton->bones);
    free(skeleton->bone_of);
    free(skeleton->total);
}

void dts_loader_free(struct dts_loader *l)
{
    if (l == NULL)
        return;
    for (size_t i = 0; i < l->count; i++)
        load_free(l->counted[i].load);
    free(l->counted);
    for (size_t i = 0; i < l->skeleton_count; i++)
        skeleton_free(&l->skeletons[i]);
    free(l->skeletons);
    dts_router_free(l->router);
    free(l->total);
    free(l->parcels);
    free(l->messages);
    free(l->gain);
    free(l->gain_next);
    free(l->from);
    free(l->from_next);
    free(l);
}

static void add_parcels(struct dts_loader *l, int rank, int count)
{
    l->parcels = dts_grow(l->parcels, &l->parcel_room, l->parcel_count + (size_t)count,
                          sizeof(*l->parcels));
    for (int m = 0; m < count; m++)
        if (l->messages[m].bytes > 0)
            l->parcels[l->parcel_count++] =
                (struct dts_parcel){rank, l->messages[m].peer, l->messages[m].send,
                                    l->messages[m].add, (double)l->messages[m].bytes};
}

static double largest_parcel(const struct dts_loader *l)
{
    double most = 0;
    for (size_t i = 0; i < l->parcel_count; i++)
        most = fmax(most, l->parcels[i].bytes);
    return most;
}

static double count_sent(const struct dts_loader *l)
{
    double count = 0;
    for (size_t i = 0; i < l->parcel_count; i++)
        count += l->parcels[i].send;
    return count;
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

static void load_links(const struct dts_loader *l, struct dts_phase *phase,
                       const struct dts_pattern *pattern, const double wire[2])
{
    for (int i = 0; i < pattern->worst_count; i++) {
        const struct dts_pattern_link *link = &pattern->worst[i];
        double bytes = link->weight[0] * wire[0] + link->weight[1] * wire[1];
        for (int k = 0; k < 2; k++)
            if (link->weight[k] > 0)
                phase->load_s[k] = fmax(phase->load_s[k], bytes / link->bytes_per_s);
    }
    if (!l->keep_links)
        return;
    phase->links = dts_alloc((size_t)pattern->link_count, sizeof(*phase->links));
    phase->link_count = pattern->link_count;
    for (int i = 0; i < pattern->link_count; i++) {
        const struct dts_pattern_link *link = &pattern->links[i];
        phase->links[i] = (struct dts_link_load){
            link->link, (link->weight[0] * wire[0] + link->weight[1] * wire[1]) / phase->bytes};
    }
}

/* Repeated: the longest walk with the messages. */
static double walk(struct dts_loader *l, const struct dts_phase *phase,
                   const struct dts_pattern *pattern, const struct dts_role *role, double bytes,
                   const double factor[2])
{
    const struct dts_transport *by = l->simulation->net->transports;
    for (int i = 0; i < role->count; i++) {
        const struct dts_hop *hop = &pattern->hops[i];
        int r = role->first + i, k = hop->by;
        l->from[r] = hop->from;
        l->gain[r] = hop->from == r ? 0
                                    : hop->latency_s * factor[k] + by[k].overhead_s +
                                          phase->load_s[k] + hop->sum_s * bytes;
    }
    return longest_walk(l, role, phase->repeat);
}

/* A pattern with messages of a size becomes a phase. */
static void fill_phase(struct dts_loader *l, struct dts_phase *phase,
                       const struct dts_pattern *pattern, const struct dts_role *role,
                       double bytes, int repeat)
{
    double wire[2], factor[2], alpha_s[2] = {0, 0};
    *phase = (struct dts_phase){.repeat = repeat, .most_bytes_per_s = INFINITY};
    for (int k = 0; k < 2; k++) {
        const struct dts_transport *by = &l->simulation->net->transports[k];
        struct dts_transport_range range = dts_transport_at(by, bytes);
        wire[k] = bytes / (by->efficiency * range.bandwidth_factor);
        factor[k] = range.latency_factor;
        if (pattern->latency_s[k] == 0 && !pattern->used[k])
            continue;
        alpha_s[k] = pattern->latency_s[k] * factor[k] + by->overhead_s;
        if (!by->blocking)
            phase->late_s = fmax(phase->late_s, alpha_s[k]);
        if (!pattern->used[k])
            continue;
        phase->bytes = fmax(phase->bytes, wire[k]);
        phase->load_s[k] = wire[k] / pattern->cap_bytes_per_s[k];
        phase->most_bytes_per_s = fmin(phase->most_bytes_per_s, pattern->cap_bytes_per_s[k]);
        phase->stay_alpha_s[k] = by->blocking ? alpha_s[k] : 0;
    }
    phase->sum_s = pattern->sum_s * bytes;
    load_links(l, phase, pattern, wire);
    for (int k = 0; k < 2; k++)
        phase->hop_s = fmax(phase->hop_s, alpha_s[k] + phase->load_s[k] + phase->sum_s);
    phase->walk_s = repeat > 1 ? walk(l, phase, pattern, role, bytes, factor) : phase->hop_s;
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

static bool same_shape(const struct dts_collective *x, const struct dts_collective *y)
{
    return x->algorithm == y->algorithm && x->channels == y->channels &&
           x->group.stride == y->group.stride && x->group.size == y->group.size &&
           x->shape.kind == y->shape.kind && x->shape.size == y->shape.size &&
           x->shape.per_node == y->shape.per_node && x->shape.shards == y->shape.shards &&
           x->shape.pieces == y->shape.pieces && x->shape.between == y->shape.between;
}

static void make_bone(struct dts_loader *l, const struct skeleton *skeleton,
                      const struct dts_collective *unit, int step, struct bone *bone)
{
    const struct dts_role *role = skeleton->role;
    size_t element_bytes = role->plan.buffers[unit->data.buffer].element_bytes;
    l->parcel_count = 0;
    for (int r = role->first; r < role->first + role->count; r++)
        add_parcels(l, r, dts_collective_messages(role, unit, r, step, l->messages));
    for (size_t i = 0; i < l->parcel_count; i++)
        l->parcels[i].bytes /= (double)element_bytes;
    bone->chunks = (int)largest_parcel(l);
    bone->sent = count_sent(l);
    dts_pattern_make(l->router, l->parcels, l->parcel_count, bone->chunks,
                     &(struct dts_pattern_wish){.links = l->keep_links,
                                                .hops = bone->repeat > 1,
                                                .role = role,
                                                .total = skeleton->total,
                                                .times = bone->repeat},
                     &bone->pattern);
}

/* Each chunk is one element: of less data than chunks, some are empty and not sent, but that
 * changes the load by some bytes only, and the latency not at all. */
static void make_skeleton(struct dts_loader *l, const struct dts_role *role,
                          const struct dts_collective *c, struct skeleton *s)
{
    struct dts_collective unit = *c;
    unit.data.count = (size_t)c->algorithm->chunks(&c->shape) * (size_t)c->channels;
    *s = (struct skeleton){role, c, .steps = c->algorithm->steps(&c->shape)};
    int *repeats = dts_alloc((size_t)s->steps, sizeof(*repeats));
    s->bone_of = dts_alloc((size_t)s->steps, sizeof(*s->bone_of));
    s->total = dts_alloc((size_t)l->simulation->net->links, sizeof(*s->total));
    for (int i = 0; i < s->steps; i++) {
        int like = c->algorithm->like(&c->shape, i);
        s->bone_of[i] = repeats[like]++ == 0 ? s->bone_count++ : s->bone_of[like];
    }
    s->bones = dts_alloc((size_t)s->bone_count, sizeof(*s->bones));
    l->messages =
        dts_grow(l->messages, &l->message_room, (size_t)DTS_COLL_MESSAGES * (size_t)c->channels,
                 sizeof(*l->messages));
    for (int i = 0; i < s->steps; i++)
        if (repeats[i] > 0) {
            s->bones[s->bone_of[i]].repeat = repeats[i];
            make_bone(l, s, &unit, i, &s->bones[s->bone_of[i]]);
        }
    free(repeats);
}

static const struct skeleton *find_skeleton(struct dts_loader *l, const struct dts_role *role,
                                            const struct dts_collective *c)
{
    for (size_t i = 0; i < l->skeleton_count; i++)
        if (l->skeletons[i].role == role && same_shape(l->skeletons[i].collective, c))
            return &l->skeletons[i];
    l->skeletons =
        dts_grow(l->skeletons, &l->skeleton_room, l->skeleton_count + 1, sizeof(*l->skeletons));
    make_skeleton(l, role, c, &l->skeletons[l->skeleton_count]);
    return &l->skeletons[l->skeleton_count++];
}

/* Bytes of the largest message with so many chunks: the longer chunks come first. */
static double message_bytes(const struct dts_role *role, const struct dts_collective *c,
                            int chunks)
{
    size_t first, count, parts = (size_t)c->channels;
    size_t elements = (c->data.count + parts - 1) / parts;
    size_t most = (size_t)c->algorithm->chunks(&c->shape);
    dts_coll_span(elements > most ? elements : most, (int)most, 0, chunks, &first, &count);
    return (double)count * (double)role->plan.buffers[c->data.buffer].element_bytes;
}

static void count_collective(struct dts_loader *l, const struct dts_role *role,
                             const struct dts_collective *c, int times, struct dts_load *load)
{
    const struct skeleton *s = find_skeleton(l, role, c);
    struct dts_step_time *steps_s = dts_alloc((size_t)s->steps, sizeof(*steps_s));
    load->phases = dts_alloc((size_t)s->bone_count, sizeof(*load->phases));
    load->phase_count = s->bone_count;
    for (int b = 0; b < s->bone_count; b++) {
        const struct bone *bone = &s->bones[b];
        fill_phase(l, &load->phases[b], &bone->pattern, role,
                   message_bytes(role, c, bone->chunks), bone->repeat);
        load->messages += bone->sent * bone->repeat;
    }
    for (int i = 0; i < s->steps; i++)
        steps_s[i] = step_time(&load->phases[s->bone_of[i]]);
    set_period(role, c, steps_s, load);
    free(steps_s);

    double chunk_bytes = (double)c->data.count *
                         (double)role->plan.buffers[c->data.buffer].element_bytes /
                         c->channels / c->algorithm->chunks(&c->shape);
    for (int link = 0; link < l->simulation->net->links; link++)
        l->total[link] += times * chunk_bytes * s->total[link];
}

/* All messages of an exchange are in flight together: one phase, once. The side that sends
 * counts the links, the side that receives the latency after. */
static void count_exchange(struct dts_loader *l, const struct dts_role *role,
                           const struct dts_exchange *x, struct dts_load *load)
{
    struct dts_pattern pattern;
    l->messages =
        dts_grow(l->messages, &l->message_room, (size_t)x->peer_count, sizeof(*l->messages));
    load->phases = dts_alloc(1, sizeof(*load->phases));
    load->phase_count = 1;
    load->share = 1;
    l->parcel_count = 0;
    for (int r = role->first; r < role->first + role->count; r++)
        add_parcels(l, r, dts_exchange_messages(role, x, r, l->messages));
    double bytes = largest_parcel(l);
    dts_pattern_make(l->router, l->parcels, l->parcel_count, bytes,
                     &(struct dts_pattern_wish){
                         .links = l->keep_links, .role = role, .total = l->total, .times = 1},
                     &pattern);
    fill_phase(l, load->phases, &pattern, role, bytes, 1);
    load->phases->walk_s = dts_phase_stay_s(load->phases, 1); // the rest is the receiver's
    load->messages = count_sent(l);
    dts_pattern_free(&pattern);
}

static bool alike(const struct dts_op *a, const struct dts_op *b)
{
    if (a->kind != b->kind || a->kind != DTS_OP_COLLECTIVE)
        return false;
    return a->collective.data.count == b->collective.data.count &&
           same_shape(&a->collective, &b->collective);
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
