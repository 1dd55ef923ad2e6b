#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "plan/run.h"
#include "sim/map.h"
#include "sim/skeleton.h"

/* Shards that differ by one element count as equal from so many elements on. */
enum { LARGE_SHARD = 10000 };

struct dts_skeletons {
    const struct dts_simulation *simulation;
    struct dts_skeleton *all;
    size_t count, room;
    struct dts_router *router;
    struct dts_map known; // by a hash of the messages of a step: number in patterns + 1
    struct dts_pattern **patterns; // owned
    size_t pattern_count, pattern_room;
    struct dts_pairs pairs;     // of ranks, in scripts
    bool keep_links;            // operations may overlap and have to share
    struct dts_parcel *parcels; // the messages of one step
    size_t parcel_count, parcel_room;
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

struct dts_skeletons *dts_skeletons_new(const struct dts_simulation *simulation)
{
    struct dts_skeletons *all = dts_alloc(1, sizeof(*all));
    all->simulation = simulation;
    all->keep_links = may_overlap(simulation->job);
    all->router = dts_router_new(simulation);
    return all;
}

static void skeleton_free(struct dts_skeleton *skeleton)
{
    free(skeleton->bones);
    free(skeleton->bone_of);
    free(skeleton->total);
    dts_script_free(skeleton->script);
}

void dts_skeletons_free(struct dts_skeletons *all)
{
    if (all == NULL)
        return;
    for (size_t i = 0; i < all->count; i++)
        skeleton_free(&all->all[i]);
    free(all->all);
    for (size_t i = 0; i < all->pattern_count; i++) {
        dts_pattern_free(all->patterns[i]);
        free(all->patterns[i]);
    }
    free(all->patterns);
    dts_pairs_free(&all->pairs);
    dts_map_free(&all->known);
    dts_router_free(all->router);
    free(all->parcels);
    free(all);
}

static void add_parcel(struct dts_skeletons *all, struct dts_parcel parcel)
{
    all->parcels =
        dts_grow(all->parcels, &all->parcel_room, all->parcel_count + 1, sizeof(*all->parcels));
    all->parcels[all->parcel_count++] = parcel;
}

static void step_parcels(struct dts_skeletons *all, const struct dts_role *role,
                         const struct dts_collective *c, int step,
                         struct dts_coll_message *messages)
{
    all->parcel_count = 0;
    for (int r = role->first; r < role->first + role->count; r++) {
        int count = dts_collective_step(role, c, r, step, messages);
        for (int m = 0; m < count; m++)
            add_parcel(all, (struct dts_parcel){r, messages[m].peer, messages[m].send,
                                                messages[m].add, messages[m].count});
    }
}

static void exchange_parcels(struct dts_skeletons *all, const struct dts_role *role,
                             const struct dts_exchange *x)
{
    struct dts_message *messages = dts_alloc((size_t)x->peer_count, sizeof(*messages));
    all->parcel_count = 0;
    dts_progress_begin(all->simulation->progress, "listing messages", role->count);
    for (int r = role->first; r < role->first + role->count; r++) {
        dts_progress_at(all->simulation->progress, r - role->first);
        int count = dts_exchange_messages(role, x, r, messages);
        for (int m = 0; m < count; m++)
            add_parcel(all,
                       (struct dts_parcel){r, messages[m].peer, messages[m].send,
                                           messages[m].add, (double)messages[m].data.count});
    }
    free(messages);
}

static uint64_t mix(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * 0x9e3779b97f4a7c15u; // 2^64 / the golden ratio
    return hash ^ hash >> 32;
}

/* A number for the messages of a step, in proportion to the largest: pieces that a tree sends
 * are the same messages, whatever the number of pieces. 64 bits: of a million steps, two
 * different ones have the same number with a chance of 3e-8. */
static uint64_t hash_of(const struct dts_skeletons *all, const struct dts_role *role,
                        const struct dts_bone *bone)
{
    uint64_t hash = mix((uint64_t)role->first, bone->repeat > 1);
    for (size_t i = 0; i < all->parcel_count; i++) {
        const struct dts_parcel *p = &all->parcels[i];
        double part = p->bytes / bone->chunks;
        uint64_t bits;
        memcpy(&bits, &part, sizeof(bits));
        hash = mix(hash, (uint64_t)p->self << 33 | (uint64_t)p->peer << 2 |
                             (uint64_t)p->send << 1 | p->add);
        hash = mix(hash, bits);
    }
    return hash >> 1; // a key of the map
}

/* Route the messages of a step, unless another step has the same; keep the routes for others.
 */
static void make_bone(struct dts_skeletons *all, const struct dts_role *role, bool keep,
                      struct dts_bone *bone)
{
    for (size_t i = 0; i < all->parcel_count; i++) {
        bone->chunks = fmax(bone->chunks, all->parcels[i].bytes);
        bone->sent += all->parcels[i].send;
    }
    struct dts_pattern_wish wish = {.links = all->keep_links,
                                    .hops = bone->repeat > 1,
                                    .role = role,
                                    .keep = keep,
                                    .times = bone->repeat};
    uint64_t *number = dts_map_at(&all->known, hash_of(all, role, bone));
    if (*number > 0) {
        bone->pattern = all->patterns[*number - 1];
        dts_pattern_again(all->router, all->parcels, all->parcel_count, &wish);
        return;
    }
    struct dts_pattern *pattern = dts_alloc(1, sizeof(*pattern));
    dts_pattern_make(all->router, all->parcels, all->parcel_count, bone->chunks, &wish,
                     pattern);
    all->patterns = dts_grow(all->patterns, &all->pattern_room, all->pattern_count + 1,
                             sizeof(struct dts_pattern *));
    all->patterns[all->pattern_count++] = pattern;
    *number = all->pattern_count;
    bone->pattern = pattern;
}

/* Of less data than chunks, some chunks are empty and not sent, but that changes the load by
 * some bytes only, and the latency not at all. */
static void collective_bones(struct dts_skeletons *all, struct dts_skeleton *s)
{
    const struct dts_collective *c = &s->op->collective;
    s->steps = c->algorithm->steps(&c->shape);
    s->bone_of = dts_alloc((size_t)s->steps, sizeof(*s->bone_of));
    int *repeats = dts_alloc((size_t)s->steps, sizeof(*repeats));
    for (int i = 0; i < s->steps; i++) {
        int like = c->algorithm->like(&c->shape, i);
        s->bone_of[i] = repeats[like]++ == 0 ? s->bone_count++ : s->bone_of[like];
    }
    s->bones = dts_alloc((size_t)s->bone_count, sizeof(*s->bones));
    struct dts_coll_message *messages =
        dts_alloc((size_t)DTS_COLL_MESSAGES * (size_t)c->channels, sizeof(*messages));
    for (int i = 0; i < s->steps; i++)
        if (repeats[i] > 0) {
            struct dts_bone *bone = &s->bones[s->bone_of[i]];
            bone->repeat = repeats[i];
            step_parcels(all, s->role, c, i, messages);
            make_bone(all, s->role, true, bone);
        }
    free(repeats);
    free(messages);
}

static void exchange_bone(struct dts_skeletons *all, struct dts_skeleton *s)
{
    s->steps = s->bone_count = 1;
    s->bone_of = dts_alloc(1, sizeof(*s->bone_of));
    s->bones = dts_alloc(1, sizeof(*s->bones));
    s->bones->repeat = 1;
    exchange_parcels(all, s->role, &s->op->exchange);
    make_bone(all, s->role, false, s->bones);
}

bool dts_skeleton_same(const struct dts_collective *x, const struct dts_collective *y)
{
    return x->algorithm == y->algorithm && x->channels == y->channels &&
           x->group.stride == y->group.stride && x->group.size == y->group.size &&
           x->shape.kind == y->shape.kind && x->shape.size == y->shape.size &&
           x->shape.per_node == y->shape.per_node && x->shape.shards == y->shape.shards &&
           x->shape.pieces == y->shape.pieces && x->shape.between == y->shape.between;
}

static bool same_messages(const struct dts_exchange *x, const struct dts_exchange *y)
{
    return x->send == y->send && x->relative == y->relative && x->first_peer == y->first_peer &&
           x->peer_stride == y->peer_stride && x->peer_count == y->peer_count &&
           x->every == y->every && x->part == y->part && x->add == y->add &&
           (x->part == DTS_WHOLE || (x->shards == y->shards && x->shard_base == y->shard_base));
}

/* Are the shards of this exchange as good as equal? */
static bool has_like_shards(const struct dts_exchange *x)
{
    if (x->part == DTS_WHOLE)
        return x->data.count > 0;
    size_t shards = (size_t)x->shards;
    return x->data.count / shards >= LARGE_SHARD;
}

static bool fits(const struct dts_op *x, const struct dts_op *y)
{
    if (x->kind != y->kind)
        return false;
    if (x->kind == DTS_OP_COLLECTIVE)
        return dts_skeleton_same(&x->collective, &y->collective);
    return same_messages(&x->exchange, &y->exchange) &&
           (x->exchange.data.count == y->exchange.data.count ||
            (has_like_shards(&x->exchange) && has_like_shards(&y->exchange)));
}

const struct dts_skeleton *dts_skeleton_of(struct dts_skeletons *all,
                                           const struct dts_role *role, const struct dts_op *op)
{
    for (size_t i = 0; i < all->count; i++)
        if (all->all[i].role == role && fits(all->all[i].op, op))
            return &all->all[i];
    all->all = dts_grow(all->all, &all->room, all->count + 1, sizeof(*all->all));
    struct dts_skeleton *s = &all->all[all->count++];
    *s = (struct dts_skeleton){.role = role, .op = op};
    if (op->kind == DTS_OP_COLLECTIVE)
        collective_bones(all, s);
    else
        exchange_bone(all, s);
    s->total = dts_router_total(all->router, &s->total_count);
    return s;
}

const struct dts_script *dts_skeleton_script(struct dts_skeletons *all,
                                             const struct dts_skeleton *skeleton)
{
    struct dts_skeleton *s = &all->all[skeleton - all->all];
    if (s->script == NULL)
        s->script = dts_script_new(all->simulation->net, dts_router_routes(all->router),
                                   &all->pairs, s->role, &s->op->collective);
    return s->script;
}

double dts_skeleton_most(const struct dts_skeleton *s, const struct dts_exchange *x)
{
    if (x->data.count == s->op->exchange.data.count)
        return s->bones->chunks;
    if (x->part == DTS_WHOLE)
        return (double)x->data.count;
    return ceil((double)x->data.count / x->shards);
}

double dts_skeleton_least(const struct dts_skeleton *s, const struct dts_exchange *x)
{
    if (x->data.count == s->op->exchange.data.count)
        return s->bones->chunks;
    if (x->part == DTS_WHOLE)
        return (double)x->data.count;
    return floor((double)x->data.count / x->shards);
}
