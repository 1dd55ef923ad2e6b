/* shard.c -- weights, gradients and state of the optimizer divided over the ranks of the axis
 * "shard" (ZeRO; Rajbhandari et al. 2020, arXiv:1910.02054. FSDP; Zhao et al. 2023,
 * arXiv:2304.11277).
 *
 *     optimizer     gradients are reduce-scattered at the end; each rank updates its part of
 * the weights, and all gather them gradients     they are reduce-scattered in each microbatch,
 * round by round parameters    weights are gathered round by round before a pass needs them,
 * too
 *
 *     compute   fwd h.0 | fwd h.1 | ...  | bwd h.1 | bwd h.0
 *     gather    h.0 | h.1 | h.2 ...      | h.0
 *     scatter                                      | h.1 | h.0
 *
 * Where replicas are on the axis "data", too (hybrid sharding), they sum what a rank has then.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "train/strategy/mesh/stage_private.h"

static const char *const words[] = {"nothing", "optimizer", "gradients", "parameters", NULL};

const char *dts_sharded_name(int i)
{
    return words[i];
}

/* Where the gradients of layers lie in the buffer: of experts, or of all else. */
static struct dts_span span_of(const struct dts_stage_work *w, int first, int last, int buffer,
                               bool experts)
{
    struct dts_span span = {.buffer = buffer};
    size_t at = experts ? w->dense_parameters : 0;
    const int end = experts ? w->gradient_count : w->dense_count;
    for (int i = experts ? w->dense_count : 0; i < end; i++) {
        const struct dts_gradient *g = &w->gradients[i];
        if (g->layer >= first && g->layer <= last) {
            if (span.count == 0)
                span.first = at;
            span.count += g->elements;
        }
        at += g->elements;
    }
    return span;
}

int dts_stage_collect(struct dts_stage_work *w, enum dts_stream stream,
                      enum dts_mesh_among among, enum dts_coll_kind kind, const char *label,
                      struct dts_span data)
{
    const struct dts_stage *stage = w->stage;
    const struct dts_coll_use use = {&stage->mesh->choice, stage->point,
                                     dts_mesh_members(stage->point, stage->shape, among), kind};
    const int op =
        w->failed ? -1 : dts_coll_add(&use, stage->plan, stream, label, data, w->err);
    w->failed = op < 0;
    return op < 0 ? 0 : op;
}

/* Do several ranks that have the same data sum it in some steps? */
static bool meets(const struct dts_stage_work *w, enum dts_mesh_among copies)
{
    return dts_stage_group_size(w, copies) > 1 &&
           dts_synchrony_sums(&w->stage->mesh->synchrony);
}

/* Ranks that have the same data sum it, in the steps in which they do. */
static int sum_copies(struct dts_stage_work *w, enum dts_mesh_among copies, const char *label,
                      struct dts_span data)
{
    const int op = dts_stage_collect(w, DTS_DATA, copies, DTS_ALLREDUCE, label, data);
    if (!w->failed)
        w->stage->plan->ops[op].when = dts_synchrony_gradients(&w->stage->mesh->synchrony);
    return op;
}

/* The most that a member of a reduce-scatter has of one channel afterwards. */
static size_t most_of(const struct dts_collective *c, int channel)
{
    const int chunks = c->algorithm->chunks(&c->shape);
    size_t ignored, all, most = 0;
    dts_coll_span(c->data.count, c->channels, channel, 1, &ignored, &all);
    for (int m = 0; m < c->group.size; m++) {
        int first, count;
        size_t share;
        dts_coll_share(c->algorithm, &c->shape, m, &first, &count);
        dts_coll_span(all, chunks, first, count, &ignored, &share);
        most = share > most ? share : most;
    }
    return most;
}

/* Ranks that have the same part sum what each has after a reduce-scatter: its part of each
 * channel. Returns the last operation. */
static int reduce_shares(struct dts_stage_work *w, int scatter, int number)
{
    struct dts_plan *plan = w->stage->plan;
    const struct dts_collective done = plan->ops[scatter].collective;
    const enum dts_mesh_among copies = dts_stage_copies_of(w, &done.data);
    int op = scatter;
    for (int channel = 0; channel < done.channels && !w->failed; channel++) {
        const struct dts_span most = {done.data.buffer, done.data.first,
                                      most_of(&done, channel)};
        char label[32];
        snprintf(label, sizeof(label), "all-reduce %d", number);
        const int sum = sum_copies(w, copies, label, most);
        if (w->failed)
            break;
        struct dts_collective *c = &plan->ops[sum].collective;
        c->of_share = true;
        c->scatter = scatter;
        c->scatter_channel = channel;
        dts_plan_after(plan, op);
        op = sum;
    }
    return op;
}

