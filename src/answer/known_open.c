/* known_open.c -- opens the points that were measured: of a scenario's "measurements", or of an
 * anchor of its stack.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "answer/known.h"
#include "base/mem.h"
#include "train/strategy/strategy.h"

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
    dts_changes_add_by(&mine, by, "training", "{}"); // a step is asked for
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
    dts_changes_add_by(&mine, by, "training", "{}");
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
        const double batch =
            dts_known_batch(scenario, scenario->devices[0]) / scenario->accumulate;
        good = open_anchor(changes, k, word, anchor, (int)dts_anchor_nearest(anchor, batch),
                           set, err);
    }
    if (!good)
        dts_known_close(set);
    return good;
}

int dts_known_like(const struct dts_known *known, int count, const struct dts_model *model,
                   struct dts_known *like)
{
    const uint64_t hash = dts_doc_hash(model->doc, 0);
    int found = 0;
    for (int i = 0; i < count; i++)
        if (dts_doc_hash(known[i].question.scenario->model.doc, 0) == hash)
            like[found++] = known[i];
    if (found == 0)
        memcpy(like, known, (size_t)count * sizeof(*like));
    return found > 0 ? found : count;
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
