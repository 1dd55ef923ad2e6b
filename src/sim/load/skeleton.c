/* skeleton.c -- operations routed once for all of their shape. */
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "sim/load/bones.h"
#include "sim/load/notices.h"
#include "sim/load/skeleton.h"

/* Shards that differ by one element count as equal from so many elements on. */
enum { LARGE_SHARD = 10000 };

struct dts_skeletons {
    const struct dts_simulation *simulation;
    struct dts_skeleton *all;
    size_t count, room;
    struct dts_bones *bones;
    struct dts_rank_pairs pairs; // of ranks, in scripts
};

struct dts_skeletons *dts_skeletons_new(const struct dts_simulation *simulation)
{
    struct dts_skeletons *all = dts_alloc(1, sizeof(*all));
    all->simulation = simulation;
    all->bones = dts_bones_new(simulation);
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
    dts_rank_pairs_free(&all->pairs);
    dts_bones_free(all->bones);
    free(all);
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
            dts_bones_collective(all->bones, s->cohort, c, i, messages, bone);
        }
    free(repeats);
    free(messages);
}

static void exchange_bone(struct dts_skeletons *all, struct dts_skeleton *s)
{
    s->steps = 1;
    s->bone_count = dts_bones_exchange(all->bones, s->cohort, &s->op->exchange, &s->bones);
}

bool dts_skeleton_same(const struct dts_collective *x, const struct dts_collective *y)
{
    return x->algorithm == y->algorithm && x->channels == y->channels &&
           dts_group_same(&x->group, &y->group) && x->shape.kind == y->shape.kind &&
           x->shape.size == y->shape.size && x->shape.per_node == y->shape.per_node &&
           x->shape.shards == y->shape.shards && x->shape.pieces == y->shape.pieces &&
           x->shape.between == y->shape.between;
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
    return dts_exchange_same(&x->exchange, &y->exchange) &&
           (x->exchange.data.count == y->exchange.data.count ||
            (has_like_shards(&x->exchange) && has_like_shards(&y->exchange)));
}

const struct dts_cohorts *dts_skeletons_cohorts(const struct dts_skeletons *all)
{
    return dts_bones_cohorts(all->bones);
}

const struct dts_skeleton *dts_skeleton_of(struct dts_skeletons *all, int cohort,
                                           const struct dts_op *op)
{
    for (size_t i = 0; i < all->count; i++)
        if (all->all[i].cohort == cohort && fits(all->all[i].op, op))
            return &all->all[i];
    all->all = dts_grow(all->all, &all->room, all->count + 1, sizeof(*all->all));
    struct dts_skeleton *s = &all->all[all->count++];
    *s = (struct dts_skeleton){
        .cohort = cohort, .role = dts_bones_cohorts(all->bones)->all[cohort].role, .op = op};
    if (op->kind == DTS_OP_COLLECTIVE)
        collective_bones(all, s);
    else
        exchange_bone(all, s);
    s->total = dts_router_total(dts_bones_router(all->bones), &s->total_count);
    return s;
}

const struct dts_script *dts_skeleton_script(struct dts_skeletons *all,
                                             const struct dts_skeleton *skeleton)
{
    struct dts_skeleton *s = &all->all[skeleton - all->all];
    if (s->script == NULL)
        s->script = dts_script_new(
            all->simulation->net, dts_router_routes(dts_bones_router(all->bones)), &all->pairs,
            dts_bones_cohorts(all->bones), s->cohort, &s->op->collective);
    return s->script;
}

double dts_skeleton_most(const struct dts_skeleton *s, const struct dts_bone *bone,
                         const struct dts_exchange *x)
{
    if (x->data.count == s->op->exchange.data.count)
        return bone->chunks;
    if (x->part == DTS_WHOLE)
        return (double)x->data.count;
    return ceil((double)x->data.count / x->shards);
}

double dts_skeleton_least(const struct dts_skeleton *s, const struct dts_bone *bone,
                          const struct dts_exchange *x)
{
    if (x->data.count == s->op->exchange.data.count)
        return bone->chunks;
    if (x->part == DTS_WHOLE)
        return (double)x->data.count;
    return floor((double)x->data.count / x->shards);
}