int dts_stage_sum(struct dts_stage_work *w, enum dts_stream stream, int number,
                  struct dts_span span, int after)
{
    const enum dts_mesh_among shards = dts_stage_shards_of(w, &span),
                              copies = dts_stage_copies_of(w, &span);
    const bool scatters = dts_stage_group_size(w, shards) > 1, sums = meets(w, copies);
    char label[32];
    const bool whole = w->stage->mesh->sharded == DTS_SHARDED_OPTIMIZER &&
                       w->stage->point->scenario->stack.sharded_allreduce;
    const bool parts = scatters && !whole;
    snprintf(label, sizeof(label), "%s %d", parts ? "reduce-scatter" : "all-reduce", number);
    int op = scatters
                 ? dts_stage_collect(w, stream, shards,
                                     parts ? DTS_REDUCE_SCATTER : DTS_ALLREDUCE, label, span)
                 : sum_copies(w, copies, label, span);
    if (!w->failed)
        dts_plan_after(w->stage->plan, after);
    if (!scatters || !sums || w->failed)
        return op;
    if (parts)
        return reduce_shares(w, op, number);
    after = op;
    op = sum_copies(w, copies, label, span);
    if (!w->failed)
        dts_plan_after(w->stage->plan, after);
    return op;
}

int dts_stage_reduce(struct dts_stage_work *w, enum dts_stream stream, int number,
                     struct dts_span span, int after)
{
    if (dts_stage_group_size(w, dts_stage_shards_of(w, &span)) == 1 &&
        !meets(w, dts_stage_copies_of(w, &span)))
        return after;
    if (w->stage->mesh->compression != NULL)
        return dts_stage_sum_messages(w, number, span, after);
    return dts_stage_sum(w, stream, number, span, after);
}

static int after_unit(const struct dts_stage_work *w)
{
    const int which = w->unit_count - 1 - w->stage->mesh->prefetch;
    return which >= 0 ? w->unit_ends[which] : -1;
}

/* The operation that was added last waits until there is room for another round's weights. */
static void after_space(struct dts_stage_work *w)
{
    if (after_unit(w) >= 0)
        dts_plan_after(w->stage->plan, after_unit(w));
    else
        dts_stage_after_update(w);
}

bool dts_stage_divides(const struct dts_stage_work *w, struct dts_span span)
{
    return dts_stage_group_size(w, dts_stage_shards_of(w, &span)) > 1;
}

double dts_stage_part_bytes(const struct dts_stage_work *w, struct dts_span span)
{
    const size_t shards = (size_t)dts_mesh_dividers(
        w->stage->mesh, dts_stage_group_size(w, dts_stage_shards_of(w, &span)));
    return (double)((span.count + shards - 1) / shards) *
           (double)w->stage->plan->buffers[span.buffer].element_bytes;
}

double dts_stage_kept(const struct dts_stage_work *w)
{
    const double experts = (double)(w->parameters - w->dense_parameters);
    const struct dts_mesh *mesh = w->stage->mesh;
    return (double)w->dense_parameters /
               dts_mesh_dividers(mesh, dts_stage_group_size(w, DTS_AMONG_SHARDS)) +
           experts / dts_mesh_dividers(mesh, dts_stage_group_size(w, DTS_AMONG_EXPERT_SHARDS));
}

/* Gathers a piece of the weights, which the host may have. Returns the operation; -1: all of it
 * is here. */
static int add_gather(struct dts_stage_work *w, const char *label, struct dts_span piece)
{
    const bool fetches = w->stage->mesh->offload == DTS_OFFLOAD_PARAMETERS;
    int op = -1;
    if (fetches) {
        op = dts_stage_copy(w, "fetch weights", dts_stage_part_bytes(w, piece), -1);
        after_space(w);
    }
    if (dts_stage_group_size(w, dts_stage_shards_of(w, &piece)) == 1)
        return op;
    const int fetched = op;
    op = dts_stage_collect(w, DTS_GATHER, dts_stage_shards_of(w, &piece), DTS_ALLGATHER, label,
                           piece);
    if (!w->failed && fetches)
        dts_plan_after(w->stage->plan, fetched);
    else if (!w->failed)
        after_space(w);
    return op;
}

int dts_stage_gather(struct dts_stage_work *w, enum dts_pass pass, int first, int last)
{
    const struct dts_mesh *mesh = w->stage->mesh;
    const bool there = w->unit_count > 0 && w->last_unit == first;
    int op = -1;
    if (mesh->sharded != DTS_SHARDED_PARAMETERS || w->stage->shape->shards == 1 || there ||
        (pass != DTS_FORWARD && !mesh->reshard_after_forward))
        return -1;
    char label[48];
    snprintf(label, sizeof(label), "gather %.24s",
             w->stage->point->scenario->model.layers[first].name);
    for (int experts = 0; experts < 2; experts++) {
        const struct dts_span span = span_of(w, first, last, DTS_WEIGHTS, experts == 1);
        struct dts_span pieces[DTS_STAGE_PIECES];
        const int count = span.count > 0 ? dts_stage_pieces(w, span, pieces) : 0;
        for (int i = 0; i < count && !w->failed; i++) {
            const int before = op, now = add_gather(w, label, pieces[i]);
            op = now >= 0 ? now : before;
            if (now >= 0 && before >= 0 && !w->failed) // they may be on two streams
                dts_plan_after(w->stage->plan, before);
        }
    }
    return w->failed ? -1 : op;
}

