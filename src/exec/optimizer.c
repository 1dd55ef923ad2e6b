/* optimizer.c -- updates tensor by tensor, in the order in which the network stores them. */
#include "exec/optimizer.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* One parameter tensor, or part of one. */
struct tensor {
    size_t offset, count; // in weights and gradients
    size_t state;         // where its state begins
    bool apart;           // without decay and trust
};

struct dts_optimizer_run {
    const struct dts_update *update;
    struct tensor *tensors; // owned
    int tensor_count;
    float *state; // owned
    size_t state_count;
    void *scratch; // owned
};

/* Does the rule look at a tensor as a whole? Then it cannot update one in parts. */
static bool takes_whole(const struct dts_update *update)
{
    return update->norms || update->scalars > 0;
}

static void add(struct dts_optimizer_run *run, size_t *room, const struct tensor *tensor)
{
    run->tensors =
        dts_grow(run->tensors, room, (size_t)run->tensor_count + 1, sizeof(*run->tensors));
    run->tensors[run->tensor_count] = *tensor;
    run->tensors[run->tensor_count++].state = run->state_count;
    run->state_count += dts_update_state_values(run->update, tensor->count);
}

/* The network's order: the last layer first, within it the last tensor first. Those that lie in
 * first .. end - 1, or what of them does. */
static bool find_tensors(struct dts_optimizer_run *run, const struct dts_model *model,
                         size_t first, size_t end, const char *what, struct dts_error *err)
{
    size_t room = 0, next = 0;
    for (int l = model->layer_count - 1; l >= 0; l--)
        for (int p = model->layers[l].param_count - 1; p >= 0; p--) {
            const struct dts_param *param = &model->layers[l].params[p];
            const size_t begin = next, count = param->count;
            next += count;
            if (begin >= end || next <= first)
                continue;
            const size_t from = begin > first ? begin : first, to = next < end ? next : end;
            if (to - from < count && takes_whole(run->update))
                return dts_fail(err, DTS_UNSUPPORTED,
                                "%s holds part of a tensor of %s, and %s takes tensors as a "
                                "whole: shard by \"tensor\", without part_bytes",
                                what, model->layers[l].name, run->update->name);
            add(run, &room,
                &(struct tensor){.offset = from,
                                 .count = to - from,
                                 .apart = run->update->apart && param->per_channel});
        }
    return true;
}

static bool get_memory(struct dts_optimizer_run *run, struct dts_error *err)
{
    const size_t bytes = run->state_count * sizeof(float);
    size_t scratch = 0;
    void *state = NULL;
    for (int i = 0; i < run->tensor_count; i++) {
        const size_t needed = dts_update_scratch_bytes(run->update, run->tensors[i].count);
        scratch = needed > scratch ? needed : scratch;
    }
    if (posix_memalign(&run->scratch, 64, scratch + 64) != 0 ||
        posix_memalign(&state, 64, bytes + 64) != 0)
        return dts_fail(err, DTS_SYSTEM, "no memory for %.3g GB of the optimizer's state",
                        (double)bytes / 1e9);
    run->state = memset(state, 0, bytes + 64);
    return true;
}

bool dts_optimizer_make_part(struct dts_optimizer_run **out, const struct dts_model *model,
                             const struct dts_optimizer *optimizer, size_t first, size_t count,
                             const char *what, struct dts_error *err)
{
    struct dts_optimizer_run *run = dts_alloc(1, sizeof(*run));
    run->update = dts_update_find(optimizer->name);
    const size_t end = count < SIZE_MAX - first ? first + count : SIZE_MAX;
    bool good = run->update != NULL && run->update->host != NULL;
    if (!good)
        dts_fail(err, DTS_UNSUPPORTED, "no operation carries out the optimizer %s",
                 optimizer->name);
    good = good && find_tensors(run, model, first, end, what, err) && get_memory(run, err);
    if (!good) {
        dts_optimizer_free(run);
        return false;
    }
    *out = run;
    return true;
}

bool dts_optimizer_make(struct dts_optimizer_run **run, const struct dts_model *model,
                        const struct dts_optimizer *optimizer, struct dts_error *err)
{
    return dts_optimizer_make_part(run, model, optimizer, 0, SIZE_MAX, "all", err);
}

void dts_optimizer_free(struct dts_optimizer_run *run)
{
    if (run == NULL)
        return;
    free(run->tensors);
    free(run->state);
    free(run->scratch);
    free(run);
}

void dts_optimizer_step(struct dts_optimizer_run *run,
                        const struct dts_update_settings *settings, float *weights,
                        const float *gradients, struct dts_workers *workers)
{
    const struct dts_place place = {.workers = workers};
    struct dts_update_settings plain = *settings;
    plain.decay = plain.trust = 0;
    for (int i = 0; i < run->tensor_count; i++) {
        const struct tensor *tensor = &run->tensors[i];
        const struct dts_update_arrays arrays = {
            .count = tensor->count,
            .w = weights + tensor->offset,
            .g = gradients + tensor->offset,
            .state = run->state + tensor->state,
            .scratch = run->scratch,
        };
        run->update->host(tensor->apart ? &plain : settings, &arrays, &place);
    }
}

void dts_optimizer_scale(const struct dts_optimizer_run *run, float factor, float *gradients,
                         struct dts_workers *workers)
{
    for (int i = 0; i < run->tensor_count; i++)
        dts_reduce_scale(gradients + run->tensors[i].offset, factor, run->tensors[i].count,
                         workers);
}

bool dts_optimizer_finite(const struct dts_optimizer_run *run, const float *gradients,
                          struct dts_workers *workers)
{
    bool finite = true;
    for (int i = 0; i < run->tensor_count && finite; i++)
        finite = dts_reduce_finite(gradients + run->tensors[i].offset, run->tensors[i].count,
                                   workers);
    return finite;
}

float *dts_optimizer_state(struct dts_optimizer_run *run, size_t *count)
{
    *count = run->state_count;
    return run->state;
}

const struct dts_update_settings *dts_optimizer_usual(const struct dts_optimizer_run *run)
{
    return &run->update->usual;
}
