/* profile_gaps.c -- what passes in a step between two uses of what a call works on. */
#include <math.h>
#include <string.h>

#include "exec/profile_entries.h"

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
            if (dts_profile_gap_update(request, entries, m, request->optimizers[o]).seconds <
                DTS_FORGOTTEN_S)
                updates[m * request->optimizer_count + o].count = 0;
}

void dts_profile_find_steps(const struct dts_profile_request *request,
                            struct dts_profile_entries *entries, struct dts_runs *updates,
                            const struct dts_pace *pace)
{
    for (int m = 0; m < request->model_count; m++)
        for (int b = 0; b < request->batch_count; b++) {
            struct dts_profile_step *step = step_of(request, entries, m, b);
            measure_step(entries, m, b, pace, step);
            if (request->optimizer_count > 0)
                step->update_s =
                    dts_measured_of(&updates[m * request->optimizer_count], pace).median_s;
        }
    drop_runs(request, entries, updates);
}

static double whole_s(const struct dts_profile_step *step)
{
    return step->forward_s + step->backward_s + step->update_s;
}

static double values_at(struct dts_footprint moved, int batch)
{
    return moved.fixed + moved.sample * batch;
}

/* That an update of all weights reads: each with its gradient and what the optimizer keeps. */
static double update_values(const struct dts_profile_request *request,
                            const struct dts_profile_step *step)
{
    const int states = request->optimizer_count > 0 ? request->optimizers[0]->state_values : 0;
    return (2 + states) * step->parameters;
}

void dts_profile_around(const struct dts_profile_request *request,
                        const struct dts_profile_entries *entries, int model, int batch,
                        struct dts_kernel_timer *timer)
{
    const struct dts_profile_step *step = step_of(request, entries, model, batch);
    timer->weights_bytes = (size_t)(sizeof(float) * step->parameters);
    timer->values_bytes = (size_t)(sizeof(float) * step->outputs * request->batches[batch]);
    timer->around_bytes =
        timer->values_bytes + (size_t)(sizeof(float) * update_values(request, step));
}

/* Of a step that was measured; before another one caches have forgotten. */
static struct dts_gap gap_of(const struct dts_profile_step *step, double seconds, double values)
{
    if (whole_s(step) <= 0)
        return (struct dts_gap){INFINITY, DTS_FORGOTTEN_S};
    return (struct dts_gap){values * sizeof(float), fmin(seconds, DTS_FORGOTTEN_S)};
}

struct dts_gap dts_profile_gap_update(const struct dts_profile_request *request,
                                      const struct dts_profile_entries *entries, int model,
                                      const struct dts_optimizer *optimizer)
{
    const struct dts_profile_step *step = step_of(request, entries, model, 0);
    const double updated = update_values(request, step), states = optimizer->state_values;
    const double since_backward_s =
        step->place * step->backward_s + step->before * step->update_s;
    const double since_backward =
        values_at(step->backward, request->batches[0]) + step->before * updated;
    const double whole = values_at(step->moved, request->batches[0]) + updated;
    return gap_of(step, (2 * since_backward_s + states * whole_s(step)) / (2 + states),
                  (2 * since_backward + states * whole) / (2 + states));
}

struct dts_gap dts_profile_gap(const struct dts_profile_request *request,
                               const struct dts_profile_entries *entries,
                               const struct dts_profile_entry *entry, int batch, bool backward)
{
    const struct dts_profile_step *step = step_of(request, entries, entry->model, batch);
    const int samples = request->batches[batch];
    if (strcmp(entry->call.op, DTS_CALL_GRADIENT_SUM) == 0)
        return gap_of(step, whole_s(step) / 3, INFINITY);
    if (backward)
        return gap_of(step, (1 - entry->place) * (step->forward_s + step->backward_s),
                      values_at(entry->passing.behind, samples));
    return gap_of(step, entry->after * step->update_s + entry->place * step->forward_s,
                  entry->after * update_values(request, step) +
                      values_at(entry->passing.forward, samples));
}

struct dts_gap dts_profile_gap_unused(const struct dts_profile_request *request,
                                      const struct dts_profile_entries *entries,
                                      const struct dts_profile_entry *entry, int batch)
{
    const struct dts_profile_step *step = step_of(request, entries, entry->model, batch);
    if (whole_s(step) <= 0)
        return (struct dts_gap){0, 0};
    return gap_of(step, entry->place * step->backward_s + (1 - entry->after) * step->update_s,
                  (1 - entry->after) * update_values(request, step) +
                      values_at(entry->passing.backward, request->batches[batch]));
}
