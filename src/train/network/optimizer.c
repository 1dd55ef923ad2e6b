/* optimizer.c -- updates tensor by tensor, in the order in which the network stores them. */
#include "train/network/optimizer.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "kernels/place.h"
#include "kernels/reduce/reduce.h"
#include "train/network/optimizer_rows.h"

/* One parameter tensor, or part of one. */
struct tensor {
    size_t offset, count; // in the weights
    size_t gradient;      // where its gradient begins
    int layer;
    size_t row;   // values of a row of a sparse table; 0: it is none
    bool listed;  // its gradient is a list
    size_t state; // where its state begins
    bool apart;   // without decay and trust

    /* In the state of the whole model: where the tensor's begins, how many values the tensor
     * has, and how many of them are before these. A copy of another's tensor: borrowed. */
    size_t whole_state, whole_count, skipped;
    struct dts_param_slice slice; // which of them the rank has that has a part of the tensor
    bool borrowed;
};

struct dts_optimizer_run {
    const struct dts_update *update;
    struct tensor *tensors; // owned
    int tensor_count;
    struct dts_space *space; // where it computes; NULL: on this CPU
    struct dts_mirror state;
    size_t state_count;
    void *scratch; // owned
};

static struct dts_place place_of(const struct dts_optimizer_run *run,
                                 struct dts_workers *workers)
{
    return run->space != NULL ? *dts_space_place(run->space)
                              : (struct dts_place){.workers = workers};
}

static void add(struct dts_optimizer_run *run, size_t *room, const struct tensor *tensor)
{
    run->tensors =
        dts_grow(run->tensors, room, (size_t)run->tensor_count + 1, sizeof(*run->tensors));
    run->tensors[run->tensor_count] = *tensor;
    run->tensors[run->tensor_count++].state = run->state_count;
    run->state_count += dts_update_state_values(run->update, tensor->count);
}

/* Why values from .. to - 1 of a tensor cannot be updated alone; NULL: they can. */
static const char *whole_reason(const struct dts_update *update, const struct dts_param *param,
                                size_t from, size_t to)
{
    const size_t row = param->sparse_row;
    if (update->norms || update->scalars > 0)
        return "takes tensors as a whole";
    // a row that is cut could have its gradient in one part
    return row > 0 && update->optimizer->state_values > 0 && (from % row > 0 || to % row > 0)
               ? "takes rows as a whole"
               : NULL;
}

/* Those of the layout that lie in first .. end - 1, or what of them does. */
static bool find_tensors(struct dts_optimizer_run *run, const struct dts_layout *layout,
                         const struct dts_optimizer_part *part, struct dts_error *err)
{
    const struct dts_update *update = run->update;
    const size_t first = part->first;
    const size_t end = part->count < SIZE_MAX - first ? first + part->count : SIZE_MAX;
    size_t room = 0;
    for (int i = 0; i < layout->count; i++) {
        const struct dts_layout_tensor *t = &layout->tensors[i];
        const size_t begin = t->offset, count = t->param->count;
        if (begin >= end || begin + count <= first)
            continue;
        const size_t from = begin > first ? begin : first;
        const size_t to = begin + count < end ? begin + count : end;
        const char *reason = whole_reason(update, t->param, from - begin, to - begin);
        if ((to - from < count || t->divided) && reason != NULL)
            return dts_fail(err, DTS_UNSUPPORTED,
                            "%s holds part of a tensor of %s, and %s %s: shard by "
                            "\"tensor\", without part_bytes",
                            part->what, layout->model->layers[t->layer].name,
                            update->optimizer->name, reason);
        add(run, &room,
            &(struct tensor){
                .offset = from,
                .count = to - from,
                .gradient = t->listed ? 0 : t->gradient + (from - begin),
                .layer = t->layer,
                .row = t->param->sparse_row,
                .listed = t->listed,
                .apart = update->apart && t->param->per_channel,
                .whole_state = (size_t)update->optimizer->state_values * t->whole +
                               (size_t)update->scalars * (size_t)t->ordinal,
                .whole_count = t->whole_count,
                .slice = t->slice,
                .skipped = from - begin,
                .borrowed = t->borrowed,
            });
    }
    return true;
}

