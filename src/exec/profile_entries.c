/* profile_entries.c -- the distinct calls of some networks, and their memory. */
#include "exec/profile_entries.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "exec/beside_time.h"
#include "exec/update_time.h"
#include "train/seconds_profile.h"

static struct dts_footprint footprint_of(const struct dts_model *model,
                                         const struct dts_layer_call *calls)
{
    struct dts_footprint all = {2 * sizeof(float) * model->parameters, 0};
    for (int l = 0; l < model->layer_count; l++)
        if (calls[l].call.op != NULL)
            all.sample_bytes +=
                sizeof(float) * (double)dts_dims_elements(&calls[l].call.output);
    return all;
}

static size_t bytes_at(struct dts_footprint around, int batch)
{
    return (size_t)(around.fixed_bytes + around.sample_bytes * batch);
}

size_t dts_profile_around(const struct dts_profile_entry *entry, int batch)
{
    return bytes_at(entry->around, batch);
}

size_t dts_profile_step_bytes(const struct dts_model *model, int batch)
{
    struct dts_layer_call *calls = dts_alloc((size_t)model->layer_count, sizeof(*calls));
    dts_model_calls(model, true, calls);
    const struct dts_footprint all = footprint_of(model, calls);
    free(calls);
    return bytes_at(all, batch);
}

/* Add it, unless it is there. */
static void add_entry(struct dts_profile_entries *entries,
                      const struct dts_profile_entry *wanted)
{
    for (int i = 0; i < entries->count; i++) {
        struct dts_profile_entry *entry = &entries->items[i];
        if (strcmp(entry->key.chars, wanted->key.chars) != 0)
            continue;
        entry->learns = entry->learns || wanted->learns;
        entry->place += (wanted->place - entry->place) / ++entry->uses;
        entry->after += (wanted->after - entry->after) / entry->uses;
        if (wanted->around.fixed_bytes > entry->around.fixed_bytes) {
            entry->around = wanted->around;
            entry->model = wanted->model;
        }
        return;
    }
    entries->items = dts_grow(entries->items, &entries->room, (size_t)entries->count + 1,
                              sizeof(*entries->items));
    entries->items[entries->count++] = *wanted;
}

/* A network whose calls are added. */
struct source {
    int model; // of the request's
    struct dts_footprint around;
    int batch;                 // the largest
    double operations, passed; // forward of a sample: of all layers, of those before this one
    double values, updated;    // parameters: of all layers, of those to this one
};

static double place_of(const struct source *from)
{
    return from->operations > 0 ? from->passed / from->operations : 0;
}

static double after_of(const struct source *from)
{
    return from->values > 0 ? 1 - from->updated / from->values : 0;
}

static void add_beside(struct dts_profile_entries *entries, const struct dts_op_call *call,
                       const struct source *from)
{
    const struct dts_profile_entry entry = {
        .call = *call,
        .key = dts_op_call_key(call),
        .work = dts_beside_work(call),
        .around = from->around,
        .model = from->model,
        .uses = 1,
        .place = place_of(from),
        .after = after_of(from),
    };
    if (from->batch * entry.work.forward_flops + entry.work.weight_values >= DTS_BESIDE_LEAST)
        add_entry(entries, &entry);
}

static void add_layer(struct dts_profile_entries *entries, const struct dts_model *model,
                      const struct dts_layer_call *calls, int l, const struct source *from)
{
    const struct dts_op_call *call = &calls[l].call;
    const size_t clears = dts_call_clears(model, l);
    const struct dts_profile_entry entry = {
        .call = *call,
        .key = dts_op_call_key(call),
        .work = dts_call_work(model, calls, l),
        .learns = calls[l].learns,
        .around = from->around,
        .model = from->model,
        .uses = 1,
        .place = place_of(from),
        .after = after_of(from),
    };
    add_entry(entries, &entry);
    if (clears > 0) {
        const struct dts_op_call clear = dts_call_gradient_clear(clears);
        add_beside(entries, &clear, from);
    }
    for (int i = 0; i < call->input_count; i++) {
        const struct dts_op_call sum = dts_call_gradient_sum(&call->inputs[i]);
        if (calls[l].adds[i])
            add_beside(entries, &sum, from);
    }
}

