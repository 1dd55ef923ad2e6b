/* known.c -- finds the level that measured points give to a prediction. */
#include "answer/known.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "answer/level.h"
#include "base/mem.h"
#include "base/stats.h"
#include "base/text.h"
#include "train/strategy/strategy.h"

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

static double batch_of(const struct dts_scenario *scenario, int devices)
{
    if (scenario->batch_per_device > 0)
        return (double)scenario->batch_per_device * scenario->accumulate;
    return (double)scenario->batch_global / devices;
}

/* On the fewest devices, and of those with the nearest batch. */
static int find_anchor(const struct dts_question *question)
{
    const double batch = batch_of(question->scenario, question->devices);
    int best = 0;
    double best_distance = INFINITY;
    for (int i = 0; i < question->known_count; i++) {
        const struct dts_question *q = &question->known[i].question;
        const struct dts_rest here = {.batch = batch_of(q->scenario, q->devices)};
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
                             .batch = batch_of(q->scenario, q->devices),
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

void dts_estimate_levelled(const struct dts_question *question, struct dts_result *result)
{
    const int count = question->known_count;
    if (count == 0 || question->check) {
        dts_estimate(question, result);
        return;
    }
    const int anchor = find_anchor(question);
    const double batch = batch_of(question->scenario, question->devices);
    struct dts_rest *rests = dts_alloc((size_t)count, sizeof(*rests));
    double factor = 1;
    if (dts_known_factor(&question->known[anchor], &factor, result) &&
        find_rests(question, anchor, factor, rests, result) &&
        predict(question, factor, false, result)) {
        result->level_kernels = factor;
        result->level_physics_s = result->step.total_s;
        result->level_step = dts_rest_level(rests, count, question->devices, batch);
        dts_level_result(result, result->level_step);
        say(question, anchor, result);
    }
    free(rests);
}

void dts_estimate_at_level(const struct dts_question *question, double kernels, double step,
                           struct dts_result *result)
{
    if (predict(question, kernels, false, result))
        dts_level_result(result, step);
}

/* The scene of one measurement. */
static bool open_one(const struct dts_changes *changes, const char *word, int number,
                     const struct dts_reference *measured, struct dts_scene *scene,
                     struct dts_error *err)
{
    char devices[32], by[64];
    struct dts_changes mine = {.engine = "fluid", .seed = changes->seed};
    snprintf(devices, sizeof(devices), "%d", measured->devices);
    snprintf(by, sizeof(by), "measurements[%d].when: ", number);
    dts_changes_add_by(&mine, by, "devices", devices);
    dts_changes_add_by(&mine, by, "measurements", "null");
    dts_changes_add_object(&mine, by, &measured->when);
    const bool good = dts_scene_open(&mine, word, 0, scene, err);
    dts_changes_free(&mine);
    return good;
}

static bool open_measured(const struct dts_changes *changes, const char *word,
                          const struct dts_scenario *scenario, struct dts_known_set *set,
                          struct dts_error *err)
{
    set->scenes = dts_alloc((size_t)scenario->measurement_count, sizeof(*set->scenes));
    set->known = dts_alloc((size_t)scenario->measurement_count, sizeof(*set->known));
    for (int i = 0; i < scenario->measurement_count; i++) {
        const struct dts_reference *measured = &scenario->measurements[i];
        struct dts_scene *scene = &set->scenes[i];
        if (!open_one(changes, word, i, measured, scene, err))
            return false;
        set->count++;
        const bool step = strcmp(measured->metric, "step_s") == 0;
        set->known[i] = (struct dts_known){
            .question = dts_question_of(scene, 0, measured->devices),
            .step_s = step ? measured->value : 0,
            .throughput_samples_per_s = step ? 0 : measured->value,
        };
    }
    return true;
}

/* What the changes choose beside the machine. Values within a stack are other software than the
 * anchor's, and do not reach it. */
static void add_chosen(struct dts_changes *mine, const struct dts_changes *changes, int k)
{
    static const char *const chosen[] = {"model", "precision", "optimizer", "stack",
                                         "batch_norm"};
    struct dts_setting *settings =
        dts_alloc((size_t)dts_changes_setting_count(changes) + 1, sizeof(*settings));
    const int count = dts_changes_settings(changes, k, settings);
    for (int i = 0; i < count; i++)
        for (size_t c = 0; c < sizeof(chosen) / sizeof(chosen[0]); c++)
            if (strcmp(settings[i].path, chosen[c]) == 0)
                dts_changes_add_by(mine, settings[i].by, settings[i].path, settings[i].value);
    free(settings);
}

static void add_number(struct dts_changes *mine, const char *by, const char *path, int number)
{
    char value[32];
    snprintf(value, sizeof(value), "%d", number);
    dts_changes_add_by(mine, by, path, value);
}

/* The published point of an anchor. */
static bool open_anchor(const struct dts_changes *changes, int k, const char *word,
                        const struct dts_anchor *anchor, int batch, struct dts_known_set *set,
                        struct dts_error *err)
{
    static const char by[] = "an anchor of the stack: ";
    struct dts_changes mine = {.engine = "fluid", .seed = changes->seed};
    add_chosen(&mine, changes, k);
    dts_changes_add_by(&mine, by, "platform", anchor->platform);
    dts_changes_add_by(&mine, by, "device", anchor->device);
    dts_changes_add_by(&mine, by, "measurements", "null");
    dts_changes_add_by(&mine, by, "references", "null");
    dts_changes_add_by(&mine, by, "placement", "{}");
    dts_changes_add_by(&mine, by, "strategies", "[{\"kind\": \"allreduce\"}]");
    dts_changes_add_by(&mine, by, "batch", "{}");
    add_number(&mine, by, "batch.per_device", batch);
    add_number(&mine, by, "batch.accumulate", anchor->accumulate);
    add_number(&mine, by, "devices", anchor->devices);
    set->scenes = dts_alloc(1, sizeof(*set->scenes));
    set->known = dts_alloc(1, sizeof(*set->known));
    const bool good = dts_scene_open(&mine, word, 0, &set->scenes[0], err);
    dts_changes_free(&mine);
    set->count = good;
    set->of_anchor = good;
    bool outside;
    if (good)
        set->known[0] =
            (struct dts_known){.question = dts_question_of(&set->scenes[0], 0, anchor->devices),
                               .step_s = dts_anchor_seconds(anchor, batch, &outside)};
    return good;
}

bool dts_known_open(const struct dts_changes *changes, int k, const char *word,
                    const struct dts_scene *asked, struct dts_known_set *set,
                    struct dts_error *err)
{
    const struct dts_scenario *scenario = &asked->scenario;
    const struct dts_anchor *anchor = dts_stack_anchor(
        &scenario->stack, asked->device.name, scenario->model.name, scenario->precision);
    bool good = true;
    *set = (struct dts_known_set){0};
    if (scenario->measurement_count > 0) {
        good = open_measured(changes, word, scenario, set, err);
    } else if (anchor != NULL && anchor->platform != NULL) {
        const double batch = batch_of(scenario, scenario->devices[0]) / scenario->accumulate;
        good = open_anchor(changes, k, word, anchor, (int)dts_anchor_nearest(anchor, batch),
                           set, err);
    }
    if (!good)
        dts_known_close(set);
    return good;
}

/* A collective alone has no kernels to be levelled. */
static bool trains(const struct dts_scenario *scenario, const char *strategy)
{
    for (int i = 0; i < scenario->strategy_count; i++)
        if (strcmp(scenario->strategies[i].name, strategy) == 0)
            return !scenario->strategies[i].kind->trains_nothing;
    return false;
}

int dts_known_of(const struct dts_known_set *set, const struct dts_scenario *scenario,
                 const char *strategy, struct dts_known *known)
{
    int count = 0;
    if (set->of_anchor && trains(scenario, strategy))
        known[count++] = set->known[0];
    for (int i = 0; i < set->count && !set->of_anchor; i++) {
        const char *only = scenario->measurements[i].strategy;
        if (only != NULL && strcmp(only, strategy) != 0)
            continue;
        const struct dts_scenario *measured = &set->scenes[i].scenario;
        for (int s = 0; s < measured->strategy_count; s++)
            if (strcmp(measured->strategies[s].name, strategy) == 0) {
                known[count] = set->known[i];
                known[count++].question.strategy = &measured->strategies[s];
            }
    }
    return count;
}

void dts_known_close(struct dts_known_set *set)
{
    for (int i = 0; i < set->count; i++)
        dts_scene_close(&set->scenes[i]);
    free(set->scenes);
    free(set->known);
    *set = (struct dts_known_set){0};
}
