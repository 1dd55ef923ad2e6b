/* known.c -- finds the level that measured points give to a prediction. */
#include "answer/known.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "answer/level.h"
#include "answer/variants/phase_time.h"
#include "base/mem.h"
#include "base/stats.h"
#include "base/text.h"

enum { TRIES = 8 };

static const double close_enough = 1e-3, most_factor = 1e6;

/* The measured step of a point whose batch the prediction knows. */
static double measured_s(const struct dts_known *known, const struct dts_result *predicted)
{
    if (known->train_s > 0)
        return known->train_s * predicted->step.total_s / predicted->training.time_s;
    return known->step_s > 0 ? known->step_s
                             : predicted->global_batch / known->throughput_samples_per_s;
}

/* The point with kernels that take `factor` times as long. Of a known one the step is all that
 * is asked. */
static bool predict(const struct dts_question *question, double factor, bool step_only,
                    struct dts_result *result)
{
    struct dts_question one = *question;
    one.step_only = one.step_only || step_only;
    one.speed = (question->speed > 0 ? question->speed : 1) / factor;
    dts_estimate(&one, result);
    return !dts_result_refused(result);
}

/* The step grows with the factor as the time of the kernels does, but for small jumps (cycles
 * of the software, messages that begin earlier): the search ends where it is near. */
bool dts_known_factor(const struct dts_known *anchor, double *factor, struct dts_result *result)
{
    double x = 1, next = 1, best_off = INFINITY;
    for (int i = 0; i < TRIES && best_off > close_enough; i++) {
        x = next;
        if (!predict(&anchor->question, x, true, result))
            return false;
        const double wanted_s = measured_s(anchor, result), step_s = result->step.total_s;
        const double kernels_s = result->step.compute_s + result->step.straggler_s;
        const double off = fabs(step_s - wanted_s) / wanted_s;
        if (off < best_off)
            *factor = x;
        best_off = fmin(off, best_off);
        next =
            fmin(fmax(x + (wanted_s - step_s) * x / kernels_s, DTS_LEAST_FACTOR), most_factor);
    }
    return *factor == x || predict(&anchor->question, *factor, true, result);
}

/* What is nearest to the question among points on as many devices. */
static double batch_distance(const struct dts_rest *rest, double batch)
{
    return fabs(log(rest->batch / batch));
}

double dts_known_batch(const struct dts_scenario *scenario, int devices)
{
    if (scenario->batch_per_device > 0)
        return (double)scenario->batch_per_device * scenario->accumulate;
    return (double)scenario->batch_global / devices;
}

/* On the fewest devices, and of those with the nearest batch. */
static int find_anchor(const struct dts_question *question)
{
    const double batch = dts_known_batch(question->scenario, question->devices);
    int best = 0;
    double best_distance = INFINITY;
    for (int i = 0; i < question->known_count; i++) {
        const struct dts_question *q = &question->known[i].question;
        const struct dts_rest here = {.batch = dts_known_batch(q->scenario, q->devices)};
        const double distance = batch_distance(&here, batch);
        const int fewest = question->known[best].question.devices;
        if (q->devices < fewest || (q->devices == fewest && distance < best_distance)) {
            best = i;
            best_distance = distance;
        }
    }
    return best;
}

static int by_devices(const void *a, const void *b)
{
    const struct dts_rest *x = a, *y = b;
    return (x->devices > y->devices) - (x->devices < y->devices);
}

/* One point for each number of devices, the one with the nearest batch. Returns how many. */
static int thin_out(struct dts_rest *rests, int count, double batch)
{
    int kept = 0;
    qsort(rests, (size_t)count, sizeof(*rests), by_devices);
    for (int i = 0; i < count; i++) {
        const bool again = kept > 0 && rests[kept - 1].devices == rests[i].devices;
        if (!again)
            rests[kept++] = rests[i];
        else if (batch_distance(&rests[i], batch) < batch_distance(&rests[kept - 1], batch))
            rests[kept - 1] = rests[i];
    }
    return kept;
}

double dts_rest_level(struct dts_rest *rests, int count, double devices, double batch)
{
    count = thin_out(rests, count, batch);
    if (devices <= rests[0].devices)
        return rests[0].quotient;
    for (int i = 1; i < count; i++)
        if (devices <= rests[i].devices)
            return exp(dts_on_line(log(devices), log(rests[i - 1].devices),
                                   log(rests[i].devices), log(rests[i - 1].quotient),
                                   log(rests[i].quotient)));
    return rests[count - 1].quotient;
}

