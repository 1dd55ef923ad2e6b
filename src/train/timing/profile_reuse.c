/* profile_reuse.c -- whose the scratch of a profile's calls was before. */
#include <stdlib.h>

#include "base/mem.h"
#include "train/timing/profile_entries.h"

/* What each layer adds to the means of its call. */
static bool add_model(const struct dts_model *model, const struct dts_network_options *options,
                      int batch, struct dts_profile_entries *entries, struct dts_error *err)
{
    const size_t layers = (size_t)model->layer_count;
    struct dts_layer_call *calls = dts_alloc(layers, sizeof(*calls));
    struct dts_reuse *reuse = dts_alloc(layers, sizeof(*reuse));
    const bool good = dts_network_reuse(model, options, reuse, err);
    dts_model_calls(model, true, calls);
    for (int l = 0; good && l < model->layer_count; l++) {
        if (calls[l].call.op == NULL)
            continue;
        const struct dts_op_call_key key = dts_op_call_key(&calls[l].call);
        const struct dts_profile_entry *entry = dts_profile_entry_of(entries, key.chars);
        entry->reuse[batch].forward += reuse[l].forward / entry->uses;
        entry->reuse[batch].backward += reuse[l].backward / entry->uses;
    }
    free(calls);
    free(reuse);
    return good;
}

bool dts_profile_entries_reuse(const struct dts_profile_request *request,
                               struct dts_space *space, struct dts_profile_entries *entries,
                               struct dts_error *err)
{
    bool good = true;
    for (int b = 0; b < request->batch_count; b++)
        for (int m = 0; good && m < request->model_count; m++) {
            const struct dts_network_options options = {
                .batch = request->batches[b],
                .threads = request->threads,
                .space = space,
                .precision = request->precision,
            };
            good = add_model(&request->models[m], &options, b, entries, err);
        }
    return good;
}
