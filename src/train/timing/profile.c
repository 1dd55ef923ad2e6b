/* profile.c -- every distinct call of some networks, timed. */
#include "train/timing/profile.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "train/timing/beside_time.h"
#include "train/timing/profile_entries.h"
#include "train/timing/profile_write.h"
#include "train/timing/update_time.h"

static void tell(const struct dts_profile_request *request, int done, int total,
                 const char *what)
{
    if (request->progress != NULL)
        request->progress(request->argument, done, total, what);
}

static bool measure_call(const struct dts_kernel_timer *timer,
                         const struct dts_profile_entry *entry, int batch,
                         struct dts_kernel_times *times, struct dts_error *err)
{
    const struct dts_kernel_work work = dts_profile_kernel_work(entry, batch);
    if (dts_is_beside(&entry->call))
        return dts_beside_time(timer, &entry->call, batch, times, err);
    return dts_kernel_time(timer, &work, times, err);
}

static bool measure_calls(const struct dts_profile_request *request,
                          struct dts_kernel_timer *timer, struct dts_profile_entries *entries,
                          int sweep, struct dts_error *err)
{
    const int in_sweep = entries->count * request->batch_count,
              total = request->sweeps * in_sweep;
    for (int i = 0; i < entries->count; i++) {
        struct dts_profile_entry *entry = &entries->items[i];
        for (int b = 0; b < request->batch_count; b++) {
            tell(request, sweep * in_sweep + i * request->batch_count + b, total,
                 entry->key.chars);
            dts_profile_around(request, entries, entry->model, b, timer);
            timer->forward = dts_profile_gap(request, entries, entry, b, false);
            timer->backward = dts_profile_gap(request, entries, entry, b, true);
            timer->before_update = dts_profile_gap_unused(request, entries, entry, b);
            timer->reuse = entry->reuse[b];
            timer->behind_step =
                request->behind_step != NULL && request->behind_step(request->argument);
            if (!measure_call(timer, entry, request->batches[b], &entry->times[b], err))
                return false;
        }
    }
    return true;
}

/* One for each model and optimizer, after a step of the smallest batch. */
static bool measure_updates(const struct dts_profile_request *request,
                            struct dts_kernel_timer *timer,
                            const struct dts_profile_entries *entries, struct dts_runs *times,
                            struct dts_error *err)
{
    for (int m = 0; m < request->model_count; m++)
        for (int o = 0; o < request->optimizer_count; o++) {
            tell(request, m, request->model_count, request->optimizers[o]->name);
            dts_profile_around(request, entries, m, 0, timer);
            timer->forward = dts_profile_gap_update(request, entries, m, o);
            if (!dts_update_time(timer, &request->models[m], request->optimizers[o],
                                 &times[m * request->optimizer_count + o], err))
                return false;
        }
    return true;
}

static struct dts_run_count count_runs(const struct dts_profile_request *request,
                                       const struct dts_profile_findings *found)
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
    return all;
}

/* All that is measured but the roofline. */
static bool measure_all(const struct dts_profile_request *request,
                        struct dts_kernel_timer *timer, struct dts_profile_entries *entries,
                        struct dts_runs *updates, struct dts_error *err)
{
    bool good = dts_profile_entries_fit(request, timer, entries, err);
    timer->pace.patience_s = request->patience_s;
    timer->pace.asked_s = request->pace_s;
    timer->pace.all_count = request->all_count;
    for (int sweep = 0; good && sweep < request->sweeps; sweep++) {
        // until steps are known calls wait for caches to forget: a few runs will do
        timer->meter.limit_s = sweep == 0 ? 0 : request->meter.limit_s;
        good = measure_calls(request, timer, entries, sweep, err) &&
               measure_updates(request, timer, entries, updates, err);
        if (good && sweep == 0)
            dts_profile_find_steps(request, entries, updates, timer->meter.pace);
    }
    return good;
}

static bool open_device(const struct dts_profile_request *request, struct dts_space **space,
                        struct dts_error *err)
{
    const struct dts_space_request wanted = {
        .number = request->number,
        .threads = request->threads,
        .queues = 1,
        .tf32 = request->precision == DTS_TF32,
    };
    if (wanted.tf32 && !request->kind->tf32)
        return dts_fail(err, DTS_UNSUPPORTED, "precision: %s cannot compute in tf32",
                        request->kind->name);
    return dts_space_open(space, request->kind, &wanted, err);
}

bool dts_profile_measure(const struct dts_profile_request *request, const char *path,
                         struct dts_profile_moments *moments, struct dts_error *err)
{
    const double roofline_s = 1; // each of its measurements
    const int update_count = request->model_count * request->optimizer_count;
    struct dts_profile_entries entries = {.items = NULL};
    struct dts_kernel_timer timer;
    struct dts_roofline_words words;
    struct dts_roofline roofline;
    struct dts_space *space;
    if (!open_device(request, &space, err))
        return false;
    struct dts_runs *updates = dts_alloc((size_t)update_count + 1, sizeof(*updates));
    dts_profile_entries_find(request, &entries);
    bool good =
        dts_kernel_timer_make(&timer, &request->meter, space, request->precision, err) &&
        dts_profile_entries_reuse(request, space, &entries, err) &&
        measure_all(request, &timer, &entries, updates, err);
    if (good) {
        struct dts_profile_findings found = {
            &entries, updates, update_count, timer.meter.pace, &roofline, space, 0};
        tell(request, 1, 1, "the roofline");
        const struct dts_run_count all = count_runs(request, &found);
        found.disturbed_percent = dts_runs_disturbed_percent(&all);
        *moments = (struct dts_profile_moments){.disturbed_percent = found.disturbed_percent};
        if (timer.meter.pace != NULL) {
            dts_pace_judge(timer.meter.pace, &all);
            moments->pace_s = dts_pace_usual_s(timer.meter.pace);
        }
        good = dts_space_roofline(space, roofline_s, &roofline, &words, err) &&
               dts_kernel_timer_works(&timer, err) &&
               dts_profile_write(request, &found, path, err);
    }
    dts_kernel_timer_free(&timer);
    dts_space_close(space);
    free(updates);
    dts_profile_entries_free(&entries);
    return good;
}