/* Rules with state update rows of a table, and leave others alone. */
static bool by_rows(const struct dts_optimizer_run *run, const struct tensor *tensor)
{
    return tensor->row > 0 && run->update->optimizer->state_values > 0;
}

static size_t scratch_bytes(const struct dts_optimizer_run *run, const struct tensor *tensor)
{
    return run->space != NULL && by_rows(run, tensor)
               ? dts_rows_scratch_bytes(run->update, tensor->count, tensor->row)
               : dts_update_scratch_bytes(run->update, tensor->count);
}

static bool get_memory(struct dts_optimizer_run *run, struct dts_error *err)
{
    const size_t bytes = run->state_count * sizeof(float);
    size_t scratch = 0;
    for (int i = 0; i < run->tensor_count; i++) {
        const size_t needed = scratch_bytes(run, &run->tensors[i]);
        scratch = needed > scratch ? needed : scratch;
    }
    return dts_space_get(run->space, scratch + 64, &run->scratch, err) &&
           dts_mirror_make(&run->state, run->space, NULL, bytes, err);
}

static bool check_rule(const struct dts_optimizer_run *run, const struct dts_model *model,
                       const struct dts_optimizer *optimizer, struct dts_error *err)
{
    const struct dts_layer *sparse = dts_model_sparse(model);
    const struct dts_place place = place_of(run, NULL);
    if (run->update == NULL || dts_place_update(&place, run->update) == NULL)
        return dts_fail(err, DTS_UNSUPPORTED, "no operation carries out the optimizer %s",
                        optimizer->name);
    if (sparse != NULL && !optimizer->lazy)
        return dts_fail(err, DTS_UNSUPPORTED,
                        "%s needs dense gradients, and those of layer %s of %s are sparse",
                        optimizer->name, sparse->name, model->name);
    return true;
}

bool dts_optimizer_make_of(struct dts_optimizer_run **out, const struct dts_layout *layout,
                           const struct dts_optimizer *optimizer, struct dts_space *space,
                           const struct dts_optimizer_part *part, struct dts_error *err)
{
    const struct dts_optimizer_part all = {0, SIZE_MAX, "all"};
    struct dts_optimizer_run *run = dts_alloc(1, sizeof(*run));
    run->space = dts_space_is_apart(space) ? space : NULL;
    run->update = dts_update_find(optimizer->name);
    if (!check_rule(run, layout->model, optimizer, err) ||
        !find_tensors(run, layout, part != NULL ? part : &all, err) || !get_memory(run, err)) {
        dts_optimizer_free(run);
        return false;
    }
    *out = run;
    return true;
}

void dts_optimizer_free(struct dts_optimizer_run *run)
{
    if (run == NULL)
        return;
    free(run->tensors);
    dts_mirror_free(&run->state);
    dts_space_give_back(run->space, run->scratch);
    free(run);
}

/* A table, or the part of it that is here: whole rows. */
static void update_table(struct dts_optimizer_run *run, const struct tensor *tensor,
                         const struct dts_update_settings *settings, float *weights,
                         const struct dts_sparse *list, const float *dense,
                         struct dts_workers *workers)
{
    struct dts_update_settings plain = *settings;
    plain.decay = 0; // or every row would change
    const struct dts_rows_update to = {
        .update = run->update,
        .settings = &plain,
        .weights = weights + tensor->offset,
        .state = (float *)run->state.there + tensor->state,
        .count = tensor->count,
        .row = tensor->row,
    };
    const struct dts_place place = place_of(run, workers);
    if (run->space != NULL)
        dts_rows_update_there(&to, dense, run->scratch, &place);
    else
        dts_rows_update(&to, list, dense, workers);
}

void dts_optimizer_rows(struct dts_optimizer_run *run,
                        const struct dts_update_settings *settings, float *weights, int layer,
                        const struct dts_sparse *rows, struct dts_workers *workers)
{
    for (int i = 0; i < run->tensor_count; i++)
        if (run->tensors[i].layer == layer && run->tensors[i].row > 0)
            update_table(run, &run->tensors[i], settings, weights, rows, NULL, workers);
}

