/* gradients.c -- the gradients of a stage: their order, and who sums them.
 *
 * Replicas of a stage sum them in buckets as replicas of a whole network do. A weight that the
 * first and the last stage share, as the embedding of GPT-2, has a copy on each: both halves of
 * its gradient are summed at once, one on either side, and then exchanged (an all-reduce of two
 * ranks).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "train/strategy/mesh/stage_private.h"

double dts_stage_input_share(const struct dts_point *point, int layer)
{
    const struct dts_layer *l = &point->scenario->model.layers[layer];
    if (l->param_count == 0 && l->tied_to < 0)
        return 1;
    return l->cost.backward_flops > 0 ? l->cost.input_flops / l->cost.backward_flops : 1;
}

static void add(struct dts_stage_work *w, size_t *room, size_t elements, int layer)
{
    if (elements == 0)
        return;
    w->gradients =
        dts_grow(w->gradients, room, (size_t)w->gradient_count + 1, sizeof(*w->gradients));
    w->gradients[w->gradient_count++] = (struct dts_gradient){elements, layer};
    w->parameters += elements;
}

static bool is_here(const struct dts_stage_work *w, int layer)
{
    for (int c = 0; c < w->chunks; c++) {
        const struct dts_part_of_model *part = dts_stage_part(w, c);
        if (layer >= part->first && layer <= part->last)
            return true;
    }
    return false;
}

void dts_stage_ready(struct dts_stage_work *w, int first, int last, int op)
{
    const struct dts_model *m = &w->stage->point->scenario->model;
    for (int l = first; l <= last; l++) {
        w->ready[l] = op;
        if (m->layers[l].tied_to >= 0 && is_here(w, m->layers[l].tied_to))
            w->ready[m->layers[l].tied_to] = op;
    }
}

/* The gradients of the layers of a part that all replicas have, or of experts alone. */
static void add_part(struct dts_stage_work *w, const struct dts_part_of_model *part,
                     bool experts, size_t *room)
{
    const struct dts_model *m = &w->stage->point->scenario->model;
    const struct dts_cut_layer *mine = w->stage->cut->layers;
    for (int l = part->last; l >= part->first; l--) {
        const struct dts_layer *layer = &m->layers[l];
        for (int p = layer->param_count - 1; p >= 0; p--)
            if (dts_stage_of_expert(w->stage->shape, &mine[l], p) == experts)
                add(w, room, mine[l].params[p], l);
        if (!experts && layer->tied_to >= 0 && !is_here(w, layer->tied_to))
            add(w, room, mine[layer->tied_to].params[0], l);
    }
}

void dts_stage_gradients(struct dts_stage_work *w)
{
    size_t room = 0;
    for (int experts = 0; experts < 2; experts++) {
        for (int c = w->chunks - 1; c >= 0; c--)
            add_part(w, dts_stage_part(w, c), experts == 1, &room);
        if (experts == 0) {
            w->dense_count = w->gradient_count;
            w->dense_parameters = w->parameters;
        }
    }
    dts_plan_buffer(w->stage->plan, w->parameters, dts_point_wire_bytes(w->stage->point));
    const bool gathered = w->stage->shape->shards > 1;
    const bool averaged = !gathered && w->stage->mesh->synchrony.local_steps > 0; // in fp32
    dts_plan_buffer(w->stage->plan, gathered || averaged ? w->parameters : 0,
                    averaged ? sizeof(float)
                             : dts_precision_bytes(w->stage->point->scenario->precision));
}

/* The first element of a layer's last listed tensor: its table, or the copy of a tied one. */
static size_t offset_of(const struct dts_stage_work *w, int layer)
{
    size_t at = 0, found = 0;
    for (int i = 0; i < w->gradient_count; i++) {
        if (w->gradients[i].layer == layer)
            found = at;
        at += w->gradients[i].elements;
    }
    return found;
}

/* The last call of all. */
static int last_call(const struct dts_plan *plan)
{
    int last = 0;
    for (int o = 0; o < plan->op_count; o++)
        last = plan->ops[o].stream == DTS_COMPUTE ? o : last;
    return last;
}

static int part_count(const struct dts_stage_work *w)
{
    return dts_pipeline_parts(w->stage->mesh->schedule, w->stage->pipeline);
}

/* The layer that uses a weight of the first stage on the last one; -1: none does. */
static int find_tied(const struct dts_stage_work *w)
{
    const struct dts_model *m = &w->stage->point->scenario->model;
    const struct dts_part_of_model *parts = w->stage->parts, *last = &parts[part_count(w) - 1];
    for (int l = last->first; l <= last->last; l++)
        if (m->layers[l].tied_to >= 0 && m->layers[l].tied_to <= parts[0].last)
            return l;
    return -1;
}

