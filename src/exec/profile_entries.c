/* profile_entries.c -- the distinct calls of some networks, and their memory. */
#include "exec/profile_entries.h"

#include <math.h>
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
};

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
        .place = from->operations > 0 ? from->passed / from->operations : 0,
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

void dts_profile_entries_find(const struct dts_profile_request *request,
                              struct dts_profile_entries *entries)
{
    for (int m = 0; m < request->model_count; m++) {
        const struct dts_model *model = &request->models[m];
        struct dts_layer_call *calls = dts_alloc((size_t)model->layer_count, sizeof(*calls));
        dts_model_calls(model, true, calls);
        struct source from = {m, footprint_of(model, calls),
                              request->batches[request->batch_count - 1], 0, 0};
        for (int l = 0; l < model->layer_count; l++)
            from.operations += operations_of(model, calls, l);
        for (int l = 0; l < model->layer_count; l++) {
            if (calls[l].call.op != NULL)
                add_layer(entries, model, calls, l, &from);
            from.passed += operations_of(model, calls, l);
        }
        free(calls);
    }
    for (int i = 0; i < entries->count; i++)
        entries->items[i].times =
            dts_alloc((size_t)request->batch_count, sizeof(struct dts_kernel_times));
    entries->steps = dts_alloc((size_t)(request->model_count * request->batch_count),
                               sizeof(*entries->steps));
}

static struct dts_profile_step *step_of(const struct dts_profile_request *request,
                                        const struct dts_profile_entries *entries, int model,
                                        int batch)
{
    return &entries->steps[model * request->batch_count + batch];
}

static struct dts_profile_step measured_step(const struct dts_profile_entries *entries,
                                             int model, int batch, const struct dts_pace *pace)
{
    struct dts_profile_step step = {0, 0, 0};
    for (int i = 0; i < entries->count; i++) {
        const struct dts_profile_entry *entry = &entries->items[i];
        const struct dts_kernel_times *times = &entry->times[batch];
        if (entry->model != model)
            continue;
        step.forward_s += entry->uses * dts_measured_of(&times->forward, pace).median_s;
        step.backward_s += entry->uses * dts_measured_of(&times->backward, pace).median_s;
    }
    return step;
}

/* Those that had to wait longer than they will. */
static void drop_runs(const struct dts_profile_request *request,
                      struct dts_profile_entries *entries, struct dts_runs *updates)
{
    for (int i = 0; i < entries->count; i++)
        for (int b = 0; b < request->batch_count; b++) {
            struct dts_profile_entry *entry = &entries->items[i];
            if (dts_profile_gap(request, entries, entry, b, false).seconds < DTS_FORGOTTEN_S)
                entry->times[b].forward.count = 0;
            if (dts_profile_gap(request, entries, entry, b, true).seconds < DTS_FORGOTTEN_S)
                entry->times[b].backward.count = 0;
        }
    for (int m = 0; m < request->model_count; m++)
        if (dts_profile_gap_beside(request, entries, m, 0).seconds < DTS_FORGOTTEN_S)
            for (int o = 0; o < request->optimizer_count; o++)
                updates[m * request->optimizer_count + o].count = 0;
}

void dts_profile_find_steps(const struct dts_profile_request *request,
                            struct dts_profile_entries *entries, struct dts_runs *updates,
                            const struct dts_pace *pace)
{
    for (int m = 0; m < request->model_count; m++)
        for (int b = 0; b < request->batch_count; b++) {
            struct dts_profile_step *step = step_of(request, entries, m, b);
            *step = measured_step(entries, m, b, pace);
            if (request->optimizer_count > 0)
                step->update_s =
                    dts_measured_of(&updates[m * request->optimizer_count], pace).median_s;
        }
    drop_runs(request, entries, updates);
}

struct dts_gap dts_profile_gap_beside(const struct dts_profile_request *request,
                                      const struct dts_profile_entries *entries, int model,
                                      int batch)
{
    const struct dts_profile_step *step = step_of(request, entries, model, batch);
    const double whole_s = step->forward_s + step->backward_s + step->update_s;
    return (struct dts_gap){1,
                            whole_s > 0 ? fmin(whole_s / 3, DTS_FORGOTTEN_S) : DTS_FORGOTTEN_S};
}

struct dts_gap dts_profile_gap(const struct dts_profile_request *request,
                               const struct dts_profile_entries *entries,
                               const struct dts_profile_entry *entry, int batch, bool backward)
{
    const struct dts_profile_step *step = step_of(request, entries, entry->model, batch);
    const double both_s = step->forward_s + step->backward_s;
    if (both_s <= 0 || dts_is_beside(&entry->call))
        return dts_profile_gap_beside(request, entries, entry->model, batch);
    const double seconds = backward ? (1 - entry->place) * both_s
                                    : step->update_s / 2 + entry->place * step->forward_s;
    return (struct dts_gap){seconds / (both_s + step->update_s),
                            fmin(seconds, DTS_FORGOTTEN_S)};
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
