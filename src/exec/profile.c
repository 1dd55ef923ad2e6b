/* profile.c -- every distinct call of some networks, timed. */
#include "exec/profile.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/json_out.h"
#include "base/mem.h"
#include "exec/update_time.h"
#include "kernels/roofline.h"
#include "train/calls.h"
#include "train/seconds_profile.h"

enum { SWEEPS = 3 };

/* What a step touches: weights, gradients and what calls leave. Between two runs of one call in
 * training all of it passes through the caches, and no more. */
struct footprint {
    double fixed_bytes, sample_bytes;
};

static struct footprint footprint_of(const struct dts_model *model,
                                     const struct dts_layer_call *calls)
{
    struct footprint all = {2 * sizeof(float) * model->parameters, 0};
    for (int l = 0; l < model->layer_count; l++)
        if (calls[l].call.op != NULL)
            all.sample_bytes +=
                sizeof(float) * (double)dts_dims_elements(&calls[l].call.output);
    return all;
}

static size_t bytes_at(struct footprint around, int batch)
{
    return (size_t)(around.fixed_bytes + around.sample_bytes * batch);
}

/* A call that occurs, and what was measured of it: one for each batch. */
struct entry {
    struct dts_op_call call;
    struct dts_op_call_key key;
    struct dts_profile_work work;
    bool learns;
    struct footprint around;        // of the largest network that it occurs in
    struct dts_kernel_times *times; // owned
};

struct entries {
    struct entry *items; // owned
    size_t room;
    int count;
};

static void add_entry(struct entries *entries, const struct dts_model *model,
                      const struct dts_layer_call *calls, int l)
{
    const struct dts_op_call_key key = dts_op_call_key(&calls[l].call);
    const struct footprint around = footprint_of(model, calls);
    for (int i = 0; i < entries->count; i++) {
        if (strcmp(entries->items[i].key.chars, key.chars) != 0)
            continue;
        struct entry *entry = &entries->items[i];
        entry->learns = entry->learns || calls[l].learns;
        if (around.fixed_bytes > entry->around.fixed_bytes)
            entry->around = around;
        return;
    }
    entries->items = dts_grow(entries->items, &entries->room, (size_t)entries->count + 1,
                              sizeof(*entries->items));
    entries->items[entries->count++] = (struct entry){
        .call = calls[l].call,
        .key = key,
        .work = dts_call_work(model, calls, l),
        .learns = calls[l].learns,
        .around = around,
    };
}

static size_t step_bytes(const struct dts_model *model, int batch)
{
    struct dts_layer_call *calls = dts_alloc((size_t)model->layer_count, sizeof(*calls));
    dts_model_calls(model, true, calls);
    const struct footprint all = footprint_of(model, calls);
    free(calls);
    return bytes_at(all, batch);
}

static void find_entries(const struct dts_profile_request *request, struct entries *entries)
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

static void free_entries(struct entries *entries)
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

