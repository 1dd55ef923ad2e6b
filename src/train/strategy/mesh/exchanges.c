/* exchanges.c -- what ranks of a stage exchange around the calls of a layer.
 *
 * Sums of tensor ranks are on the stream of the kernels. What spatial, context and expert ranks
 * exchange has a stream of its own: it waits for the kernels before it, and the next kernel
 * waits for it.
 */
#include <stdio.h>

#include "base/mem.h"
#include "train/strategy/mesh/stage_private.h"

/* A collective that is known, but for its place in a plan. */
struct dts_stage_sum {
    enum dts_cut_among among;
    enum dts_coll_kind kind;
    size_t count;
    struct dts_collective collective;
};

/* Elements of one microbatch; an all-to-all has at least one for each rank. */
static size_t count_of(const struct dts_stage_work *w, const struct dts_cut_exchange *x)
{
    const double samples = x->of_batch ? 1 : (double)w->stage->point->batch;
    const size_t count = (size_t)(x->values * samples);
    const size_t least = x->kind == DTS_ALLTOALL ? (size_t)w->stage->shape->stage_ranks : 0;
    return count > least ? count : least;
}

/* Keys and values go round beside their gradients, out of one place into another. */
static size_t room_of(const struct dts_stage_work *w, int layer)
{
    const struct dts_cut_layer *mine = &w->stage->cut->layers[layer];
    size_t most = 4 * (size_t)(mine->ring_values * (double)w->stage->point->batch);
    for (int m = 0; m < DTS_CUT_MOMENTS; m++)
        for (int i = 0; i < mine->exchange_count[m]; i++) {
            const size_t count = count_of(w, &mine->exchange[m][i]);
            most = count > most ? count : most;
        }
    return most;
}

void dts_stage_sums(struct dts_stage_work *w)
{
    size_t most = dts_stage_summed(w);
    for (int c = 0; c < w->chunks; c++) {
        const struct dts_part_of_model *part = dts_stage_part(w, c);
        for (int l = part->first; l <= part->last; l++)
            most = room_of(w, l) > most ? room_of(w, l) : most;
        const size_t edge = part->entry > part->exit ? part->entry : part->exit;
        const size_t whole =
            edge * (size_t)w->stage->cut->ranks * (size_t)w->stage->point->batch;
        if (w->stage->mesh->pipeline.scatter) // it is gathered
            most = whole > most ? whole : most;
    }
    dts_plan_buffer(w->stage->plan, most,
                    dts_precision_bytes(w->stage->point->scenario->precision));
}

static struct dts_members members_of(const struct dts_stage *stage, enum dts_cut_among among)
{
    static const enum dts_mesh_among groups[] = {[DTS_CUT_TENSOR] = DTS_AMONG_TENSOR,
                                                 [DTS_CUT_CONTEXT] = DTS_AMONG_CONTEXT,
                                                 [DTS_CUT_EXPERT] = DTS_AMONG_EXPERT,
                                                 [DTS_CUT_SPATIAL] = DTS_AMONG_SPATIAL};
    if (among >= DTS_CUT_PLACES)
        return dts_mesh_row_members(stage->point, stage->shape, stage->cut->grid,
                                    (int)(among - DTS_CUT_PLACES));
    return dts_mesh_members(stage->point, stage->shape, groups[among]);
}

/* Neighbours have halos; all else of spatial ranks are sums and copies as of tensor ranks. */
static const struct dts_coll_choice *choice_of(const struct dts_mesh *mesh,
                                               enum dts_cut_among among)
{
    switch (among) {
    case DTS_CUT_CONTEXT:
        return &mesh->context.choice;
    case DTS_CUT_EXPERT:
        return &mesh->expert.choice;
    case DTS_CUT_TENSOR:
    case DTS_CUT_SPATIAL:
        return &mesh->within;
    default:
        return &mesh->spatial.choice;
    }
}

const struct dts_collective *dts_stage_collective(struct dts_stage_work *w,
                                                  enum dts_cut_among among,
                                                  enum dts_coll_kind kind, size_t count)
{
    const struct dts_stage *stage = w->stage;
    for (int i = 0; i < w->sum_count; i++)
        if (w->sums[i].among == among && w->sums[i].kind == kind && w->sums[i].count == count)
            return &w->sums[i].collective;
    const struct dts_members members = members_of(stage, among);
    const double bytes =
        (double)count * (double)dts_precision_bytes(stage->point->scenario->precision);
    struct dts_stage_sum sum = {.among = among, .kind = kind, .count = count};
    if (w->failed || !dts_coll_choice_make(choice_of(stage->mesh, among), stage->point,
                                           &members, kind, bytes, &sum.collective, w->err)) {
        w->failed = true;
        return NULL;
    }
    w->sums = dts_grow(w->sums, &w->sum_room, (size_t)w->sum_count + 1, sizeof(*w->sums));
    w->sums[w->sum_count] = sum;
    return &w->sums[w->sum_count++].collective;
}

