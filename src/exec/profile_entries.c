/* profile_entries.c -- the distinct calls of some networks, and their memory. */
#include "exec/profile_entries.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "exec/beside_time.h"
#include "exec/update_time.h"
#include "train/seconds_profile.h"

static void add_to(struct dts_footprint *sum, struct dts_footprint more)
{
    sum->fixed += more.fixed;
    sum->sample += more.sample;
}

static struct dts_footprint difference(struct dts_footprint a, struct dts_footprint b)
{
    return (struct dts_footprint){a.fixed - b.fixed, a.sample - b.sample};
}

/* One of `uses` more. */
static void add_to_mean(double *mean, double value, int uses)
{
    *mean += (value - *mean) / uses;
}

static void add_to_mean_footprint(struct dts_footprint *mean, struct dts_footprint value,
                                  int uses)
{
    add_to_mean(&mean->fixed, value.fixed, uses);
    add_to_mean(&mean->sample, value.sample, uses);
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
        entry->uses++;
        add_to_mean(&entry->place, wanted->place, entry->uses);
        add_to_mean(&entry->after, wanted->after, entry->uses);
        add_to_mean_footprint(&entry->passing.forward, wanted->passing.forward, entry->uses);
        add_to_mean_footprint(&entry->passing.backward, wanted->passing.backward, entry->uses);
        add_to_mean_footprint(&entry->passing.behind, wanted->passing.behind, entry->uses);
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
    int batch;                   // the largest
    double operations, passed;   // forward of a sample: of all layers, of those before this one
    double values, updated;      // parameters: of all layers, of those to this one
    struct dts_footprint behind; // what layers after this one move, both ways
    struct dts_footprint forward, backward; // what those before it do
};

static double place_of(const struct source *from)
{
    return from->operations > 0 ? from->passed / from->operations : 0;
}

static double after_of(const struct source *from)
{
    return from->values > 0 ? 1 - from->updated / from->values : 0;
}

static struct dts_passing passing_of(const struct source *from)
{
    return (struct dts_passing){from->forward, from->backward, from->behind};
}

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
        .place = place_of(from),
        .after = after_of(from),
        .passing = passing_of(from),
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
        .model = from->model,
        .parameters = from->parameters,
        .uses = 1,
        .place = place_of(from),
        .after = after_of(from),
        .passing = passing_of(from),
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

/* What a layer's call moves forward, with the clearing of its gradients, and backward. */
static struct dts_footprint moved_by(const struct dts_model *model,
                                     const struct dts_layer_call *calls, int l, bool backward)
{
    if (calls[l].call.op == NULL || (backward && !calls[l].learns))
        return (struct dts_footprint){0, 0};
    const struct dts_profile_work work = dts_call_work(model, calls, l);
    return backward
               ? (struct dts_footprint){2 * work.weight_values, work.backward_values}
               : (struct dts_footprint){work.weight_values + (double)dts_call_clears(model, l),
                                        work.forward_values};
}

/* The whole of it. */
static struct dts_profile_step step_of(const struct dts_model *model,
                                       const struct dts_layer_call *calls)
{
    struct dts_profile_step step = {.parameters = model->parameters};
    for (int l = 0; l < model->layer_count; l++) {
        add_to(&step.moved, moved_by(model, calls, l, false));
        add_to(&step.moved, moved_by(model, calls, l, true));
        if (calls[l].call.op != NULL)
            step.outputs += (double)dts_dims_elements(&calls[l].call.output);
    }
    return step;
}

static void find_model(const struct dts_profile_request *request, int m,
                       struct dts_profile_entries *entries)
{
    const struct dts_model *model = &request->models[m];
    struct dts_layer_call *calls = dts_alloc((size_t)model->layer_count, sizeof(*calls));
    dts_model_calls(model, true, calls);
    struct dts_profile_step step = step_of(model, calls);
    struct source from = {.model = m,
                          .parameters = model->parameters,
                          .batch = request->batches[request->batch_count - 1],
                          .behind = step.moved};
    for (int l = 0; l < model->layer_count; l++) {
        from.operations += operations_of(model, calls, l);
        from.values += (double)dts_call_clears(model, l);
    }
    for (int l = 0; l < model->layer_count; l++) {
        const double values = (double)dts_call_clears(model, l);
        const double share = from.values > 0 ? values / from.values : 0;
        const struct dts_footprint forward = moved_by(model, calls, l, false);
        const struct dts_footprint backward = moved_by(model, calls, l, true);
        step.place += share * place_of(&from);
        step.before += share * (1 - after_of(&from));
        step.backward.fixed += share * from.backward.fixed;
        step.backward.sample += share * from.backward.sample;
        from.updated += values;
        from.behind = difference(difference(from.behind, forward), backward);
        if (calls[l].call.op != NULL)
            add_layer(entries, model, calls, l, &from);
        from.passed += operations_of(model, calls, l);
        add_to(&from.forward, forward);
        add_to(&from.backward, backward);
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
