/* calls.c -- one call of a pass through a part of the network, and what ranks exchange before
 * and behind it.
 */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "train/strategy/mesh/stage_private.h"

/* Of adding the gradients of a layer to those of the microbatches before, where the framework
 * has a kernel for that. Where ranks divide gradients, they add a part of them: left out. */
static double add_seconds(const struct dts_stage_work *w, int layer)
{
    const struct dts_point *point = w->stage->point;
    const struct dts_layer *l = &point->scenario->model.layers[layer];
    const struct dts_cut_layer *cut = w->stage->cut->layers;
    double values = 0;
    for (int p = 0; p < l->param_count; p++)
        values += (double)cut[layer].params[p];
    if (l->tied_to >= 0)
        values += (double)cut[l->tied_to].params[0];
    if (values <= 0 || point->scenario->stack.accumulate_bytes <= 0 ||
        w->stage->mesh->sharded >= DTS_SHARDED_GRADIENTS)
        return 0;
    const struct dts_work work = {.class = DTS_WORK_MEMORY,
                                  .bytes = values * point->scenario->stack.accumulate_bytes};
    return dts_device_seconds(point->device, dts_precision_beside(point->scenario->precision),
                              &work);
}

static double seconds_of(const struct dts_stage_work *w, enum dts_pass pass, int first,
                         int last, bool adds)
{
    const struct dts_model_seconds *all = w->stage->point->seconds;
    double seconds = 0;
    for (int l = first; l <= last; l++) {
        const struct dts_cut_layer *mine = &w->stage->cut->layers[l];
        const double input = dts_stage_input_share(w->stage->point, l);
        const double forward = all->forward[l] * mine->forward_share;
        const double backward = all->backward[l] * mine->backward_share;
        const bool again = w->stage->again[l].keeps == DTS_KEEPS_ENDS;
        if (again && (pass == DTS_BACKWARD || pass == DTS_BACKWARD_INPUT))
            seconds += forward;
        seconds += dts_stage_is_forward(pass)   ? forward
                   : pass == DTS_BACKWARD       ? backward
                   : pass == DTS_BACKWARD_INPUT ? backward * input
                                                : backward * (1 - input);
        seconds += adds ? add_seconds(w, l) : 0;
    }
    return seconds;
}

/* "forward h.3 #5", "forward h.3.ln_1 #5" where that is not all of the round */
int dts_stage_call(struct dts_stage_work *w, const struct dts_pipeline_pass *pass, int slot,
                   int first, int last, double share)
{
    const struct dts_model *m = &w->stage->point->scenario->model;
    const bool adds = dts_pipeline_is_last(pass->pass) &&
                      pass->microbatch > w->at[pass->chunk].first_microbatch;
    const struct dts_call call = {.pass = pass->pass,
                                  .layer = first,
                                  .more = last - first,
                                  .microbatch = pass->microbatch,
                                  .chunk = pass->chunk,
                                  .slot = slot,
                                  .seconds =
                                      share * seconds_of(w, pass->pass, first, last, adds)};
    const char *name = m->layers[first].name;
    const struct dts_cut *cut = w->stage->cut;
    const bool divided = cut->ranks * cut->spatial * cut->context * cut->experts > 1;
    const size_t round = divided ? 0 : dts_round_length(name);
    char label[64];
    snprintf(label, sizeof(label), "%s %.*s #%d", dts_pass_name(pass->pass),
             round > 0 && round < 24 ? (int)round : 24, name, pass->microbatch);
    w->here = dts_build_call(w->stage->point, w->stage->plan, label, call);
    dts_stage_await_side(w);
    return w->here;
}

static void await(struct dts_stage_work *w, int op)
{
    if (op >= 0)
        dts_plan_after(w->stage->plan, op);
}