/* The gradient of a weight that this stage shares with another one; false: it shares none. */
static bool tied_span(const struct dts_stage_work *w, struct dts_span *span)
{
    const struct dts_model *m = &w->stage->point->scenario->model;
    const int user = find_tied(w), s = w->stage->number;
    if (w->stages == 1 || user < 0 || (s > 0 && s + 1 < w->stages) ||
        (is_here(w, user) && is_here(w, m->layers[user].tied_to)))
        return false;
    const int owner = m->layers[user].tied_to;
    *span = (struct dts_span){DTS_GRADIENTS, offset_of(w, s == 0 ? owner : user),
                              w->stage->cut->layers[owner].params[0]};
    return true;
}

int dts_stage_pieces(const struct dts_stage_work *w, struct dts_span span,
                     struct dts_span pieces[DTS_STAGE_PIECES])
{
    struct dts_span tied;
    int count = 0;
    pieces[0] = span;
    if (w->stage->shape->shards == 1 || !tied_span(w, &tied) || tied.first < span.first ||
        tied.first + tied.count > span.first + span.count)
        return 1;
    const size_t ends[DTS_STAGE_PIECES] = {tied.first, tied.first + tied.count,
                                           span.first + span.count};
    for (size_t at = span.first, i = 0; i < DTS_STAGE_PIECES; at = ends[i++])
        if (ends[i] > at)
            pieces[count++] = (struct dts_span){span.buffer, at, ends[i] - at};
    return count;
}

/* What comes behind the sums over replicas: those over positions, and copies for the host. */
static void add_last(struct dts_stage_work *w, const struct dts_bucket *buckets, int count,
                     const int *ops, int first)
{
    const struct dts_mesh *mesh = w->stage->mesh;
    const int summed = dts_stage_sum_positions(w, first);
    const bool copies =
        mesh->offload != DTS_OFFLOAD_NOTHING && mesh->sharded < DTS_SHARDED_GRADIENTS;
    for (int b = 0; b < count && copies; b++) {
        const struct dts_span span = dts_bucket_span(buckets, b, DTS_GRADIENTS);
        w->offloaded = dts_stage_copy(w, "gradients to the host", dts_stage_part_bytes(w, span),
                                      summed >= 0 ? summed : ops[b]);
    }
}

/* Sums over the replicas, where that was not done in each microbatch; ops: after which the
 * gradients of each bucket are there. */
static void add_buckets(struct dts_stage_work *w, const struct dts_bucket *buckets, int count,
                        int *ops)
{
    const struct dts_mesh *mesh = w->stage->mesh;
    const int end = last_call(w->stage->plan), begin = w->stage->plan->op_count;
    const bool twice = dts_pipeline_copies(mesh->schedule) > 1;
    struct dts_twin_sum *sums = dts_alloc((size_t)count + 1, sizeof(*sums));
    for (int b = 0; b < count && !w->failed; b++) {
        const int ready = mesh->overlap ? w->ready[buckets[b].ready_after] : end;
        const int first = w->stage->plan->op_count;
        const struct dts_span span = dts_bucket_span(buckets, b, DTS_GRADIENTS);
        ops[b] = ready;
        if (twice)
            sums[b] = dts_stage_twin_sum(w, b, span, ready);
        else if (mesh->sharded < DTS_SHARDED_GRADIENTS)
            ops[b] = dts_stage_reduce(w, DTS_DATA, b, span, ready);
        else if (w->reduced[0] >= 0) // tied weights are not of experts
            ops[b] = w->reduced[0];
        for (int o = first; o < w->stage->plan->op_count; o++)
            w->stage->plan->ops[o].bucket = b;
    }
    for (int b = 0; b < count && twice && !w->failed; b++) {
        const bool divided = dts_stage_divides(w, dts_bucket_span(buckets, b, DTS_GRADIENTS));
        ops[b] = divided ? sums[b].done : dts_stage_twin_exchange(w, &sums[b]);
    }
    free(sums);
    if (!w->failed)
        add_last(w, buckets, count, ops, begin);
}

/* The operation after which an element's gradient is the sum over replicas. */
static int summed_at(const struct dts_bucket *buckets, int count, const int *ops,
                     size_t element)
{
    int b = 0;
    for (size_t end = buckets[0].elements; b + 1 < count && element >= end;)
        end += buckets[++b].elements;
    return ops[b];
}

/* A tied weight between the first stage, which owns it, and the last one. */
struct tie {
    int distance;              // to the other rank
    bool owner;                // this is the first stage
    struct dts_span low, high; // halves of the gradient
    int after;                 // the operation that leaves this stage's sum
};

static int add_half(struct dts_stage_work *w, const struct tie *tie, bool low, bool to_last,
                    bool sum)
{
    const bool send = tie->owner == to_last;
    const struct dts_exchange x = {
        .send = send,
        .relative = true,
        .first_peer = tie->distance,
        .peer_stride = 1,
        .peer_count = 1,
        .data = low ? tie->low : tie->high,
        .part = DTS_WHOLE,
        .add = sum && !send,
    };
    return dts_plan_exchange(w->stage->plan, to_last ? DTS_PUSH : DTS_PULL,
                             sum ? "sum tied weights" : "exchange tied weights", x);
}

