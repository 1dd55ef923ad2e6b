/* unlike.c -- how many times as long as the plan says each rank computes.
 *
 * A plan has the seconds of one kind of device, that of rank 0. Ranks on another kind take the
 * ratio of the kernels of a whole step as long, the same for every layer: docs/model.md,
 * "Unlike devices".
 */
#include "answer/unlike.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "answer/split.h"
#include "base/mem.h"
#include "base/text.h"

/* The node of a rank on a device; -1: it is on a host, which has no such speed. */
static int node_of(const struct dts_platform *platform, int endpoint)
{
    return endpoint < platform->net.devices ? dts_platform_node_of(platform, endpoint) : -1;
}

static const struct dts_device *device_of(const struct dts_question *q, int kind)
{
    return q->kinds != NULL ? &q->kinds[kind] : q->device;
}

void dts_kinds_used_find(const struct dts_question *q, const int *endpoints, int ranks,
                         struct dts_kinds_used *used)
{
    const struct dts_platform *platform = q->platform;
    *used = (struct dts_kinds_used){.first = q->device,
                                    .memory_bytes_per_s = q->device->memory_bytes_per_s};
    if (q->kinds == NULL)
        return;
    for (int r = 0; endpoints != NULL && r < ranks; r++) {
        const int node = node_of(platform, endpoints[r]);
        if (node >= 0)
            used->ranks[dts_platform_kind_of(platform, node)]++;
    }
    if (endpoints != NULL)
        used->first =
            device_of(q, dts_platform_kind_of(platform, node_of(platform, *endpoints)));
    used->smallest = used->first;
    used->memory_bytes_per_s = used->first->memory_bytes_per_s;
    for (int k = 0; k < platform->kind_count; k++) {
        const struct dts_device *device = device_of(q, k);
        if (endpoints != NULL && used->ranks[k] == 0)
            continue;
        const bool smaller = device->memory_bytes < used->smallest->memory_bytes;
        if (smaller ==
            (endpoints != NULL)) // where nobody has a place, memory is not the reason
            used->smallest = device;
        used->memory_bytes_per_s = fmin(used->memory_bytes_per_s, device->memory_bytes_per_s);
    }
}

/* The kernels of a step on one device. */
static double kernels_s(const struct dts_point *point, const struct dts_model_seconds *seconds)
{
    double once_s = 0;
    for (int l = 0; l < point->scenario->model.layer_count; l++)
        once_s += seconds->forward[l] + seconds->backward[l];
    return point->microbatches * once_s +
           (point->strategy->kind->updates_on_servers ? 0 : seconds->update);
}

/* Of a kind of node. */
struct kind_seconds {
    double kernels_s, ratio;
    bool roofline; // they are not published or measured
    char doubt[160];
};

static bool seconds_of(const struct dts_point *point, const struct dts_device *device,
                       struct kind_seconds *kind, struct dts_error *err)
{
    const struct dts_scenario *s = point->scenario;
    const struct dts_samples samples = dts_point_samples(point);
    struct dts_model_seconds seconds;
    struct dts_error why = {0};
    if (!dts_device_check(device, s->precision, &why))
        return dts_doc_fail(s->doc, "precision", why.cause, err, "%s", why.text);
    if (!dts_model_seconds(&s->model, device, &s->stack, s->optimizer, s->precision, &samples,
                           &seconds, err))
        return false;
    kind->kernels_s = kernels_s(point, &seconds);
    kind->roofline = seconds.anchor == NULL;
    snprintf(kind->doubt, sizeof(kind->doubt), "%s", seconds.doubt);
    dts_model_seconds_free(&seconds);
    return true;
}

/* Against the plan's, by kind; of those in use. */
static bool find_ratios(const struct dts_question *q, const struct dts_point *point,
                        const struct dts_kinds_used *used, struct kind_seconds *kinds,
                        struct dts_error *err)
{
    struct kind_seconds plan;
    kinds[0].ratio = 1;
    if (q->kinds == NULL)
        return true;
    if (!seconds_of(point, used->first, &plan, err))
        return false;
    for (int k = 0; k < q->platform->kind_count; k++) {
        if (used->ranks[k] > 0 && !seconds_of(point, device_of(q, k), &kinds[k], err))
            return false;
        kinds[k].ratio =
            used->ranks[k] > 0 && plan.kernels_s > 0 ? kinds[k].kernels_s / plan.kernels_s : 1;
    }
    return true;
}

