/* shares.c -- a rank's shares, read from its plan. */
#include "train/live/kernels/shares.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "plan/run.h"
#include "train/strategy/build.h"

/* Spans in ascending order, without gaps between two that touch. */
struct spans {
    struct dts_span *spans; // owned
    int count;
    size_t room;
};

static void add(struct spans *s, struct dts_span span)
{
    s->spans = dts_grow(s->spans, &s->room, (size_t)s->count + 1, sizeof(*s->spans));
    s->spans[s->count++] = span;
}

static int by_first(const void *a, const void *b)
{
    const struct dts_span *x = a, *y = b;
    return x->first < y->first ? -1 : x->first > y->first;
}

/* Those of experts, from `dense` on, stay apart from others. */
static void tidy(struct spans *s, size_t dense)
{
    int kept = 0;
    if (s->count > 0)
        qsort(s->spans, (size_t)s->count, sizeof(*s->spans), by_first);
    for (int i = 0; i < s->count; i++) {
        if (s->spans[i].count == 0)
            continue;
        struct dts_span *last = kept > 0 ? &s->spans[kept - 1] : NULL;
        if (last != NULL && s->spans[i].first <= last->first + last->count &&
            (last->first < dense) == (s->spans[i].first < dense)) {
            const size_t end = s->spans[i].first + s->spans[i].count;
            last->count = end > last->first + last->count ? end - last->first : last->count;
        } else {
            s->spans[kept++] = s->spans[i];
        }
    }
    s->count = kept;
}

static bool same(const struct spans *a, const struct spans *b)
{
    bool equal = a->count == b->count;
    for (int i = 0; equal && i < a->count; i++)
        equal =
            a->spans[i].first == b->spans[i].first && a->spans[i].count == b->spans[i].count;
    return equal;
}

/* Of all collectives of a kind on a buffer: the data, and what of it is this rank's. Returns
 * how many there are. */
static int find(const struct dts_live_kernels *k, enum dts_coll_kind kind, int buffer,
                struct spans *all, struct spans *mine)
{
    const struct dts_plan *plan = &k->rank.role->plan;
    int count = 0;
    for (int o = 0; o < plan->op_count; o++) {
        const struct dts_collective *c = &plan->ops[o].collective;
        if (plan->ops[o].kind != DTS_OP_COLLECTIVE || c->shape.kind != kind ||
            c->data.buffer != buffer)
            continue;
        count++;
        add(all, c->data);
        for (int channel = 0; channel < c->channels; channel++)
            add(mine, dts_collective_share(k->rank.role, c, k->rank.rank, channel));
    }
    return count;
}

static bool check(const struct dts_live_kernels *k, const struct spans *all,
                  const struct spans *summed, const struct spans *gathered,
                  struct dts_error *err)
{
    const char *name = k->point->strategy->name;
    size_t covered = 0;
    for (int i = 0; i < all->count; i++)
        covered += all->spans[i].count;
    return (covered == k->parts->layout.parameters && same(summed, gathered)) ||
           dts_fail(err, DTS_UNSUPPORTED,
                    "live.compute: kernels: %s: ranks gather other parts of the weights than "
                    "those whose gradients they sum: one algorithm must do both",
                    name);
}

/* Is a gradient summed in each microbatch? Else once, at the end. */
static bool sums_often(const struct dts_plan *plan)
{
    for (int o = 0; o < plan->op_count; o++)
        if (plan->ops[o].kind == DTS_OP_COLLECTIVE && plan->ops[o].stream == DTS_SCATTER)
            return true;
    return false;
}

/* Experts that no other rank has are updated where they are, whatever divides all else. */
static void add_experts(const struct dts_layout *layout, struct spans *all,
                        struct spans *summed, struct spans *gathered)
{
    const struct dts_span experts = {DTS_GRADIENTS, layout->dense,
                                     layout->parameters - layout->dense};
    for (int i = 0; i < all->count; i++)
        if (all->spans[i].first >= layout->dense)
            return;
    add(all, experts);
    add(summed, experts);
    add(gathered, experts);
}

/* What is apart has an optimizer of its own: another rank may speak of its state. */
static void share_whole(struct dts_live_parts *parts)
{
    const size_t dense = parts->layout.dense;
    if (dense == parts->layout.parameters)
        return;
    parts->shares = dts_alloc(2, sizeof(*parts->shares));
    parts->shares[0] = (struct dts_span){DTS_GRADIENTS, 0, dense};
    parts->shares[1] =
        (struct dts_span){DTS_GRADIENTS, dense, parts->layout.parameters - dense};
    parts->share_count = 2;
}