/* First the owner sums the low half and the last stage the high one; then each tells the
 * other. */
static void add_tie(struct dts_stage_work *w, const struct tie *tie)
{
    struct dts_plan *plan = w->stage->plan;
    const int high = add_half(w, tie, false, true, true);
    dts_plan_after(plan, tie->after);
    const int low = add_half(w, tie, true, false, true);
    dts_plan_after(plan, tie->after);
    add_half(w, tie, true, true, false);
    dts_plan_after(plan, low);
    add_half(w, tie, false, false, false);
    dts_plan_after(plan, high);
}

/* Only the first and the last part may share a weight. */
static bool check_tied(const struct dts_stage_work *w, struct dts_error *err)
{
    const struct dts_model *m = &w->stage->point->scenario->model;
    const int parts = part_count(w);
    for (int i = 0; i < parts; i++)
        for (int l = w->stage->parts[i].first; l <= w->stage->parts[i].last; l++) {
            const int owner = m->layers[l].tied_to, all = m->layers[l].shares;
            if (all >= 0 && all < w->stage->parts[i].first)
                return dts_point_fail(w->stage->point, err,
                                      "%s: layer %s has the weights of %s, which is on another "
                                      "stage",
                                      w->stage->point->strategy->name, m->layers[l].name,
                                      m->layers[all].name);
            const bool same = owner >= w->stage->parts[i].first;
            const bool ends = i == parts - 1 && owner <= w->stage->parts[0].last;
            if (owner >= 0 && !same && !ends)
                return dts_point_fail(w->stage->point, err,
                                      "%s: layer %s shares the weight of %s, which is on a "
                                      "stage other than the first",
                                      w->stage->point->strategy->name, m->layers[l].name,
                                      m->layers[owner].name);
        }
    return true;
}

static void add_ties(struct dts_stage_work *w, const struct dts_bucket *buckets, int count,
                     const int *ops)
{
    const int s = w->stage->number;
    struct dts_span all;
    if (!tied_span(w, &all))
        return;
    const size_t half = all.count / 2;
    const struct tie tie = {
        .distance = (s == 0 ? 1 : -1) * (w->stages - 1) * w->stage->shape->stage_ranks,
        .owner = s == 0,
        .low = {DTS_GRADIENTS, all.first, half},
        .high = {DTS_GRADIENTS, all.first + half, all.count - half},
        .after = summed_at(buckets, count, ops, all.first + all.count - 1),
    };
    add_tie(w, &tie);
}

/* The gradients that lie in a piece become buckets behind those that are there. */
static void add_some(struct dts_stage_work *w, const struct dts_span *piece, int *from,
                     struct dts_bucket **buckets, int *count)
{
    size_t elements = 0;
    int end = *from;
    while (end < w->gradient_count && elements < piece->count)
        elements += w->gradients[end++].elements;
    if (end == *from) // a stage without parameters
        return;
    struct dts_bucket *more = NULL;
    const int added = dts_buckets_of(w->gradients + *from, end - *from, &w->stage->mesh->policy,
                                     dts_point_wire_bytes(w->stage->point), &more);
    struct dts_bucket *all = dts_alloc((size_t)(*count + added) + 1, sizeof(*all));
    if (*count > 0)
        memcpy(all, *buckets, (size_t)*count * sizeof(*all));
    if (added > 0)
        memcpy(all + *count, more, (size_t)added * sizeof(*all));
    free(more);
    free(*buckets);
    *buckets = all;
    *count += added;
    *from = end;
}

bool dts_stage_exchange(struct dts_stage_work *w, struct dts_bucket **buckets, int *count,
                        struct dts_error *err)
{
    *buckets = NULL;
    *count = 0;
    if (!check_tied(w, err))
        return false;
    struct dts_span pieces[DTS_STAGE_PIECES];
    const size_t dense = w->dense_parameters;
    const struct dts_span experts = {DTS_GRADIENTS, dense, w->parameters - dense};
    const int piece_count =
        dts_stage_pieces(w, (struct dts_span){DTS_GRADIENTS, 0, dense}, pieces);
    int from = 0;
    for (int i = 0; i < piece_count; i++)
        add_some(w, &pieces[i], &from, buckets, count);
    if (experts.count > 0) // a bucket has gradients of experts alone, or none
        add_some(w, &experts, &from, buckets, count);
    int *ops = dts_alloc((size_t)*count + 1, sizeof(*ops));
    add_buckets(w, *buckets, *count, ops);
    if (!w->failed && *count > 0)
        add_ties(w, *buckets, *count, ops);
    free(ops);
    return !w->failed;
}