/* A published time beside a roofline says little of which is faster. */
static void note_sources(const struct dts_question *q, const struct dts_kinds_used *used,
                         const struct kind_seconds *kinds, struct dts_text *text)
{
    int bare = 0, told = 0;
    for (int k = 0; k < q->platform->kind_count; k++) {
        bare += used->ranks[k] > 0 && kinds[k].roofline;
        told += used->ranks[k] > 0 && !kinds[k].roofline;
        if (used->ranks[k] > 0 && kinds[k].doubt[0] != '\0')
            dts_text_add(text, "; %s: %s", device_of(q, k)->name, kinds[k].doubt);
    }
    for (int k = 0; bare > 0 && told > 0 && k < q->platform->kind_count; k++)
        if (used->ranks[k] > 0 && kinds[k].roofline)
            dts_text_add(text, "; %s has only a roofline, others a published or measured time",
                         device_of(q, k)->name);
}

/* "slowest: node kind a, 8 of 16 devices; b takes 0.93 times as long" */
static void note_kinds(const struct dts_question *q, const struct dts_kinds_used *used,
                       const struct kind_seconds *kinds, struct dts_text *text)
{
    const int count = q->platform->kind_count;
    int slowest = -1, devices = 0;
    for (int k = 0; k < count; k++) {
        devices += used->ranks[k];
        if (used->ranks[k] > 0 && (slowest < 0 || kinds[k].ratio > kinds[slowest].ratio))
            slowest = k;
    }
    if (slowest < 0)
        return;
    bool alike = true;
    for (int k = 0; k < count; k++)
        alike &= used->ranks[k] == 0 || kinds[k].ratio == kinds[slowest].ratio;
    if (used->ranks[slowest] == devices || alike) {
        dts_text_add(text,
                     used->ranks[slowest] == devices
                         ? "all on node kind %s"
                         : "nodes of several kinds, all as fast as %s",
                     device_of(q, slowest)->name);
        return;
    }
    dts_text_add(text, "slowest: node kind %s, %d of %d devices", device_of(q, slowest)->name,
                 used->ranks[slowest], devices);
    for (int k = 0; k < count; k++)
        if (used->ranks[k] > 0 && k != slowest)
            dts_text_add(text, "; %s takes %.3g times as long", device_of(q, k)->name,
                         kinds[k].ratio / kinds[slowest].ratio);
    note_sources(q, used, kinds, text);
}

/* "slowest: node 3, 1.3 times as long; 1 of 4 nodes in use is slow" */
static void note_slow(const struct dts_question *q, const int *endpoints, int ranks,
                      struct dts_text *text)
{
    const struct dts_platform *platform = q->platform;
    int worst = -1, in_use = 0, slow = 0;
    bool *seen = dts_alloc((size_t)platform->nodes, sizeof(*seen));
    for (int r = 0; r < ranks; r++) {
        const int node = node_of(platform, endpoints[r]);
        if (node < 0 || seen[node])
            continue;
        seen[node] = true;
        in_use++;
        slow += platform->node_factor[node] > 1;
        if (worst < 0 || platform->node_factor[node] > platform->node_factor[worst])
            worst = node;
    }
    free(seen);
    if (slow > 0)
        dts_text_add(
            text, "%s: node %d, %.4g times as long; %d of the %d node%s in use %s slow",
            text->length > 0 ? "; slow nodes" : "slowest", worst, platform->node_factor[worst],
            slow, in_use, dts_plural(in_use), slow == 1 ? "is" : "are");
}

/* "slowest: worker 0, 3 times as long; 1 of 8 workers is slow" */
static void note_workers(const struct dts_slow_workers *slow, int workers,
                         struct dts_text *text)
{
    const struct dts_slow_worker *worst = NULL;
    int count = 0;
    for (int i = 0; i < slow->count; i++) {
        const struct dts_slow_worker *one = &slow->all[i];
        if (one->worker >= workers || one->factor == 1)
            continue;
        count++;
        if (worst == NULL || one->factor > worst->factor)
            worst = one;
    }
    if (worst != NULL)
        dts_text_add(text, "%s: worker %d, %.4g times as long; %d of %d workers %s slow",
                     text->length > 0 ? "; slow workers" : "slowest", worst->worker,
                     worst->factor, count, workers, count == 1 ? "is" : "are");
}

