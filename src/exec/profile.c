/* profile.c -- every distinct call of some networks, timed. */
#include "exec/profile.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "exec/profile_file.h"
#include "exec/update_time.h"
#include "kernels/roofline.h"
#include "train/calls.h"

/* Sweeps over all calls: more than LEAST of them as long as they take no longer than this. A
 * shared machine changes its speed every few seconds. */
enum { LEAST_SWEEPS = 3, SWEEPS = 15 };
static const double SWEEPS_S = 10;

static struct dts_profile_footprint footprint_of(const struct dts_model *model,
                                                 const struct dts_layer_call *calls)
{
    struct dts_profile_footprint all = {2 * sizeof(float) * model->parameters, 0};
    for (int l = 0; l < model->layer_count; l++)
        if (calls[l].call.op != NULL)
            all.sample_bytes +=
                sizeof(float) * (double)dts_dims_elements(&calls[l].call.output);
    return all;
}

static size_t bytes_at(struct dts_profile_footprint around, int batch)
{
    return (size_t)(around.fixed_bytes + around.sample_bytes * batch);
}

static bool has_lists(const struct dts_model *model, const struct dts_layer_call *call)
{
    for (int p = 0; p < call->call.param_count; p++)
        if (model->layers[call->param_layers[p]].params[call->param_numbers[p]].sparse_row > 0)
            return true;
    return false;
}

static void add_entry(struct dts_profile_entries *entries, const struct dts_model *model,
                      const struct dts_layer_call *calls, int l)
{
    const struct dts_op_call_key key = dts_op_call_key(&calls[l].call);
    const struct dts_profile_footprint around = footprint_of(model, calls);
    for (int i = 0; i < entries->count; i++) {
        if (strcmp(entries->items[i].key.chars, key.chars) != 0)
            continue;
        struct dts_profile_entry *entry = &entries->items[i];
        entry->learns = entry->learns || calls[l].learns;
        if (around.fixed_bytes > entry->around.fixed_bytes)
            entry->around = around;
        return;
    }
    entries->items = dts_grow(entries->items, &entries->room, (size_t)entries->count + 1,
                              sizeof(*entries->items));
    entries->items[entries->count++] = (struct dts_profile_entry){
        .call = calls[l].call,
        .key = key,
        .work = dts_call_work(model, calls, l),
        .learns = calls[l].learns,
        .lists = has_lists(model, &calls[l]),
        .around = around,
    };
}

static size_t step_bytes(const struct dts_model *model, int batch)
{
    struct dts_layer_call *calls = dts_alloc((size_t)model->layer_count, sizeof(*calls));
    dts_model_calls(model, true, calls);
    const struct dts_profile_footprint all = footprint_of(model, calls);
    free(calls);
    return bytes_at(all, batch);
}

static void find_entries(const struct dts_profile_request *request,
                         struct dts_profile_entries *entries)
{
    for (int m = 0; m < request->model_count; m++) {
        const struct dts_model *model = &request->models[m];
        struct dts_layer_call *calls = dts_alloc((size_t)model->layer_count, sizeof(*calls));
        dts_model_calls(model, true, calls);
        for (int l = 0; l < model->layer_count; l++)
            if (calls[l].call.op != NULL)
                add_entry(entries, model, calls, l);
        free(calls);
    }
    for (int i = 0; i < entries->count; i++)
        entries->items[i].times =
            dts_alloc((size_t)request->batch_count, sizeof(struct dts_kernel_times));
}

static void free_entries(struct dts_profile_entries *entries)
{
    for (int i = 0; i < entries->count; i++)
        free(entries->items[i].times);
    free(entries->items);
}

static void tell(const struct dts_profile_request *request, int done, int total,
                 const char *what)
{
    if (request->progress != NULL)
        request->progress(request->argument, done, total, what);
}

/* The median of a sweep's runs. */
static void add_sweep(struct dts_runs *runs, const struct dts_runs *sweep)
{
    if (sweep->count > 0)
        runs->seconds[runs->count++] = dts_measured_of(sweep).median_s;
}

static bool measure_call(const struct dts_kernel_timer *timer, struct dts_profile_entry *entry,
                         int batch, struct dts_kernel_times *out, struct dts_error *err)
{
    const struct dts_kernel_work work = {.call = &entry->call,
                                         .batch = batch,
                                         .backward = entry->learns,
                                         .with_inputs = !entry->call.first,
                                         .lists = entry->lists};
    struct dts_kernel_times sweep = {.bytes = 0};
    if (!dts_kernel_time(timer, &work, &sweep, err))
        return false;
    add_sweep(&out->forward, &sweep.forward);
    add_sweep(&out->backward, &sweep.backward);
    out->bytes = sweep.bytes;
    return true;
}

static bool measure_calls(const struct dts_profile_request *request,
                          struct dts_kernel_timer *timer, struct dts_profile_entries *entries,
                          int sweep, struct dts_error *err)
{
    const int in_sweep = entries->count * request->batch_count, total = SWEEPS * in_sweep;
    for (int i = 0; i < entries->count; i++) {
        struct dts_profile_entry *entry = &entries->items[i];
        for (int b = 0; b < request->batch_count; b++) {
            tell(request, sweep * in_sweep + i * request->batch_count + b, total,
                 entry->key.chars);
            timer->around_bytes = bytes_at(entry->around, request->batches[b]);
            if (!measure_call(timer, entry, request->batches[b], &entry->times[b], err))
                return false;
        }
    }
    return true;
}

/* One for each model and optimizer, after a step of the smallest batch. */
static bool measure_updates(const struct dts_profile_request *request,
                            struct dts_kernel_timer *timer, struct dts_runs *times,
                            struct dts_error *err)
{
    for (int m = 0; m < request->model_count; m++)
        for (int o = 0; o < request->optimizer_count; o++) {
            tell(request, m, request->model_count, request->optimizers[o]->name);
            timer->around_bytes = step_bytes(&request->models[m], request->batches[0]);
            struct dts_runs sweep = {.count = 0};
            if (!dts_update_time(timer, &request->models[m], request->optimizers[o], &sweep,
                                 err))
                return false;
            add_sweep(&times[m * request->optimizer_count + o], &sweep);
        }
    return true;
}

static bool goes_on(int sweeps, double begin_s)
{
    return sweeps < LEAST_SWEEPS || (sweeps < SWEEPS && dts_now_s() < begin_s + SWEEPS_S);
}

bool dts_profile_measure(const struct dts_profile_request *request, const char *path,
                         struct dts_error *err)
{
    const double roofline_s = 1; // for each of its six measurements
    struct dts_profile_entries entries = {.items = NULL};
    struct dts_kernel_timer timer;
    struct dts_roofline_words words;
    struct dts_roofline roofline;
    struct dts_runs *updates = dts_alloc(
        (size_t)(request->model_count * request->optimizer_count) + 1, sizeof(*updates));
    find_entries(request, &entries);
    bool good = dts_kernel_timer_make(&timer, &request->meter, request->threads,
                                      request->precision, err);
    const double begin_s = dts_now_s();
    for (int sweep = 0; good && goes_on(sweep, begin_s); sweep++)
        good = measure_calls(request, &timer, &entries, sweep, err) &&
               measure_updates(request, &timer, updates, err);
    dts_kernel_timer_free(&timer);
    if (good) {
        tell(request, 1, 1, "the roofline");
        good =
            dts_roofline_measure(&roofline, &words, request->threads, roofline_s, NULL, err) &&
            dts_profile_write(request, &roofline, &entries, updates, path, err);
    }
    free(updates);
    free_entries(&entries);
    return good;
}