static struct dts_rest rest_of(const struct dts_known *known,
                               const struct dts_result *predicted)
{
    const struct dts_question *q = &known->question;
    return (struct dts_rest){.devices = q->devices,
                             .batch = dts_known_batch(q->scenario, q->devices),
                             .quotient =
                                 measured_s(known, predicted) / predicted->step.total_s};
}

/* Physics and measurement at all known points. `result` is the anchor, as it is predicted with
 * the factor, and is overwritten. */
static bool find_rests(const struct dts_question *question, int anchor, double factor,
                       struct dts_rest *rests, struct dts_result *result)
{
    rests[anchor] = rest_of(&question->known[anchor], result);
    for (int i = 0; i < question->known_count; i++) {
        const struct dts_known *known = &question->known[i];
        if (i == anchor)
            continue;
        if (!predict(&known->question, factor, true, result))
            return false;
        rests[i] = rest_of(known, result);
    }
    return true;
}

/* Behind what the seconds rest on otherwise. */
static void say(const struct dts_question *question, int anchor, struct dts_result *result)
{
    const size_t length = strlen(result->basis);
    const int devices = question->known[anchor].question.devices;
    struct dts_text text = {0};
    dts_text_add(&text, "; kernels times %.3g, so that the measured step of %d device%s is met",
                 result->level_kernels, devices, dts_plural(devices));
    if (question->known_count > 1)
        dts_text_add(&text, "; the step times %.3g, from what is left at %d measured points",
                     result->level_step, question->known_count);
    snprintf(result->basis + length, sizeof(result->basis) - length, "%s",
             dts_text_string(&text));
    dts_text_free(&text);
}

/* A roofline is off by a factor of two, published software by less than another two. */
static void doubt_level(struct dts_result *result)
{
    const double kernels = 4, step = 2;
    if (result->level_kernels > kernels || result->level_kernels < 1 / kernels)
        dts_result_doubt(
            result,
            "as measured, kernels take %.3g times what physics says: another model, "
            "batch or unit?",
            result->level_kernels);
    if (result->level_step > step || result->level_step < 1 / step)
        dts_result_doubt(result,
                         "as measured, the step takes %.3g times what physics says with such "
                         "kernels",
                         result->level_step);
}

static void doubt_peak(struct dts_result *result)
{
    const bool useful = result->mfu > 1;
    if (useful || result->hfu > 1)
        dts_result_doubt(result, "%s of %.3g %% is above the peak of the device",
                         useful ? "MFU" : "HFU", 100 * (useful ? result->mfu : result->hfu));
}

/* A phase is levelled by the points of its network, where there are any. */
static void estimate_phase(const struct dts_question *question, struct dts_result *result)
{
    struct dts_question one = *question;
    struct dts_known *known = dts_alloc((size_t)question->known_count, sizeof(*known));
    one.known_count = dts_known_like(question->known, question->known_count,
                                     &question->scenario->model, known);
    one.known = known;
    dts_estimate_levelled(&one, result);
    free(known);
}

void dts_estimate_levelled(const struct dts_question *question, struct dts_result *result)
{
    const int count = question->known_count;
    struct dts_question whole = *question;
    whole.phase_count = 0; // each has a level of its own
    if (count == 0 || question->check) {
        dts_estimate(question, result);
        doubt_peak(result);
        return;
    }
    const int anchor = find_anchor(question);
    const double batch = dts_known_batch(question->scenario, question->devices);
    struct dts_rest *rests = dts_alloc((size_t)count, sizeof(*rests));
    double factor = 1;
    if (dts_known_factor(&question->known[anchor], &factor, result) &&
        find_rests(question, anchor, factor, rests, result) &&
        predict(&whole, factor, false, result)) {
        result->level_kernels = factor;
        result->level_physics_s = result->step.total_s;
        result->level_step = dts_rest_level(rests, count, question->devices, batch);
        dts_level_result(result, result->level_step);
        say(question, anchor, result);
        doubt_level(result);
        doubt_peak(result);
        if (question->phase_count > 0)
            dts_phase_time_fill(question, estimate_phase, result);
    }
    free(rests);
}

void dts_estimate_at_level(const struct dts_question *question, double kernels, double step,
                           struct dts_result *result)
{
    struct dts_question one = *question;
    one.known_count = 0; // phases are at the level that was found, too
    if (predict(&one, kernels, false, result))
        dts_level_result(result, step);
}