void dts_stage_scattered(const struct dts_stage_work *w, int first, int last, int ops[2])
{
    const struct dts_model *m = &w->stage->point->scenario->model;
    ops[0] = ops[1] = -1; // sums of either come in order
    for (int l = first; w->scattered_count > 0 && l <= last; l++) {
        const int owner = m->layers[l].tied_to >= 0 ? m->layers[l].tied_to : l;
        for (int i = 0; i < w->scattered_count; i++) {
            const struct dts_scattered *s = &w->scattered[i];
            const bool here =
                (s->first <= owner && owner <= s->last) || (s->first <= l && l <= s->last);
            int *op = &ops[dts_stage_is_of_experts(w, &s->span)];
            *op = here && s->op > *op ? s->op : *op;
        }
    }
}

/* Sums a piece of the gradients of layers first .. last, as was done before or not. */
static void scatter(struct dts_stage_work *w, int first, int last, struct dts_span piece,
                    int after)
{
    int i = 0;
    const int op = dts_stage_reduce(w, DTS_SCATTER, w->unit_count - 1, piece, after);
    w->reduced[dts_stage_is_of_experts(w, &piece)] = op;
    while (i < w->scattered_count && w->scattered[i].span.first != piece.first)
        i++;
    if (i == w->scattered_count) {
        w->scattered =
            dts_grow(w->scattered, &w->scattered_room, (size_t)i + 1, sizeof(*w->scattered));
        w->scattered[w->scattered_count++] = (struct dts_scattered){first, last, piece, 0};
    }
    w->scattered[i].op = op;
    if (w->stage->mesh->offload != DTS_OFFLOAD_NOTHING && !w->failed)
        w->offloaded =
            dts_stage_copy(w, "gradients to the host", dts_stage_part_bytes(w, piece), op);
}

void dts_stage_unit_end(struct dts_stage_work *w, enum dts_pass pass, int first, int last,
                        int op)
{
    const struct dts_mesh *mesh = w->stage->mesh;
    w->unit_ends =
        dts_grow(w->unit_ends, &w->unit_room, (size_t)w->unit_count + 1, sizeof(*w->unit_ends));
    w->unit_ends[w->unit_count++] = op;
    w->last_unit = first;
    if (mesh->sharded < DTS_SHARDED_GRADIENTS || !dts_pipeline_is_last(pass))
        return;
    for (int experts = 0; experts < 2; experts++) {
        const struct dts_span span = span_of(w, first, last, DTS_GRADIENTS, experts == 1);
        struct dts_span pieces[DTS_STAGE_PIECES];
        const int count = span.count > 0 ? dts_stage_pieces(w, span, pieces) : 0;
        for (int i = 0; i < count && !w->failed; i++)
            scatter(w, first, last, pieces[i], op);
    }
}

/* What a rank's shards have updated of a span; of two copies that is half of it, which the
 * other stage has the other half of. Returns the operation; -1: all is there. */
static int gather_updated(struct dts_stage_work *w, int number, struct dts_span span,
                          int update)
{
    const bool twice = dts_pipeline_copies(w->stage->mesh->schedule) > 1;
    struct dts_twin_sum half = {.mine = span};
    char label[32];
    snprintf(label, sizeof(label), "all-gather %d", number);
    if (!dts_stage_divides(w, span))
        return -1;
    if (twice)
        half = dts_stage_twin_halves(w, number, span);
    half.done = half.sent = update;
    if (half.mine.count > 0) {
        half.done = dts_stage_collect(w, DTS_GATHER, dts_stage_shards_of(w, &span),
                                      DTS_ALLGATHER, label, half.mine);
        if (!w->failed)
            dts_plan_after(w->stage->plan, update);
    }
    return twice && !w->failed ? dts_stage_twin_exchange(w, &half) : half.done;
}

void dts_stage_gather_updated(struct dts_stage_work *w, const struct dts_bucket *buckets,
                              int count, int update)
{
    const enum dts_sharded sharded = w->stage->mesh->sharded;
    int last = -1;
    if (w->stage->shape->shards == 1 || sharded == DTS_SHARDED_PARAMETERS)
        return;
    const bool scattered = sharded == DTS_SHARDED_GRADIENTS; // what was summed is gathered
    for (int i = 0; i < (scattered ? w->scattered_count : count) && !w->failed; i++) {
        struct dts_span span =
            scattered ? w->scattered[i].span : dts_bucket_span(buckets, i, DTS_WEIGHTS);
        span.buffer = DTS_WEIGHTS;
        const int op = gather_updated(w, i, span, update);
        last = op >= 0 ? op : last;
    }
    if (last < 0)
        return;
    if (!w->failed) // the next step's kernels need them
        dts_plan_call(w->stage->plan, DTS_COMPUTE, "weights",
                      (struct dts_call){.pass = DTS_COPY, .layer = -1});
    if (!w->failed)
        dts_plan_after(w->stage->plan, last);
}