int dts_stage_gather_parts(struct dts_stage_work *w, const struct dts_pipeline_pass *pass,
                           int arrived)
{
    const struct dts_part_of_model *part = dts_stage_part(w, pass->chunk);
    const size_t values = pass->pass == DTS_FORWARD ? part->entry : part->exit;
    const size_t count = values * (size_t)w->stage->cut->ranks * (size_t)w->stage->point->batch;
    if (!w->stage->mesh->pipeline.scatter || arrived < 0 || w->failed)
        return arrived;
    const struct dts_collective *known =
        dts_stage_collective(w, DTS_CUT_TENSOR, DTS_ALLGATHER, count);
    if (known == NULL)
        return arrived;
    struct dts_collective c = *known;
    c.data = (struct dts_span){DTS_STAGE_SUMS, 0, count};
    char label[48];
    snprintf(label, sizeof(label), "gather #%d", pass->microbatch);
    w->here = dts_plan_collective(w->stage->plan, DTS_COMPUTE, label, c);
    dts_plan_after(w->stage->plan, arrived);
    dts_stage_await_held(w);
    return -1; // kernels come behind it on their stream
}

/* What the first call behind exchanges waits for. Returns how many; messages between kernels
 * are among them. */
static int waits_of(struct dts_stage_work *w, const struct dts_stage_awaited *awaited,
                    int waits[DTS_STAGE_WAITS])
{
    const int needed[] = {awaited->after, awaited->gather, awaited->scattered[0],
                          awaited->scattered[1]};
    int count = 0;
    for (int i = 0; i < 4; i++)
        if (needed[i] >= 0)
            waits[count++] = needed[i];
    for (int i = 0; i < w->held_count; i++)
        waits[count++] = w->held[i];
    w->held_count = 0;
    return count;
}

/* Is a halo under way for the first layer that runs? */
static bool has_halo(const struct dts_stage_work *w, const struct dts_pipeline_pass *pass,
                     int first, int last)
{
    const struct dts_cut_layer *layers = w->stage->cut->layers;
    return w->side >= 0 && pass->pass != DTS_BACKWARD_WEIGHT &&
           (dts_stage_is_forward(pass->pass) ? layers[first].forward_edge
                                             : layers[last].backward_edge) > 0;
}

/* The call itself, of attention in a ring as many as there are ranks. */
static int add_kernels(struct dts_stage_work *w, const struct dts_pipeline_pass *pass, int slot,
                       int first, int last, const int *waits, int count)
{
    if (pass->pass != DTS_BACKWARD_WEIGHT && w->stage->cut->layers[first].ring_values > 0)
        return dts_stage_ring(w, pass, slot, first, waits, count);
    if (pass->pass != DTS_BACKWARD_WEIGHT &&
        dts_stage_has_halves(&w->stage->cut->layers[first], dts_stage_is_forward(pass->pass)))
        return dts_stage_halves(w, pass, slot, first, waits, count);
    if (w->stage->mesh->spatial.overlap && has_halo(w, pass, first, last))
        return dts_stage_beside(w, pass, slot, first, last, waits, count);
    const int op = dts_stage_call(w, pass, slot, first, last, 1);
    for (int i = 0; i < count; i++)
        dts_plan_after(w->stage->plan, waits[i]);
    return op;
}

int dts_stage_before(struct dts_stage_work *w, const struct dts_pipeline_pass *pass, int slot,
                     int first, int last, int after)
{
    const bool forward = dts_stage_is_forward(pass->pass);
    if (pass->pass == DTS_BACKWARD_WEIGHT)
        return -1;
    return dts_stage_exchanges(w, pass, slot, forward ? first : last,
                               forward ? DTS_CUT_BEFORE_FORWARD : DTS_CUT_BEFORE_BACKWARD,
                               after);
}

int dts_stage_segment(struct dts_stage_work *w, const struct dts_pipeline_pass *pass, int slot,
                      int first, int last, const struct dts_stage_awaited *awaited)
{
    const bool forward = dts_stage_is_forward(pass->pass);
    int waits[DTS_STAGE_WAITS];
    const int count = waits_of(w, awaited, waits);
    const int op = add_kernels(w, pass, slot, first, last, waits, count);
    await(w, awaited->sent);
    if (dts_pipeline_is_last(pass->pass))
        dts_stage_ready(w, first, last, op);
    if (pass->pass == DTS_BACKWARD_WEIGHT)
        return op;
    const int behind =
        dts_stage_exchanges(w, pass, slot, forward ? last : first,
                            forward ? DTS_CUT_AFTER_FORWARD : DTS_CUT_AFTER_BACKWARD, -1);
    if (forward && w->stage->cut->layers[last].way == DTS_CUT_CLASSES)
        return dts_stage_rest(w, op, 0);
    return behind >= 0 ? behind : op;
}
