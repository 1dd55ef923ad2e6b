/* bones.c -- classes of steps become patterns; which of them have the same. */
#include "sim/load/bones.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/mem.h"
#include "plan/run.h"
#include "sim/net/map.h"

/* A pattern, and what a step like it needs to be counted without its messages. */
struct known {
    struct dts_pattern *pattern;
    double sent;
    int sender; // a rank that sends
};

struct dts_bones {
    const struct dts_simulation *simulation;
    struct dts_router *router;
    struct dts_cohorts cohorts;
    struct dts_map known;   // by a hash of the messages of a step: number in patterns + 1
    struct dts_map stated;  // by a hash of the state of a collective (coll.h): the same
    struct known *patterns; // their patterns are owned
    size_t pattern_count, pattern_room;
    bool keep_links;            // operations may overlap and have to share
    struct dts_parcel *parcels; // the messages of one step
    size_t parcel_count, parcel_room;
    struct dts_parcel *listed; // those of an exchange, to all cohorts
    size_t listed_count, listed_room;
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

struct dts_bones *dts_bones_new(const struct dts_simulation *simulation)
{
    struct dts_bones *all = dts_alloc(1, sizeof(*all));
    all->simulation = simulation;
    all->keep_links = may_overlap(simulation->job);
    all->router = dts_router_new(simulation);
    dts_cohorts_find(simulation, &all->cohorts);
    return all;
}

void dts_bones_free(struct dts_bones *all)
{
    for (size_t i = 0; i < all->pattern_count; i++) {
        dts_pattern_free(all->patterns[i].pattern);
        free(all->patterns[i].pattern);
    }
    free(all->patterns);
    dts_map_free(&all->known);
    dts_map_free(&all->stated);
    dts_router_free(all->router);
    dts_cohorts_free(&all->cohorts);
    free(all->parcels);
    free(all->listed);
    free(all);
}

struct dts_router *dts_bones_router(struct dts_bones *all)
{
    return all->router;
}

const struct dts_cohorts *dts_bones_cohorts(const struct dts_bones *all)
{
    return &all->cohorts;
}

static void add_parcel(struct dts_bones *all, struct dts_parcel parcel)
{
    all->parcels =
        dts_grow(all->parcels, &all->parcel_room, all->parcel_count + 1, sizeof(*all->parcels));
    all->parcels[all->parcel_count++] = parcel;
}

static void step_parcels(struct dts_bones *all, int cohort, const struct dts_collective *c,
                         int step, struct dts_coll_message *messages)
{
    const struct dts_role *role = all->cohorts.all[cohort].role;
    all->parcel_count = 0;
    for (int r = role->first; r < role->first + role->count; r++) {
        if (all->cohorts.of[r] != cohort)
            continue;
        int count = dts_collective_step(role, c, r, step, messages);
        for (int m = 0; m < count; m++)
            add_parcel(all, (struct dts_parcel){r, messages[m].peer, messages[m].send,
                                                messages[m].add, messages[m].count});
    }
}

/* All messages of an exchange of a cohort. */
static void list_parcels(struct dts_bones *all, int cohort, const struct dts_exchange *x)
{
    const struct dts_role *role = all->cohorts.all[cohort].role;
    struct dts_message *messages = dts_alloc((size_t)x->peer_count, sizeof(*messages));
    all->parcel_count = 0;
    dts_progress_begin(all->simulation->progress, "listing messages", role->count);
    for (int r = role->first; r < role->first + role->count; r++) {
        dts_progress_at(all->simulation->progress, r - role->first);
        int count =
            all->cohorts.of[r] == cohort ? dts_exchange_messages(role, x, r, messages) : 0;
        for (int m = 0; m < count; m++)
            add_parcel(all,
                       (struct dts_parcel){r, messages[m].peer, messages[m].send,
                                           messages[m].add, (double)messages[m].data.count});
    }
    free(messages);
    all->listed =
        dts_grow(all->listed, &all->listed_room, all->parcel_count, sizeof(*all->listed));
    all->listed_count = all->parcel_count;
    for (size_t i = 0; i < all->listed_count; i++)
        all->listed[i] = all->parcels[i];
}

static bool goes_by(const struct dts_bones *all, const struct dts_parcel *p, int transport)
{
    const struct dts_net *net = all->simulation->net;
    const int *endpoint = all->simulation->endpoint;
    int src = p->send ? p->self : p->peer, dst = p->send ? p->peer : p->self;
    return net->ops->transport(net->self, endpoint[src], endpoint[dst]) == transport;
}

/* Of those that are listed the ones to and from a cohort by a transport. */
static void pick_parcels(struct dts_bones *all, struct dts_far_side far)
{
    all->parcel_count = 0;
    for (size_t i = 0; i < all->listed_count; i++)
        if (all->cohorts.of[all->listed[i].peer] == far.cohort &&
            goes_by(all, &all->listed[i], far.transport))
            add_parcel(all, all->listed[i]);
}

/* A number for the messages of a step, in proportion to the largest: pieces that a tree sends
 * are the same messages, whatever the number of pieces. 64 bits: of a million steps, two
 * different ones have the same number with a chance of 3e-8. */
static uint64_t hash_of(const struct dts_bones *all, int cohort, const struct dts_bone *bone)
{
    uint64_t hash = dts_mix((uint64_t)cohort, bone->repeat > 1);
    for (size_t i = 0; i < all->parcel_count; i++) {
        const struct dts_parcel *p = &all->parcels[i];
        double part = p->bytes / bone->chunks;
        hash = dts_mix(hash, (uint64_t)p->self << 33 | (uint64_t)p->peer << 2 |
                                 (uint64_t)p->send << 1 | p->add);
        hash = dts_mix(hash, dts_bits_of(part));
    }
    return hash >> 1; // a key of the map
}

/* Add a pattern of the messages at hand; returns its number + 1. */
static size_t add_pattern(struct dts_bones *all, const struct dts_pattern_wish *wish,
                          const struct dts_bone *bone)
{
    struct known known = {dts_alloc(1, sizeof(*known.pattern)), bone->sent, wish->role->first};
    dts_pattern_make(all->router, all->parcels, all->parcel_count, bone->chunks, wish,
                     known.pattern);
    for (size_t i = 0; i < all->parcel_count; i++)
        if (all->parcels[i].send) {
            known.sender = all->parcels[i].self;
            break;
        }
    all->patterns = dts_grow(all->patterns, &all->pattern_room, all->pattern_count + 1,
                             sizeof(*all->patterns));
    all->patterns[all->pattern_count++] = known;
    return all->pattern_count;
}

/* Route the messages of a step, unless another step has the same; keep the routes for others.
 * Returns the number of the pattern + 1. */
static size_t make_bone(struct dts_bones *all, int cohort, bool keep, bool pairs,
                        struct dts_bone *bone)
{
    for (size_t i = 0; i < all->parcel_count; i++) {
        bone->chunks = fmax(bone->chunks, all->parcels[i].bytes);
        bone->sent += all->parcels[i].send;
    }
    struct dts_pattern_wish wish = {.links = all->keep_links,
                                    .hops = bone->repeat > 1,
                                    .pairs = pairs,
                                    .role = all->cohorts.all[cohort].role,
                                    .keep = keep,
                                    .times = bone->repeat};
    uint64_t *number = dts_map_at(&all->known, hash_of(all, cohort, bone));
    if (*number > 0)
        dts_pattern_again(all->router, all->parcels, all->parcel_count, &wish);
    else
        *number = add_pattern(all, &wish, bone);
    bone->pattern = all->patterns[*number - 1].pattern;
    return *number;
}

/* As hash_of(), of what the messages follow from. */
static uint64_t hash_of_state(int cohort, const struct dts_collective *c, uint64_t state,
                              const struct dts_bone *bone)
{
    const struct dts_coll_shape *s = &c->shape;
    const uint64_t words[] = {
        (uint64_t)cohort,
        (uint64_t)c->group.stride,
        (uint64_t)c->group.size,
        (uint64_t)c->channels,
        (uint64_t)(uintptr_t)c->algorithm,
        (uint64_t)s->kind,
        (uint64_t)s->size,
        (uint64_t)s->per_node,
        (uint64_t)s->shards,
        (uint64_t)(uintptr_t)s->between,
        bone->repeat > 1,
    };
    uint64_t hash = dts_mix(0, state);
    for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
        hash = dts_mix(hash, words[i]);
    return hash >> 1; // a key of the map
}

/* A step with the messages of a known pattern, all of one size: that of any of them says all.
 */
static void repeat_bone(struct dts_bones *all, const struct dts_role *role,
                        const struct dts_collective *c, int step, const struct known *known,
                        struct dts_coll_message *messages, struct dts_bone *bone)
{
    int count = dts_collective_step(role, c, known->sender, step, messages);
    for (int m = 0; m < count; m++)
        bone->chunks = fmax(bone->chunks, messages[m].count);
    bone->sent = known->sent;
    bone->pattern = known->pattern;
    dts_pattern_repeat(all->router, known->pattern, bone->chunks, bone->repeat);
}

void dts_bones_collective(struct dts_bones *all, int cohort, const struct dts_collective *c,
                          int step, struct dts_coll_message *messages, struct dts_bone *bone)
{
    uint64_t state = c->algorithm->state != NULL ? c->algorithm->state(&c->shape, step) : 0;
    uint64_t key = hash_of_state(cohort, c, state, bone);
    uint64_t number = state != 0 ? *dts_map_at(&all->stated, key) : 0;
    if (number > 0 && all->patterns[number - 1].pattern->pairs != NULL) {
        repeat_bone(all, all->cohorts.all[cohort].role, c, step, &all->patterns[number - 1],
                    messages, bone);
        return;
    }
    step_parcels(all, cohort, c, step, messages);
    number = make_bone(all, cohort, true, state != 0, bone);
    if (state != 0)
        *dts_map_at(&all->stated, key) = number;
}

int dts_bones_exchange(struct dts_bones *all, int cohort, const struct dts_exchange *x,
                       struct dts_bone **made)
{
    int count = 0;
    struct dts_bone *bones = dts_alloc(2 * (size_t)all->cohorts.count, sizeof(*bones));
    list_parcels(all, cohort, x);
    for (int i = 0; i < 2 * all->cohorts.count; i++) {
        struct dts_far_side far = {i / 2, i % 2};
        pick_parcels(all, far);
        if (all->parcel_count == 0)
            continue;
        bones[count] = (struct dts_bone){.repeat = 1, .far = far};
        make_bone(all, cohort, false, false, &bones[count++]);
    }
    *made = bones;
    return count;
}
