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

/* The ranks that divide a span, or those that have the same part of it each. */
static enum dts_mesh_among shards_of(const struct dts_stage_work *w,
                                     const struct dts_span *span)
{
    return span->first < w->dense_parameters ? DTS_AMONG_SHARDS : DTS_AMONG_EXPERT_SHARDS;
}

static enum dts_mesh_among copies_of(const struct dts_stage_work *w,
                                     const struct dts_span *span)
{
    return span->first < w->dense_parameters ? DTS_AMONG_COPIES : DTS_AMONG_EXPERT_COPIES;
}

static int size_of(const struct dts_stage_work *w, enum dts_mesh_among among)
{
    return dts_mesh_group(w->stage->shape, among).size;
}

static int add(struct dts_stage_work *w, enum dts_stream stream, enum dts_mesh_among among,
               enum dts_coll_kind kind, const char *label, struct dts_span data)
{
    const struct dts_stage *stage = w->stage;
    const struct dts_members members = dts_mesh_members(stage->point, stage->shape, among);
    const double bytes =
        (double)data.count * (double)stage->plan->buffers[data.buffer].element_bytes;
    struct dts_collective c;
    if (w->failed || !dts_coll_choice_make(&stage->mesh->choice, stage->point, &members, kind,
                                           bytes, &c, w->err)) {
        w->failed = true;
        return 0;
    }
    c.data = data;
    return dts_plan_collective(stage->plan, stream, label, c);
}

/* What a rank keeps of a span that it divides with others. */
static struct dts_span part_of(const struct dts_stage_work *w, struct dts_span span)
{
    const size_t shards = (size_t)size_of(w, shards_of(w, &span));
    return (struct dts_span){span.buffer, span.first, (span.count + shards - 1) / shards};
}

double dts_stage_part_bytes(const struct dts_stage_work *w, struct dts_span span)
{
    return (double)part_of(w, span).count *
           (double)w->stage->plan->buffers[span.buffer].element_bytes;
}

double dts_stage_kept(const struct dts_stage_work *w)
{
    const double experts = (double)(w->parameters - w->dense_parameters);
    return (double)w->dense_parameters / size_of(w, DTS_AMONG_SHARDS) +
           experts / size_of(w, DTS_AMONG_EXPERT_SHARDS);
}

int dts_stage_reduce(struct dts_stage_work *w, enum dts_stream stream, int number,
                     struct dts_span span, int after)
{
    const enum dts_mesh_among shards = shards_of(w, &span), copies = copies_of(w, &span);
    char label[32];
    int op = after;
    if (size_of(w, shards) > 1) {
        snprintf(label, sizeof(label), "reduce-scatter %d", number);
        op = add(w, stream, shards, DTS_REDUCE_SCATTER, label, span);
        dts_plan_after(w->stage->plan, after);
        after = op;
        span = part_of(w, span);
    }
    if (size_of(w, copies) > 1 && !w->failed) {
        snprintf(label, sizeof(label), "all-reduce %d", number);
        op = add(w, DTS_DATA, copies, DTS_ALLREDUCE, label, span);
        dts_plan_after(w->stage->plan, after);
    }
    return op;
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

/* Gathers a span of weights, which the host may have. */
static int add_gather(struct dts_stage_work *w, int layer, struct dts_span span)
{
    char label[48];
    snprintf(label, sizeof(label), "gather %.24s",
             w->stage->point->scenario->model.layers[layer].name);
    const bool fetches = w->stage->mesh->offload == DTS_OFFLOAD_PARAMETERS;
    const bool gathers = size_of(w, shards_of(w, &span)) > 1;
    int op = -1;
    if (fetches) {
        op = dts_stage_copy(w, "fetch weights", dts_stage_part_bytes(w, span), -1);
        after_space(w);
    }
    if (!gathers)
        return op;
    const int fetched = op;
    op = add(w, DTS_GATHER, shards_of(w, &span), DTS_ALLGATHER, label, span);
    if (w->failed)
        return -1;
    if (fetches)
        dts_plan_after(w->stage->plan, fetched);
    else
        after_space(w);
    return op;
}

int dts_stage_gather(struct dts_stage_work *w, enum dts_pass pass, int first, int last)
{
    const struct dts_mesh *mesh = w->stage->mesh;
    const bool there = w->unit_count > 0 && w->last_unit == first;
    if (mesh->sharded != DTS_SHARDED_PARAMETERS || there ||
        (pass != DTS_FORWARD && !mesh->reshard_after_forward))
        return -1;
    int op = -1; // one behind the other
    for (int experts = 0; experts < 2 && !w->failed; experts++) {
        const struct dts_span span = span_of(w, first, last, DTS_WEIGHTS, experts == 1);
        const int gathered = span.count > 0 ? add_gather(w, first, span) : -1;
        if (gathered >= 0 && op >= 0) // a copy of the host's, and a gather
            dts_plan_after(w->stage->plan, op);
        op = gathered >= 0 ? gathered : op;
    }
    return op;
}

void dts_stage_unit_end(struct dts_stage_work *w, enum dts_pass pass, int first, int last,
                        int op)
{
    w->unit_ends =
        dts_grow(w->unit_ends, &w->unit_room, (size_t)w->unit_count + 1, sizeof(*w->unit_ends));
    w->unit_ends[w->unit_count++] = op;
    w->last_unit = first;
    if (w->stage->mesh->sharded < DTS_SHARDED_GRADIENTS || pass != w->last_pass)
        return;
    for (int experts = 0; experts < 2 && !w->failed; experts++) {
        const struct dts_span span = span_of(w, first, last, DTS_GRADIENTS, experts == 1);
        if (span.count == 0)
            continue;
        w->reduced = dts_stage_reduce(w, DTS_SCATTER, w->unit_count - 1, span, op);
        if (w->stage->mesh->offload != DTS_OFFLOAD_NOTHING && !w->failed)
            w->offloaded = dts_stage_copy(w, "gradients to the host",
                                          dts_stage_part_bytes(w, span), w->reduced);
    }
}

void dts_stage_gather_updated(struct dts_stage_work *w, const struct dts_bucket *buckets,
                              int count, int update)
{
    int last = -1;
    if (w->stage->mesh->sharded == DTS_SHARDED_PARAMETERS)
        return;
    for (int b = 0; b < count && !w->failed; b++) {
        const struct dts_span span = dts_bucket_span(buckets, b, DTS_WEIGHTS);
        char label[32];
        snprintf(label, sizeof(label), "all-gather %d", b);
        if (size_of(w, shards_of(w, &span)) == 1)
            continue;
        last = add(w, DTS_GATHER, shards_of(w, &span), DTS_ALLGATHER, label, span);
        if (!w->failed)
            dts_plan_after(w->stage->plan, update);
    }
    if (w->failed || last < 0)
        return;
    dts_plan_call(w->stage->plan, DTS_COMPUTE, "weights", // the next step's kernels need them
                  (struct dts_call){.pass = DTS_COPY, .layer = -1});
    dts_plan_after(w->stage->plan, last);
}
