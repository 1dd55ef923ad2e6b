/* neighbour_jobs.c -- builds the neighbours of a point, and sums up their steps. */
#include "answer/variants/neighbour_jobs.h"

#include <math.h>
#include <stdlib.h>

#include "answer/overheads.h"
#include "answer/setting.h"
#include "answer/variants/readers.h"
#include "answer/variants/variant.h"
#include "base/mem.h"
#include "base/text.h"
#include "plan/check.h"

enum { MOST_RANKS = 1 << 20 }; // of all jobs, which engines can count (sim/flow/post.c)

static const struct dts_beside *beside_of(const struct dts_question *q, int entry)
{
    return &q->scenario->neighbours[entry];
}

static struct dts_question question_of(const struct dts_question *q, int entry,
                                       const bool *taken)
{
    const struct dts_beside *beside = beside_of(q, entry);
    const int asked = (int)(q->strategy - q->scenario->strategies);
    struct dts_question one =
        dts_question_of(&q->neighbours[entry], dts_cfg_exists(&beside->strategy) ? 0 : asked,
                        beside->devices > 0 ? beside->devices : q->devices);
    one.storage_share = one.devices / fmax(one.devices, dts_reading_devices(q));
    one.taken = taken;
    one.speed = q->speed;
    one.check = q->check;
    return one;
}

/* Devices of one node of two jobs compute at once: how much slower that is, is known of one job
 * alone. */
static bool check_shared(const struct dts_question *q, const struct dts_neighbour_jobs *jobs,
                         const struct dts_built *built, struct dts_error *err)
{
    const struct dts_platform *platform = q->platform;
    const int each = platform->devices_per_node;
    if (platform->together_count < 2)
        return true;
    for (int r = 0; r < built->ranks; r++) {
        const int node = dts_platform_node_of(platform, built->endpoints[r]);
        for (int d = node * each; d < (node + 1) * each; d++)
            if (jobs->taken[d])
                return dts_fail(err, DTS_BAD_INPUT,
                                "must not share node %d with another job: "
                                "node.compute.together of %s is of one job alone",
                                node, platform->name);
    }
    return true;
}

static bool check_serves(const struct dts_built *built, struct dts_error *err)
{
    const char *who = dts_built_drifting(built);
    return who == NULL || dts_fail(err, DTS_BAD_INPUT, "%s: %s cannot be neighbours",
                                   built->point.strategy->name, who);
}

static void take(struct dts_neighbour_jobs *jobs, const struct dts_built *built)
{
    for (int r = 0; r < built->ranks; r++)
        jobs->taken[built->endpoints[r]] = true;
}

static void add_job(const struct dts_question *one, const struct dts_beside *beside, int copy,
                    struct dts_neighbour_jobs *jobs)
{
    const struct dts_scenario *s = one->scenario;
    const struct dts_built *built = &jobs->built[jobs->count];
    struct dts_neighbour *calm = &jobs->calm[jobs->count], *noisy = &jobs->noisy[jobs->count];
    *calm = (struct dts_neighbour){.job = &built->job,
                                   .endpoint = built->endpoints,
                                   .start_s = beside->start_s + copy * beside->apart_s,
                                   .slowdown = dts_built_slowdown(one),
                                   .reduce_bytes_per_s = dts_built_sums(built),
                                   .compute_factor = built->unlike.factor};
    *noisy = *calm;
    if (dts_setting_noise(s))
        noisy->noise = (struct dts_noise){s->stack.device_sigma, s->stack.step_sigma, s->seed};
    jobs->count++;
}

static bool make_one(const struct dts_question *q, int entry, int copy,
                     struct dts_neighbour_jobs *jobs, struct dts_error *err)
{
    const struct dts_question one = question_of(q, entry, jobs->taken);
    struct dts_built *built = &jobs->built[jobs->count];
    struct dts_error why = {0};
    bool good = dts_built_make(&one, built, &why);
    if (good && !(check_shared(q, jobs, built, &why) && check_serves(built, &why))) {
        dts_built_free(built);
        good = false;
    }
    if (!good) {
        dts_variant_name_error(q->scenario, "neighbours", entry, &why, err);
        return false;
    }
    take(jobs, built);
    jobs->entry[jobs->count] = entry;
    add_job(&one, beside_of(q, entry), copy, jobs);
    return true;
}

static bool check_ranks(const struct dts_question *q, const struct dts_built *asked,
                        const struct dts_neighbour_jobs *jobs, struct dts_error *err)
{
    long long ranks = asked->job.ranks;
    for (int j = 0; j < jobs->count; j++)
        ranks += jobs->built[j].job.ranks;
    return ranks < MOST_RANKS || dts_fail(err, DTS_BAD_INPUT,
                                          "%s: neighbours: all jobs must have fewer than %d "
                                          "ranks, have %lld",
                                          dts_doc_name(q->scenario->doc), MOST_RANKS, ranks);
}

bool dts_neighbour_jobs_make(const struct dts_question *q, const struct dts_built *asked,
                             struct dts_neighbour_jobs *jobs, struct dts_error *err)
{
    const size_t endpoints =
        (size_t)q->platform->nodes * (size_t)q->platform->devices_per_node +
        (size_t)q->platform->nodes;
    size_t count = 0;
    *jobs = (struct dts_neighbour_jobs){0};
    if (q->neighbour_count == 0)
        return true;
    for (int e = 0; e < q->neighbour_count; e++)
        count += (size_t)beside_of(q, e)->count;
    jobs->built = dts_alloc(count, sizeof(*jobs->built));
    jobs->entry = dts_alloc(count, sizeof(*jobs->entry));
    jobs->calm = dts_alloc(count, sizeof(*jobs->calm));
    jobs->noisy = dts_alloc(count, sizeof(*jobs->noisy));
    jobs->taken = dts_alloc(endpoints, sizeof(*jobs->taken));
    take(jobs, asked);
    for (int e = 0; e < q->neighbour_count; e++)
        for (int copy = 0; copy < beside_of(q, e)->count; copy++)
            if (!make_one(q, e, copy, jobs, err))
                return false;
    return check_ranks(q, asked, jobs, err);
}

