/* op_steps.c -- operations routed once for all of their shape. */
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "sim/load/full_exchange.h"
#include "sim/load/op_steps.h"
#include "sim/load/role_messages.h"
#include "sim/load/step_class.h"

/* Shards that differ by one element count as equal from so many elements on; where there are
 * too many messages to list them, from fewer on. */
enum { LARGE_SHARD = 10000, LARGE_SHARD_OF_MANY = 500 };

struct dts_op_steps_table {
    const struct dts_simulation *simulation;
    struct dts_op_steps *all;
    size_t count, room;
    struct dts_step_classes *classes;
    struct dts_rank_pairs pairs; // of ranks, in scripts
};

struct dts_op_steps_table *dts_op_steps_table_new(const struct dts_simulation *simulation)
{
    struct dts_op_steps_table *all = dts_alloc(1, sizeof(*all));
    all->simulation = simulation;
    all->classes = dts_step_classes_new(simulation);
    return all;
}

static void op_steps_free(struct dts_op_steps *steps)
{
    free(steps->classes);
    free(steps->class_of);
    free(steps->total);
    dts_script_free(steps->script);
}

void dts_op_steps_table_free(struct dts_op_steps_table *all)
{
    if (all == NULL)
        return;
    for (size_t i = 0; i < all->count; i++)
        op_steps_free(&all->all[i]);
    free(all->all);
    dts_rank_pairs_free(&all->pairs);
    dts_step_classes_free(all->classes);
    free(all);
}

/* Of less data than chunks, some chunks are empty and not sent, but that changes the load by
 * some bytes only, and the latency not at all. */
static void collective_classes(struct dts_op_steps_table *all, struct dts_op_steps *s)
{
    const struct dts_collective *c = &s->op->collective;
    s->steps = c->algorithm->steps(&c->shape);
    s->class_of = dts_alloc((size_t)s->steps, sizeof(*s->class_of));
    int *repeats = dts_alloc((size_t)s->steps, sizeof(*repeats));
    for (int i = 0; i < s->steps; i++) {
        int like = c->algorithm->like(&c->shape, i);
        s->class_of[i] = repeats[like]++ == 0 ? s->class_count++ : s->class_of[like];
    }
    s->classes = dts_alloc((size_t)s->class_count, sizeof(*s->classes));
    struct dts_coll_message *messages =
        dts_alloc((size_t)DTS_COLL_MESSAGES * (size_t)c->channels, sizeof(*messages));
    for (int i = 0; i < s->steps; i++)
        if (repeats[i] > 0) {
            struct dts_step_class *class = &s->classes[s->class_of[i]];
            class->repeat = repeats[i];
            dts_step_classes_collective(all->classes, s->cohort, c, i, messages, class);
        }
    free(repeats);
    free(messages);
}

static void exchange_classes(struct dts_op_steps_table *all, struct dts_op_steps *s)
{
    s->steps = 1;
    s->class_count =
        dts_step_classes_exchange(all->classes, s->cohort, &s->op->exchange, &s->classes);
}

bool dts_op_steps_same(const struct dts_collective *x, const struct dts_collective *y)
{
    return x->algorithm == y->algorithm && x->channels == y->channels &&
           x->orders == y->orders && dts_group_same(&x->group, &y->group) &&
           x->shape.kind == y->shape.kind && x->shape.size == y->shape.size &&
           x->shape.per_node == y->shape.per_node && x->shape.shards == y->shape.shards &&
           x->shape.pieces == y->shape.pieces && x->shape.between == y->shape.between;
}

/* Are the shards of this exchange as good as equal? */
static bool has_like_shards(const struct dts_role *role, const struct dts_exchange *x)
{
    if (x->part == DTS_WHOLE)
        return x->data.count > 0;
    size_t shards = (size_t)x->shards;
    bool many = dts_full_exchange_is(role, x);
    return x->data.count / shards >= (many ? LARGE_SHARD_OF_MANY : LARGE_SHARD);
}

static bool fits(const struct dts_role *role, const struct dts_op *x, const struct dts_op *y)
{
    if (x->kind != y->kind)
        return false;
    if (x->kind == DTS_OP_COLLECTIVE)
        return dts_op_steps_same(&x->collective, &y->collective);
    return dts_exchange_same(&x->exchange, &y->exchange) &&
           (x->exchange.data.count == y->exchange.data.count ||
            (has_like_shards(role, &x->exchange) && has_like_shards(role, &y->exchange)));
}

const struct dts_cohorts *dts_op_steps_table_cohorts(const struct dts_op_steps_table *all)
{
    return dts_step_classes_cohorts(all->classes);
}

const struct dts_op_steps *dts_op_steps_of(struct dts_op_steps_table *all, int cohort,
                                           const struct dts_op *op)
{
    for (size_t i = 0; i < all->count; i++)
        if (all->all[i].cohort == cohort && fits(all->all[i].role, all->all[i].op, op))
            return &all->all[i];
    all->all = dts_grow(all->all, &all->room, all->count + 1, sizeof(*all->all));
    struct dts_op_steps *s = &all->all[all->count++];
    *s = (struct dts_op_steps){.cohort = cohort,
                               .role = dts_step_classes_cohorts(all->classes)->all[cohort].role,
                               .op = op};
    if (op->kind == DTS_OP_COLLECTIVE)
        collective_classes(all, s);
    else
        exchange_classes(all, s);
    s->total = dts_router_total(dts_step_classes_router(all->classes), &s->total_count);
    return s;
}

const struct dts_script *dts_op_steps_script(struct dts_op_steps_table *all,
                                             const struct dts_op_steps *steps)
{
    struct dts_op_steps *s = &all->all[steps - all->all];
    if (s->script == NULL)
        s->script = dts_script_new(
            all->simulation->net, dts_router_routes(dts_step_classes_router(all->classes)),
            &all->pairs, dts_step_classes_cohorts(all->classes), s->cohort, &s->op->collective);
    return s->script;
}

double dts_op_steps_most(const struct dts_op_steps *s, const struct dts_step_class *class,
                         const struct dts_exchange *x)
{
    if (x->data.count == s->op->exchange.data.count)
        return class->chunks;
    if (x->part == DTS_WHOLE)
        return (double)x->data.count;
    return ceil((double)x->data.count / x->shards);
}

double dts_op_steps_least(const struct dts_op_steps *s, const struct dts_step_class *class,
                          const struct dts_exchange *x)
{
    if (x->data.count == s->op->exchange.data.count)
        return class->chunks;
    if (x->part == DTS_WHOLE)
        return (double)x->data.count;
    return floor((double)x->data.count / x->shards);
}