bool dts_live_shares_find(struct dts_live_kernels *k, struct dts_error *err)
{
    struct dts_live_parts *parts = k->parts;
    struct spans all = {0}, summed = {0}, data = {0}, gathered = {0};
    if (find(k, DTS_REDUCE_SCATTER, DTS_GRADIENTS, &all, &summed) == 0) {
        share_whole(parts);
        return true;
    }
    find(k, DTS_ALLGATHER, DTS_WEIGHTS, &data, &gathered);
    add_experts(&parts->layout, &all, &summed, &gathered);
    tidy(&all, parts->layout.dense);
    tidy(&summed, parts->layout.dense);
    tidy(&gathered, parts->layout.dense);
    const bool good = check(k, &all, &summed, &gathered, err);
    if (good && sums_often(&k->rank.role->plan))
        parts->summed = dts_alloc(parts->layout.parameters, sizeof(float));
    if (summed.count == 0) // fewer values than ranks
        add(&summed, (struct dts_span){DTS_GRADIENTS, 0, 0});
    parts->shares = summed.spans;
    parts->share_count = summed.count;
    free(all.spans);
    free(data.spans);
    free(gathered.spans);
    return good;
}

/* Does an operation sum what this one leaves over replicas? */
static bool goes_on(const struct dts_plan *plan, const struct dts_op *op)
{
    const int number = (int)(op - plan->ops);
    for (int o = number + 1; o < plan->op_count; o++)
        if (plan->ops[o].kind == DTS_OP_COLLECTIVE && plan->ops[o].collective.of_share)
            return plan->ops[o].collective.scatter == number;
    return false;
}

/* Is there a microbatch whose gradients there are summed later? */
static bool is_last(const struct dts_plan *plan, const struct dts_collective *sum)
{
    for (int o = plan->op_count - 1; o >= 0; o--) {
        const struct dts_collective *c = &plan->ops[o].collective;
        if (plan->ops[o].kind == DTS_OP_COLLECTIVE && c->shape.kind == sum->shape.kind &&
            !c->of_share && c->data.buffer == DTS_GRADIENTS && c->data.first == sum->data.first)
            return c == sum;
    }
    return false;
}

/* A share joins the sums, which leaves zeros for the next microbatch to add to; with the last
 * one the sums go back, to be updated with. */
static void join_span(struct dts_live_kernels *k, const struct dts_span *share, bool last)
{
    float *gradients = k->rank.buffers[DTS_GRADIENTS] + share->first;
    float *summed = k->parts->summed + share->first;
    for (size_t i = 0; i < share->count; i++) {
        const float sum = summed[i] + gradients[i];
        gradients[i] = last ? sum : 0;
        summed[i] = last ? 0 : sum;
    }
}

static void join(struct dts_live_kernels *k, const struct dts_collective *scatter, int channel)
{
    const struct dts_span share =
        dts_collective_share(k->rank.role, scatter, k->rank.rank, channel);
    join_span(k, &share, is_last(&k->rank.role->plan, scatter));
}

/* All of a reduce-scatter's data but this rank's shares is of no use any more. */
static void clear_others(struct dts_live_kernels *k, const struct dts_collective *c)
{
    float *gradients = k->rank.buffers[DTS_GRADIENTS];
    size_t at = c->data.first;
    for (int channel = 0; channel < c->channels; channel++) {
        const struct dts_span share =
            dts_collective_share(k->rank.role, c, k->rank.rank, channel);
        if (share.count == 0)
            continue;
        memset(gradients + at, 0, (share.first - at) * sizeof(float));
        at = share.first + share.count;
    }
    memset(gradients + at, 0, (c->data.first + c->data.count - at) * sizeof(float));
}

void dts_live_shares_summed(struct dts_live_kernels *k, const struct dts_op *op)
{
    const struct dts_plan *plan = &k->rank.role->plan;
    const struct dts_collective *c = &op->collective;
    if (k->parts == NULL || k->parts->summed == NULL || op->kind != DTS_OP_COLLECTIVE ||
        c->made.copied)
        return;
    if (c->of_share)
        join(k, &plan->ops[c->scatter].collective, c->scatter_channel);
    else if (c->shape.kind == DTS_ALLREDUCE && c->data.buffer == DTS_GRADIENTS)
        join_span(k, &c->data, is_last(plan, c)); // of experts that no two shards divide
    if (c->shape.kind != DTS_REDUCE_SCATTER)
        return;
    clear_others(k, c);
    for (int channel = 0; channel < c->channels && !goes_on(plan, op); channel++)
        join(k, c, channel);
}
