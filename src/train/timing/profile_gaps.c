/* profile_gaps.c -- what passes in a step between two uses of what a call works on. */
#include <math.h>
#include <string.h>

#include "train/timing/profile_entries.h"

static struct dts_profile_step *step_of(const struct dts_profile_request *request,
                                        const struct dts_profile_entries *entries, int model,
                                        int batch)
{
    return &entries->steps[model * request->batch_count + batch];
}

static void measure_step(const struct dts_profile_entries *entries, int model, int batch,
                         const struct dts_pace *pace, struct dts_profile_step *step)
{
    for (int i = 0; i < entries->count; i++) {
        const struct dts_profile_entry *entry = &entries->items[i];
        const struct dts_kernel_times *times = &entry->times[batch];
        if (entry->model != model)
            continue;
        step->forward_s += entry->uses * dts_measured_of(&times->forward, pace).median_s;
        step->backward_s += entry->uses * dts_measured_of(&times->backward, pace).median_s;
    }
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
        for (int o = 0; o < request->optimizer_count; o++)
            if (dts_profile_gap_update(request, entries, m, o).seconds < DTS_FORGOTTEN_S)
                updates[m * request->optimizer_count + o].count = 0;
}

void dts_profile_find_steps(const struct dts_profile_request *request,
                            struct dts_profile_entries *entries, struct dts_runs *updates,
                            const struct dts_pace *pace)
{
    for (int m = 0; m < request->model_count; m++)
        for (int b = 0; b < request->batch_count; b++)
            measure_step(entries, m, b, pace, step_of(request, entries, m, b));
    for (int u = 0; u < request->model_count * request->optimizer_count; u++)
        entries->updates_s[u] = dts_measured_of(&updates[u], pace).median_s;
    drop_runs(request, entries, updates);
}

static double values_at(struct dts_footprint touched, int batch)
{
    return touched.fixed + touched.sample * batch;
}

/* An update of all weights by the optimizer of that number; by none: nothing but the weights
 * and their gradients. */
struct update {
    int states;     // values that it keeps of a weight
    double values;  // that it reads: weights, gradients and these
    double seconds; // 0 until it was measured
};

static struct update update_of(const struct dts_profile_request *request,
                               const struct dts_profile_entries *entries, int model,
                               int optimizer)
{
    const double parameters = step_of(request, entries, model, 0)->parameters;
    if (optimizer >= request->optimizer_count)
        return (struct update){.values = 2 * parameters};
    const int states = request->optimizers[optimizer]->state_values;
    return (struct update){
        .states = states,
        .values = (2 + states) * parameters,
        .seconds = entries->updates_s[model * request->optimizer_count + optimizer],
    };
}

void dts_profile_around(const struct dts_profile_request *request,
                        const struct dts_profile_entries *entries, int model, int batch,
                        struct dts_kernel_timer *timer)
{
    const struct dts_profile_step *step = step_of(request, entries, model, batch);
    timer->weights_bytes = (size_t)(sizeof(float) * step->parameters);
    timer->values_bytes =
        (size_t)(sizeof(float) * step->all.touched.sample * request->batches[batch]);
}

static double whole_s(const struct dts_profile_step *step, const struct update *update)
{
    return step->forward_s + step->backward_s + update->seconds;
}

/* Of a step that was measured; before another one caches have forgotten. */
static struct dts_gap gap_of(const struct dts_profile_step *step, const struct update *update,
                             double seconds, double values)
{
    if (whole_s(step, update) <= 0)
        return (struct dts_gap){INFINITY, DTS_FORGOTTEN_S};
    return (struct dts_gap){values * sizeof(float), fmin(seconds, DTS_FORGOTTEN_S)};
}

struct dts_gap dts_profile_gap_update(const struct dts_profile_request *request,
                                      const struct dts_profile_entries *entries, int model,
                                      int optimizer)
{
    const struct dts_profile_step *step = step_of(request, entries, model, 0);
    const struct update update = update_of(request, entries, model, optimizer);
    const double states = update.states, samples = request->batches[0];
    const double since_backward_s =
        step->before.operations * step->backward_s + step->before.parameters * update.seconds;
    const double mean_s =
        (2 * since_backward_s + states * whole_s(step, &update)) / (2 + states);
    const double mean_sample =
        (2 * step->before.touched.sample + states * step->all.touched.sample) / (2 + states);
    return gap_of(step, &update, fmax(mean_s - update.seconds, 0), mean_sample * samples);
}

struct dts_gap dts_profile_gap(const struct dts_profile_request *request,
                               const struct dts_profile_entries *entries,
                               const struct dts_profile_entry *entry, int batch, bool backward)
{
    const struct dts_profile_step *step = step_of(request, entries, entry->model, batch);
    const struct update update = update_of(request, entries, entry->model, 0);
    const int samples = request->batches[batch];
    if (strcmp(entry->call.op, DTS_CALL_GRADIENT_SUM) == 0)
        return gap_of(step, &update, whole_s(step, &update) / 3,
                      update.values + step->all.touched.sample * samples);
    if (backward)
        return gap_of(step, &update,
                      entry->after.operations * (step->forward_s + step->backward_s),
                      2 * values_at(entry->after.touched, samples));
    return gap_of(
        step, &update,
        entry->after.parameters * update.seconds + entry->before.operations * step->forward_s,
        entry->after.parameters * update.values + values_at(entry->before.touched, samples));
}

struct dts_gap dts_profile_gap_unused(const struct dts_profile_request *request,
                                      const struct dts_profile_entries *entries,
                                      const struct dts_profile_entry *entry, int batch)
{
    const struct dts_profile_step *step = step_of(request, entries, entry->model, batch);
    const struct update update = update_of(request, entries, entry->model, 0);
    if (whole_s(step, &update) <= 0)
        return (struct dts_gap){0, 0};
    return gap_of(step, &update,
                  entry->before.operations * step->backward_s +
                      entry->before.parameters * update.seconds,
                  entry->before.parameters * update.states * step->parameters +
                      values_at(entry->before.touched, request->batches[batch]));
}