void dts_neighbour_jobs_free(struct dts_neighbour_jobs *jobs)
{
    for (int j = 0; j < jobs->count; j++)
        dts_built_free(&jobs->built[j]);
    free(jobs->built);
    free(jobs->entry);
    free(jobs->calm);
    free(jobs->noisy);
    free(jobs->taken);
    *jobs = (struct dts_neighbour_jobs){0};
}

double dts_neighbour_jobs_messages(const struct dts_neighbour_jobs *jobs, double seconds)
{
    double messages = 0;
    for (int j = 0; j < jobs->count; j++) {
        const double step_s = dts_overheads_step_s(&jobs->built[j].job);
        struct dts_traffic traffic;
        dts_job_traffic(&jobs->built[j].job, &traffic);
        if (step_s > 0)
            messages += traffic.messages * seconds / step_s;
    }
    return messages;
}

/* ---- what becomes of them ---------------------------------------------------------------- */

/* Steps of jobs, and the samples of all in a second. A job of fewer than two steps leaves them
 * unknown. */
struct steps {
    int jobs;
    double sum_s, worst_s, samples_per_s;
};

static void add_steps(struct steps *steps, double step_s, double samples_per_s)
{
    steps->jobs++;
    steps->sum_s += step_s;
    steps->worst_s = isnan(step_s) ? NAN : fmax(steps->worst_s, step_s);
    steps->samples_per_s += samples_per_s;
}

void dts_neighbour_jobs_list(const struct dts_question *q,
                             const struct dts_neighbour_jobs *jobs, struct dts_result *result)
{
    result->beside_count = q->neighbour_count;
    for (int e = 0; e < q->neighbour_count; e++)
        result->besides[e] = (struct dts_result_beside){
            .step_mean_s = NAN, .step_worst_s = NAN, .throughput_samples_per_s = NAN};
    for (int j = 0; j < jobs->count; j++) {
        const struct dts_point *point = &jobs->built[j].point;
        const char *name = beside_of(q, jobs->entry[j])->name;
        struct dts_result_beside *to = &result->besides[jobs->entry[j]];
        to->jobs++;
        to->devices = point->devices;
        dts_text_copy(to->name, sizeof(to->name), name != NULL ? name : point->strategy->name);
    }
}

static void fill_entry(const struct dts_question *q, const struct dts_neighbour_jobs *jobs,
                       const struct dts_neighbour_time *times, int entry,
                       struct dts_result *result, struct steps *alike)
{
    const struct dts_beside *beside = beside_of(q, entry);
    struct dts_result_beside *to = &result->besides[entry];
    struct steps all = {0};
    for (int j = 0; j < jobs->count; j++) {
        const struct dts_point *point = &jobs->built[j].point;
        if (jobs->entry[j] != entry)
            continue;
        const double samples =
            point->strategy->kind->trains_nothing ? NAN : dts_point_global_batch(point);
        add_steps(&all, times[j].step_s, samples / times[j].step_s);
        if (dts_beside_alike(beside))
            add_steps(alike, times[j].step_s, samples / times[j].step_s);
    }
    to->step_mean_s = all.sum_s / all.jobs;
    to->step_worst_s = isnan(all.sum_s) ? NAN : all.worst_s;
    to->throughput_samples_per_s = all.samples_per_s;
}

/* Jobs that began when the asked one was all but over took nothing from most of its steps. */
static void say_late(const struct dts_neighbour_jobs *jobs,
                     const struct dts_neighbour_time *times, struct dts_result *result)
{
    int late = 0;
    struct dts_text text = {0};
    for (int j = 0; j < jobs->count; j++)
        late += isnan(times[j].step_s);
    if (late == 0)
        return;
    if (result->limits[0] != '\0')
        dts_text_add(&text, "%s; ", result->limits);
    dts_text_add(&text,
                 "%d of %d neighbours made fewer than two steps meanwhile: the step is hardly "
                 "beside them, and more steps help",
                 late, jobs->count);
    dts_text_copy(result->limits, sizeof(result->limits), dts_text_string(&text));
    dts_text_free(&text);
}

void dts_neighbour_jobs_fill(const struct dts_question *q,
                             const struct dts_neighbour_jobs *jobs,
                             const struct dts_neighbour_time *times, double alone_s,
                             struct dts_result *result)
{
    struct steps alike = {0};
    if (jobs->count == 0)
        return;
    dts_neighbour_jobs_list(q, jobs, result);
    say_late(jobs, times, result);
    result->beside.alone_s = alone_s;
    result->beside.slowdown = result->step.total_s / alone_s;
    add_steps(&alike, result->step.total_s, result->throughput_samples_per_s);
    for (int e = 0; e < q->neighbour_count; e++)
        fill_entry(q, jobs, times, e, result, &alike);
    if (alike.jobs < 2)
        return;
    result->jobs.alike = alike.jobs;
    result->jobs.step_mean_s = alike.sum_s / alike.jobs;
    result->jobs.step_worst_s = isnan(alike.sum_s) ? NAN : alike.worst_s;
    result->jobs.throughput_samples_per_s = alike.samples_per_s;
}