void dts_optimizer_step(struct dts_optimizer_run *run,
                        const struct dts_update_settings *settings, float *weights,
                        const float *gradients, struct dts_workers *workers)
{
    const struct dts_place place = place_of(run, workers);
    dts_update_fn *update = dts_place_update(&place, run->update);
    struct dts_update_settings plain = *settings;
    plain.decay = plain.trust = 0;
    for (int i = 0; i < run->tensor_count; i++) {
        const struct tensor *tensor = &run->tensors[i];
        const float *g = gradients + tensor->gradient;
        if (tensor->listed)
            continue;
        if (by_rows(run, tensor)) {
            update_table(run, tensor, settings, weights, NULL, g, workers);
            continue;
        }
        const struct dts_update_arrays arrays = {
            .count = tensor->count,
            .w = weights + tensor->offset,
            .g = g,
            .state = (float *)run->state.there + tensor->state,
            .scratch = run->scratch,
        };
        update(tensor->apart || tensor->row > 0 ? &plain : settings, &arrays, &place);
    }
}

void dts_optimizer_scale(const struct dts_optimizer_run *run, float factor, float *gradients,
                         struct dts_workers *workers)
{
    const struct dts_place place = place_of(run, workers);
    for (int i = 0; i < run->tensor_count; i++)
        if (!run->tensors[i].listed)
            dts_reduce_scale(gradients + run->tensors[i].gradient, factor,
                             run->tensors[i].count, &place);
}

bool dts_optimizer_finite(const struct dts_optimizer_run *run, const float *gradients,
                          struct dts_workers *workers)
{
    const struct dts_place place = place_of(run, workers);
    bool finite = true;
    for (int i = 0; i < run->tensor_count && finite; i++) {
        void *copy;
        if (run->tensors[i].listed)
            continue;
        dts_reduce_finite(run->scratch, gradients + run->tensors[i].gradient,
                          run->tensors[i].count, &place);
        finite = *(const int *)dts_space_look(run->space, run->scratch, sizeof(int), &copy);
        free(copy);
    }
    return finite;
}

float *dts_optimizer_state(struct dts_optimizer_run *run, size_t *count)
{
    *count = run->state_count;
    return run->state.here;
}

/* Between the state here and that of the whole model: each array of a tensor, then its
 * scalars, which only a whole tensor has. */
static void move_state(const struct dts_optimizer_run *run, const struct tensor *t,
                       float *whole, bool give)
{
    const size_t arrays = (size_t)run->update->optimizer->state_values;
    const size_t scalars = (size_t)run->update->scalars;
    float *mine = (float *)run->state.here + t->state, *other = whole + t->whole_state;
    for (size_t k = 0; k < arrays; k++)
        dts_param_slice_move(&t->slice, t->skipped, t->count, mine + k * t->count,
                             other + k * t->whole_count, give);
    mine += arrays * t->count;
    other += arrays * t->whole_count;
    memcpy(give ? other : mine, give ? mine : other, scalars * sizeof(float));
}

void dts_optimizer_give(const struct dts_optimizer_run *run, float *whole)
{
    for (int i = 0; i < run->tensor_count; i++)
        if (!run->tensors[i].borrowed)
            move_state(run, &run->tensors[i], whole, true);
}

void dts_optimizer_take(struct dts_optimizer_run *run, float *whole)
{
    for (int i = 0; i < run->tensor_count; i++)
        move_state(run, &run->tensors[i], whole, false);
}

size_t dts_optimizer_whole(const struct dts_optimizer_run *run, const struct dts_model *model)
{
    size_t values = 0;
    for (int l = 0; l < model->layer_count; l++)
        for (int p = 0; p < model->layers[l].param_count; p++)
            values +=
                dts_update_state_values(run->update, dts_layer_values(&model->layers[l], p));
    return values;
}

const struct dts_mirror *dts_optimizer_mirror(const struct dts_optimizer_run *run)
{
    return &run->state;
}

const struct dts_update_settings *dts_optimizer_usual(const struct dts_optimizer_run *run)
{
    return &run->update->usual;
}
