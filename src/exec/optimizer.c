/* optimizer.c -- updates tensor by tensor, in the order in which the network stores them. */
#include "exec/optimizer.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* One parameter tensor. */
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

/* The network's order: the last layer first, within it the last tensor first. */
static size_t find_tensors(struct dts_optimizer_run *run, const struct dts_model *model)
{
    size_t room = 0, offset = 0, scratch = 0;
    for (int l = model->layer_count - 1; l >= 0; l--)
        for (int p = model->layers[l].param_count - 1; p >= 0; p--) {
            const struct dts_param *param = &model->layers[l].params[p];
            const size_t count = param->count;
            run->tensors = dts_grow(run->tensors, &room, (size_t)run->tensor_count + 1,
                                    sizeof(*run->tensors));
            run->tensors[run->tensor_count++] =
                (struct tensor){.offset = offset,
                                .count = count,
                                .state = run->state_count,
                                .apart = run->update->apart && param->per_channel};
            offset += count;
            run->state_count += dts_update_state_values(run->update, count);
            const size_t bytes = dts_update_scratch_bytes(run->update, count);
            scratch = bytes > scratch ? bytes : scratch;
        }
    return scratch;
}

bool dts_optimizer_make(struct dts_optimizer_run **out, const struct dts_model *model,
                        const struct dts_optimizer *optimizer, struct dts_error *err)
{
    struct dts_optimizer_run *run = dts_alloc(1, sizeof(*run));
    run->update = dts_update_find(optimizer->name);
    if (run->update == NULL || run->update->host == NULL) {
        dts_optimizer_free(run);
        return dts_fail(err, DTS_UNSUPPORTED, "no operation carries out the optimizer %s",
                        optimizer->name);
    }
    const size_t scratch = find_tensors(run, model), bytes = run->state_count * sizeof(float);
    void *state = NULL;
    if (posix_memalign(&run->scratch, 64, scratch + 64) != 0 ||
        posix_memalign(&state, 64, bytes + 64) != 0) {
        dts_optimizer_free(run);
        return dts_fail(err, DTS_SYSTEM, "no memory for %.3g GB of the optimizer's state",
                        (double)bytes / 1e9);
    }
    run->state = memset(state, 0, bytes + 64);
    *out = run;
    return true;
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

float *dts_optimizer_state(struct dts_optimizer_run *run, size_t *count)
{
    *count = run->state_count;
    return run->state;
}

const struct dts_update_settings *dts_optimizer_usual(const struct dts_optimizer_run *run)
{
    return &run->update->usual;
}
