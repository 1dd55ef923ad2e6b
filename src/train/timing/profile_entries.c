/* profile_entries.c -- the distinct calls of some networks, and their memory. */
#include "train/timing/profile_entries.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "train/model/seconds/seconds_profile.h"
#include "train/timing/beside_time.h"
#include "train/timing/update_time.h"

static void add_to(struct dts_others *sum, const struct dts_others *more, double times)
{
    sum->operations += times * more->operations;
    sum->parameters += times * more->parameters;
    sum->touched.fixed += times * more->touched.fixed;
    sum->touched.sample += times * more->touched.sample;
}

/* One of `uses` more. */
static void add_to_mean(struct dts_others *mean, const struct dts_others *value, int uses)
{
    const struct dts_others before = *mean;
    add_to(mean, value, 1.0 / uses);
    add_to(mean, &before, -1.0 / uses);
}

struct dts_profile_entry *dts_profile_entry_of(const struct dts_profile_entries *entries,
                                               const char *key)
{
    for (int i = 0; i < entries->count; i++)
        if (strcmp(entries->items[i].key.chars, key) == 0)
            return &entries->items[i];
    return NULL;
}

/* Add it, unless it is there. */
static void add_entry(struct dts_profile_entries *entries,
                      const struct dts_profile_entry *wanted)
{
    struct dts_profile_entry *entry = dts_profile_entry_of(entries, wanted->key.chars);
    if (entry != NULL) {
        entry->learns = entry->learns || wanted->learns;
        entry->uses++;
        add_to_mean(&entry->before, &wanted->before, entry->uses);
        add_to_mean(&entry->after, &wanted->after, entry->uses);
        if (wanted->parameters > entry->parameters) {
            entry->parameters = wanted->parameters;
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
    double parameters;
    int batch;                       // the largest
    struct dts_others before, after; // this one
};

static void add_beside(struct dts_profile_entries *entries, const struct dts_op_call *call,
                       const struct source *from)
{
    const struct dts_profile_entry entry = {
        .call = *call,
        .key = dts_op_call_key(call),
        .work = dts_beside_work(call),
        .model = from->model,
        .parameters = from->parameters,
        .uses = 1,
        .before = from->before,
        .after = from->after,
    };
    if (from->batch * entry.work.forward_flops + entry.work.weight_values >= DTS_BESIDE_LEAST)
        add_entry(entries, &entry);
}

static void add_layer(struct dts_profile_entries *entries, const struct dts_model *model,
                      const struct dts_layer_call *calls, int l, const struct source *from)
{
    const struct dts_op_call *call = &calls[l].call;
    const size_t clears = dts_call_clears(model, l, true);
    const struct dts_profile_entry entry = {
        .call = *call,
        .key = dts_op_call_key(call),
        .work = dts_call_work(model, calls, l),
        .learns = calls[l].learns,
        .model = from->model,
        .parameters = from->parameters,
        .uses = 1,
        .before = from->before,
        .after = from->after,
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

/* What a layer's calls touch, with their operations and parameters; zeros, where it has none.
 */
static struct dts_others of_layer(const struct dts_model *model,
                                  const struct dts_layer_call *calls, int l)
{
    if (calls[l].call.op == NULL)
        return (struct dts_others){.operations = 0};
    const struct dts_profile_work work = dts_call_work(model, calls, l);
    const double clears = (double)dts_call_clears(model, l, true);
    return (struct dts_others){
        .operations = work.forward_flops,
        .parameters = clears,
        .touched = {work.weight_values + clears,
                    (double)dts_dims_elements(&calls[l].call.output)},
    };
}

/* Operations and parameters become shares of all. */
static struct dts_others share_of(const struct dts_others *all, struct dts_others part)
{
    part.operations = all->operations > 0 ? part.operations / all->operations : 0;
    part.parameters = all->parameters > 0 ? part.parameters / all->parameters : 0;
    return part;
}

static void find_model(const struct dts_profile_request *request, int m,
                       struct dts_profile_entries *entries)
{
    const struct dts_model *model = &request->models[m];
    struct dts_layer_call *calls = dts_alloc((size_t)model->layer_count, sizeof(*calls));
    dts_model_calls(model, true, calls);
    struct dts_profile_step step = {.parameters = model->parameters};
    struct source from = {.model = m,
                          .parameters = model->parameters,
                          .batch = request->batches[request->batch_count - 1]};
    struct dts_others all = {.operations = 0};
    for (int l = 0; l < model->layer_count; l++) {
        const struct dts_others own = of_layer(model, calls, l);
        add_to(&all, &own, 1);
    }
    step.all = from.after = share_of(&all, all);
    for (int l = 0; l < model->layer_count; l++) {
        const struct dts_others own = share_of(&all, of_layer(model, calls, l));
        add_to(&step.before, &from.before, own.parameters);
        add_to(&from.after, &own, -1);
        if (calls[l].call.op != NULL)
            add_layer(entries, model, calls, l, &from);
        add_to(&from.before, &own, 1);
    }
    for (int b = 0; b < request->batch_count; b++)
        entries->steps[m * request->batch_count + b] = step;
    free(calls);
}

void dts_profile_entries_find(const struct dts_profile_request *request,
                              struct dts_profile_entries *entries)
{
    entries->steps = dts_alloc((size_t)(request->model_count * request->batch_count),
                               sizeof(*entries->steps));
    entries->updates_s = dts_alloc((size_t)(request->model_count * request->optimizer_count),
                                   sizeof(*entries->updates_s));
    for (int m = 0; m < request->model_count; m++)
        find_model(request, m, entries);
    for (int i = 0; i < entries->count; i++) {
        struct dts_profile_entry *entry = &entries->items[i];
        entry->times = dts_alloc((size_t)request->batch_count, sizeof(*entry->times));
        entry->reuse = dts_alloc((size_t)request->batch_count, sizeof(*entry->reuse));
    }
}

void dts_profile_entries_free(struct dts_profile_entries *entries)
{
    for (int i = 0; i < entries->count; i++) {
        free(entries->items[i].times);
        free(entries->items[i].reuse);
    }
    free(entries->items);
    free(entries->steps);
    free(entries->updates_s);
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