void dts_stage_await_side(struct dts_stage_work *w)
{
    if (w->side >= 0)
        dts_plan_after(w->stage->plan, w->side);
    w->side = -1;
}

void dts_stage_await_here(struct dts_stage_work *w, int after)
{
    if (w->here >= 0)
        dts_plan_after(w->stage->plan, w->here);
    else if (after < 0) // the first of all
        dts_stage_after_update(w);
}

void dts_stage_await_held(struct dts_stage_work *w)
{
    for (int i = 0; i < w->held_count; i++)
        dts_plan_after(w->stage->plan, w->held[i]);
    w->held_count = 0;
}

/* Where in a pass an exchange is. */
struct place {
    const struct dts_pipeline_pass *pass;
    int slot, layer;
    enum dts_cut_moment moment;
    int number, count; // of those of the moment among the same ranks
};

static int add_to_plan(struct dts_stage_work *w, const struct place *at,
                       const struct dts_cut_exchange *x,
                       const struct dts_collective *collective)
{
    static const char *const words[] = {[DTS_ALLREDUCE] = "all-reduce",
                                        [DTS_REDUCE_SCATTER] = "reduce-scatter",
                                        [DTS_ALLGATHER] = "all-gather",
                                        [DTS_ALLTOALL] = "all-to-all",
                                        [DTS_HALO] = "halo",
                                        [DTS_HALO_BEHIND] = "halo behind",
                                        [DTS_HALO_BEFORE] = "halo before"};
    static const enum dts_stream streams[] = {[DTS_CUT_TENSOR] = DTS_COMPUTE,
                                              [DTS_CUT_CONTEXT] = DTS_CONTEXT,
                                              [DTS_CUT_EXPERT] = DTS_EXPERT};
    const enum dts_stream stream =
        x->among >= DTS_CUT_SPATIAL ? DTS_SPATIAL : streams[x->among];
    struct dts_collective c = *collective;
    c.data = (struct dts_span){DTS_STAGE_SUMS, 0, count_of(w, x)};
    c.made = (struct dts_between){.copied = true,
                                  .backward = at->moment == DTS_CUT_AFTER_BACKWARD ||
                                              at->moment == DTS_CUT_BEFORE_BACKWARD,
                                  .before = at->moment == DTS_CUT_BEFORE_FORWARD ||
                                            at->moment == DTS_CUT_BEFORE_BACKWARD,
                                  .again = at->pass->pass == DTS_RECOMPUTE,
                                  .number = at->number,
                                  .count = at->count,
                                  .layer = at->layer,
                                  .chunk = at->pass->chunk,
                                  .slot = at->slot};
    char label[64];
    snprintf(label, sizeof(label), "%s %.20s #%d", words[x->kind],
             w->stage->point->scenario->model.layers[at->layer].name, at->pass->microbatch);
    return dts_plan_collective(w->stage->plan, stream, label, c);
}

/* Returns the operation; -1: it failed. */
static int add(struct dts_stage_work *w, const struct place *at,
               const struct dts_cut_exchange *x, int after)
{
    const struct dts_collective *known =
        dts_stage_collective(w, x->among, x->kind, count_of(w, x));
    if (known == NULL)
        return -1;
    const int op = add_to_plan(w, at, x, known);
    if (after >= 0)
        dts_plan_after(w->stage->plan, after);
    dts_stage_await_held(w);
    if (x->among != DTS_CUT_TENSOR) {
        dts_stage_await_here(w, after);
        w->side = op;
    } else {
        dts_stage_await_side(w);
        w->here = op;
    }
    return op;
}

int dts_stage_exchanges(struct dts_stage_work *w, const struct dts_pipeline_pass *pass,
                        int slot, int layer, enum dts_cut_moment moment, int after)
{
    const struct dts_cut_layer *mine = &w->stage->cut->layers[layer];
    int op = -1;
    for (int i = 0; i < mine->exchange_count[moment] && !w->failed; i++) {
        struct place at = {pass, slot, layer, moment, 0, 0};
        for (int k = 0; k < mine->exchange_count[moment]; k++) {
            const bool same =
                mine->exchange[moment][k].among == mine->exchange[moment][i].among;
            at.number += same && k < i;
            at.count += same;
        }
        op = add(w, &at, &mine->exchange[moment][i], op < 0 ? after : -1);
    }
    return op;
}