static bool measure_calls(const struct dts_profile_request *request,
                          struct dts_kernel_timer *timer, struct entries *entries, int sweep,
                          struct dts_error *err)
{
    const int in_sweep = entries->count * request->batch_count, total = SWEEPS * in_sweep;
    for (int i = 0; i < entries->count; i++) {
        struct entry *entry = &entries->items[i];
        for (int b = 0; b < request->batch_count; b++) {
            tell(request, sweep * in_sweep + i * request->batch_count + b, total,
                 entry->key.chars);
            timer->around_bytes = bytes_at(entry->around, request->batches[b]);
            if (!dts_kernel_time(timer, &entry->call, request->batches[b], entry->learns,
                                 !entry->call.first, &entry->times[b], err))
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
            if (!dts_update_time(timer, &request->models[m], request->optimizers[o],
                                 &times[m * request->optimizer_count + o], err))
                return false;
        }
    return true;
}

/* All that was measured, for the file. */
struct findings {
    const struct entries *entries;
    const struct dts_runs *updates; // models x optimizers
    int update_count;
    const struct dts_pace *pace;
    const struct dts_roofline *roofline;
    double disturbed_percent;
};

static double disturbed_percent(const struct dts_profile_request *request,
                                const struct findings *found)
{
    struct dts_run_count all = {0, 0};
    for (int i = 0; i < found->entries->count; i++)
        for (int b = 0; b < request->batch_count; b++) {
            const struct dts_kernel_times *times = &found->entries->items[i].times[b];
            dts_runs_count(&times->forward, found->pace, &all);
            dts_runs_count(&times->backward, found->pace, &all);
        }
    for (int u = 0; u < found->update_count; u++)
        dts_runs_count(&found->updates[u], found->pace, &all);
    return 100.0 * (all.runs - all.counting) / (all.runs > 0 ? all.runs : 1);
}

static void write_measured(struct dts_json *json, const char *name, const struct dts_runs *runs,
                           const struct dts_pace *pace)
{
    char key[32];
    if (runs->count == 0)
        return;
    const struct dts_measured measured = dts_measured_of(runs, pace);
    snprintf(key, sizeof(key), "%s_s", name);
    dts_json_number(json, key, measured.median_s);
    snprintf(key, sizeof(key), "%s_mad_s", name);
    dts_json_number(json, key, measured.mad_s);
    snprintf(key, sizeof(key), "%s_least_s", name);
    dts_json_number(json, key, measured.least_s);
}

static void write_entry(struct dts_json *json, const struct dts_profile_request *request,
                        const struct entry *entry, const struct dts_pace *pace)
{
    const struct dts_profile_work *work = &entry->work;
    dts_json_object(json, NULL);
    dts_json_string(json, "call", entry->key.chars);
    dts_json_string(json, "class", dts_work_class_name(work->class));
    dts_json_number(json, "forward_flops", work->forward_flops);
    dts_json_number(json, "backward_flops", work->backward_flops);
    dts_json_number(json, "forward_values", work->forward_values);
    dts_json_number(json, "backward_values", work->backward_values);
    dts_json_number(json, "weight_values", work->weight_values);
    dts_json_list(json, "points");
    for (int b = 0; b < request->batch_count; b++) {
        dts_json_object(json, NULL);
        dts_json_integer(json, "batch", request->batches[b]);
        write_measured(json, "forward", &entry->times[b].forward, pace);
        write_measured(json, "backward", &entry->times[b].backward, pace);
        dts_json_number(json, "memory_bytes", (double)entry->times[b].bytes);
        dts_json_end(json);
    }
    dts_json_end(json);
    dts_json_end(json);
}

static void write_updates(struct dts_json *json, const struct dts_profile_request *request,
                          const struct findings *found)
{
    const struct dts_runs *times = found->updates;
    dts_json_list(json, "updates");
    for (int m = 0; m < request->model_count; m++)
        for (int o = 0; o < request->optimizer_count; o++) {
            dts_json_object(json, NULL);
            dts_json_string(json, "optimizer", request->optimizers[o]->name);
            dts_json_number(json, "parameters", dts_update_count(&request->models[m]));
            write_measured(json, "update", times++, found->pace);
            dts_json_end(json);
        }
    dts_json_end(json);
}

static void write_all(const struct dts_profile_request *request, const struct findings *found,
                      FILE *out)
{
    struct dts_json json = {.out = out, .lines = 4};
    char models[256] = "";
    for (int m = 0; m < request->model_count; m++) {
        const size_t length = strlen(models);
        snprintf(models + length, sizeof(models) - length, "%s%s", m > 0 ? ", " : "",
                 request->models[m].name);
    }
    dts_here_begin(found->roofline, "profile", &json);
    dts_json_object(&json, "profile");
    dts_json_string(&json, "precision", dts_precision_name((int)request->precision));
    dts_json_integer(&json, "threads", request->threads);
    dts_json_string(&json, "models", models);
    dts_json_string(&json, "library", found->roofline->library);
    dts_json_number(&json, "disturbed_percent", found->disturbed_percent);
    dts_json_number(&json, "pace_s", dts_pace_usual_s(found->pace));
    dts_json_list(&json, "kernels");
    for (int i = 0; i < found->entries->count; i++)
        write_entry(&json, request, &found->entries->items[i], found->pace);
    dts_json_end(&json);
    write_updates(&json, request, found);
    dts_json_end(&json);
    dts_json_end(&json);
}

static bool write_file(const struct dts_profile_request *request, const struct findings *found,
                       const char *path, struct dts_error *err)
{
    struct dts_output out;
    if (!dts_output_open(&out, path, err))
        return false;
    write_all(request, found, out.stream);
    return dts_output_close(&out, err);
}

bool dts_profile_measure(const struct dts_profile_request *request, const char *path,
                         double *disturbed, struct dts_error *err)
{
    const double roofline_s = 1; // each of its six measurements
    const int update_count = request->model_count * request->optimizer_count;
    struct entries entries = {.items = NULL};
    struct dts_kernel_timer timer;
    struct dts_roofline_words words;
    struct dts_roofline roofline;
    struct dts_runs *updates = dts_alloc((size_t)update_count + 1, sizeof(*updates));
    struct findings found = {&entries, updates, update_count, &timer.pace, &roofline, 0};
    find_entries(request, &entries);
    bool good = dts_kernel_timer_make(&timer, &request->meter, request->threads,
                                      request->precision, err);
    timer.pace.patience_s = request->patience_s;
    for (int sweep = 0; good && sweep < SWEEPS; sweep++)
        good = measure_calls(request, &timer, &entries, sweep, err) &&
               measure_updates(request, &timer, updates, err);
    if (good) {
        tell(request, 1, 1, "the roofline");
        *disturbed = found.disturbed_percent = disturbed_percent(request, &found);
        good =
            dts_roofline_measure(&roofline, &words, request->threads, roofline_s, NULL, err) &&
            write_file(request, &found, path, err);
    }
    dts_kernel_timer_free(&timer);
    free(updates);
    free_entries(&entries);
    return good;
}