static double operations_of(const struct dts_model *model, const struct dts_layer_call *calls,
                            int l)
{
    return calls[l].call.op != NULL ? dts_call_work(model, calls, l).forward_flops : 0;
}

static void find_model(const struct dts_profile_request *request, int m,
                       struct dts_profile_entries *entries)
{
    const struct dts_model *model = &request->models[m];
    struct dts_layer_call *calls = dts_alloc((size_t)model->layer_count, sizeof(*calls));
    dts_model_calls(model, true, calls);
    struct source from = {.model = m,
                          .around = footprint_of(model, calls),
                          .batch = request->batches[request->batch_count - 1]};
    for (int l = 0; l < model->layer_count; l++) {
        from.operations += operations_of(model, calls, l);
        from.values += (double)dts_call_clears(model, l);
    }
    struct dts_profile_step means = {.place = 0};
    for (int l = 0; l < model->layer_count; l++) {
        const double values = (double)dts_call_clears(model, l);
        const double share = from.values > 0 ? values / from.values : 0;
        means.place += share * place_of(&from);
        means.before += share * (1 - after_of(&from));
        from.updated += values;
        if (calls[l].call.op != NULL)
            add_layer(entries, model, calls, l, &from);
        from.passed += operations_of(model, calls, l);
    }
    for (int b = 0; b < request->batch_count; b++)
        entries->steps[m * request->batch_count + b] = means;
    free(calls);
}

void dts_profile_entries_find(const struct dts_profile_request *request,
                              struct dts_profile_entries *entries)
{
    entries->steps = dts_alloc((size_t)(request->model_count * request->batch_count),
                               sizeof(*entries->steps));
    for (int m = 0; m < request->model_count; m++)
        find_model(request, m, entries);
    for (int i = 0; i < entries->count; i++)
        entries->items[i].times =
            dts_alloc((size_t)request->batch_count, sizeof(struct dts_kernel_times));
}

void dts_profile_entries_free(struct dts_profile_entries *entries)
{
    for (int i = 0; i < entries->count; i++)
        free(entries->items[i].times);
    free(entries->items);
    free(entries->steps);
}

struct dts_kernel_work dts_profile_kernel_work(const struct dts_profile_entry *entry, int batch)
{
    return (struct dts_kernel_work){
        .call = &entry->call,
        .batch = batch,
        .backward = entry->learns,
        .with_inputs = !entry->call.first,
    };
}

bool dts_profile_entries_fit(const struct dts_profile_request *request,
                             const struct dts_kernel_timer *timer,
                             const struct dts_profile_entries *entries, struct dts_error *err)
{
    const int batch = request->batches[request->batch_count - 1]; // ascending
    struct dts_space_facts facts;
    double most_bytes = 0;
    const char *what = "";
    dts_space_facts(timer->space, &facts);
    for (int i = 0; i < entries->count; i++) {
        const struct dts_kernel_work work = dts_profile_kernel_work(&entries->items[i], batch);
        const double bytes = (double)dts_kernel_bytes(timer, &work);
        if (bytes > most_bytes) {
            most_bytes = bytes;
            what = entries->items[i].key.chars;
        }
    }
    for (int m = 0; m < request->model_count; m++)
        for (int o = 0; o < request->optimizer_count; o++) {
            const double bytes =
                dts_update_bytes(timer->space, &request->models[m], request->optimizers[o]);
            if (bytes > most_bytes) {
                most_bytes = bytes;
                what = request->optimizers[o]->name;
            }
        }
    return most_bytes <= facts.spare_bytes ||
           dts_fail(
               err, DTS_SYSTEM,
               "does not fit: %s at batch %d needs %.1f GB of memory, and %.1f GB are free",
               what, batch, most_bytes / 1e9, facts.spare_bytes / 1e9);
}