static void set_factors(const struct dts_question *q, const struct dts_slow_workers *slow,
                        const struct dts_job *job, const int *endpoints,
                        const struct kind_seconds *kinds, struct dts_unlike *unlike)
{
    const struct dts_platform *platform = q->platform;
    bool any = false;
    int worker = 0;
    unlike->factor = dts_alloc((size_t)job->ranks, sizeof(*unlike->factor));
    for (int r = 0; r < job->ranks; r++) {
        const int node = node_of(platform, endpoints[r]);
        unlike->factor[r] = 1;
        if (node >= 0)
            unlike->factor[r] =
                kinds[dts_platform_kind_of(platform, node)].ratio *
                (platform->node_factor != NULL ? platform->node_factor[node] : 1);
        if (dts_job_role(job, r)->kind == DTS_WORKER)
            unlike->factor[r] *= dts_slow_workers_factor(slow, worker++);
        any |= unlike->factor[r] != 1;
    }
    unlike->mean = 0;
    const int workers = dts_job_workers(job);
    for (int r = 0; r < job->ranks; r++)
        if (dts_job_role(job, r)->kind == DTS_WORKER) {
            unlike->mean += unlike->factor[r] / workers;
            unlike->apart |= unlike->factor[r] != unlike->factor[0];
        }
    if (!any) {
        dts_unlike_free(unlike);
        unlike->mean = 1;
    }
}

bool dts_unlike_find(const struct dts_question *q, const struct dts_point *point,
                     const struct dts_job *job, const int *endpoints,
                     const struct dts_kinds_used *used, struct dts_unlike *unlike,
                     struct dts_error *err)
{
    struct kind_seconds kinds[DTS_MOST_KINDS] = {{0}};
    struct dts_text text = {0};
    *unlike = (struct dts_unlike){.mean = 1};
    const struct dts_slow_workers *slow = &point->scenario->slow_workers;
    if (q->kinds == NULL && q->platform->node_factor == NULL && slow->count == 0) {
        snprintf(unlike->note, sizeof(unlike->note), "%s", q->platform->hosts_note);
        return true;
    }
    if (!find_ratios(q, point, used, kinds, err))
        return false;
    set_factors(q, slow, job, endpoints, kinds, unlike);
    if (q->kinds != NULL)
        note_kinds(q, used, kinds, &text);
    if (q->platform->node_factor != NULL)
        note_slow(q, endpoints, job->ranks, &text);
    if (slow->count > 0)
        note_workers(slow, dts_job_workers(job), &text);
    if (q->platform->hosts_note[0] != '\0')
        dts_text_add(&text, "%s%s", text.length > 0 ? "; " : "", q->platform->hosts_note);
    snprintf(unlike->note, sizeof(unlike->note), "%s", dts_text_string(&text));
    dts_text_free(&text);
    return true;
}

/* What is there for others does not tell of it: loads have cohorts of their own. */
static bool run_even(const struct dts_unlike *unlike, const struct dts_engine *engine,
                     const struct dts_simulation *simulation, struct dts_timing *timing,
                     struct dts_error *err)
{
    const int ranks = simulation->job->ranks;
    struct dts_simulation even = *simulation;
    double *factor = dts_alloc((size_t)ranks, sizeof(*factor));
    for (int r = 0; r < ranks; r++)
        factor[r] = dts_job_role(simulation->job, r)->kind == DTS_SERVER ? 1 : unlike->mean;
    even.compute_factor = factor;
    even.loader = NULL;
    const bool ok = engine->run(&even, timing, err);
    free(factor);
    return ok;
}

bool dts_unlike_split(const struct dts_unlike *unlike, const struct dts_engine *engine,
                      const struct dts_simulation *simulation, const struct dts_timing *calm,
                      const struct dts_timing *noisy, struct dts_step *step,
                      struct dts_error *err)
{
    const struct dts_job *job = simulation->job;
    struct dts_timing even;
    if (!unlike->apart) {
        dts_split(job, unlike->mean, calm, noisy, step);
        return true;
    }
    if (!run_even(unlike, engine, simulation, &even, err))
        return false;
    dts_split(job, unlike->mean, even.step_s <= calm->step_s ? &even : calm, noisy, step);
    dts_timing_free(&even);
    return true;
}

void dts_unlike_free(struct dts_unlike *unlike)
{
    free(unlike->factor);
    *unlike = (struct dts_unlike){0};
}
