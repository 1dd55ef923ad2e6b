/* known_open.c -- opens the points that were measured: of a scenario's "measurements", or of an
 * anchor of its stack.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "answer/estimate.h"
#include "answer/known.h"
#include "base/mem.h"
#include "train/strategy/strategy.h"

/* Who asks: the changes, their combination, and the scenario. */
struct asked {
    const struct dts_changes *changes;
    int k;
    const char *word;
};

/* The strategies that the changes name. */
static void add_strategies(struct dts_changes *mine, const struct asked *asked)
{
    struct dts_setting *settings =
        dts_alloc((size_t)dts_changes_setting_count(asked->changes) + 1, sizeof(*settings));
    const int count = dts_changes_settings(asked->changes, asked->k, settings);
    for (int i = 0; i < count; i++)
        if (dts_path_is_in(settings[i].path, "strategies"))
            dts_changes_add_by(mine, settings[i].by, settings[i].path, settings[i].value);
    free(settings);
}

/* The scene of one measurement; `strategies`: with those of the changes. */
static bool open_one(const struct asked *asked, int number, bool strategies,
                     const struct dts_reference *measured, struct dts_scene *scene,
                     struct dts_error *err)
{
    char devices[32], by[64];
    struct dts_changes mine = {.engine = "auto", .seed = asked->changes->seed};
    if (strategies)
        add_strategies(&mine, asked);
    snprintf(devices, sizeof(devices), "%d", measured->devices);
    snprintf(by, sizeof(by), "measurements[%d].when: ", number);
    dts_changes_add_by(&mine, by, "devices", devices);
    dts_changes_add_by(&mine, by, "measurements", "null");
    dts_changes_add_by(&mine, by, "training", "{}"); // a step is asked for
    dts_changes_add_object(&mine, by, &measured->when);
    const bool good = dts_scene_open(&mine, asked->word, 0, scene, err);
    dts_changes_free(&mine);
    return good;
}

/* The number of a strategy; -1: there is none of that name. */
static int strategy_number(const struct dts_scenario *scenario, const char *name)
{
    int number = scenario->strategy_count - 1;
    while (number >= 0 && strcmp(scenario->strategies[number].name, name) != 0)
        number--;
    return number;
}

/* A measurement is of every strategy: also of those that the changes name. */
static bool open_others(const struct asked *asked, int i, const struct dts_scenario *scenario,
                        struct dts_known_set *set, struct dts_error *err)
{
    bool all_there = true;
    for (int s = 0; s < scenario->strategy_count; s++)
        all_there = all_there && strategy_number(&set->scenes[i].scenario,
                                                 scenario->strategies[s].name) >= 0;
    return all_there || scenario->measurements[i].strategy != NULL ||
           open_one(asked, i, true, &scenario->measurements[i], &set->others[i], err);
}

static bool open_measured(const struct asked *asked, const struct dts_scenario *scenario,
                          struct dts_known_set *set, struct dts_error *err)
{
    const size_t count = (size_t)scenario->measurement_count;
    set->scenes = dts_alloc(count, sizeof(*set->scenes));
    set->others = dts_alloc(count, sizeof(*set->others));
    set->known = dts_alloc(count, sizeof(*set->known));
    for (int i = 0; i < scenario->measurement_count; i++) {
        const struct dts_reference *measured = &scenario->measurements[i];
        struct dts_scene *scene = &set->scenes[i];
        if (!open_one(asked, i, false, measured, scene, err))
            return false;
        set->count++;
        if (!open_others(asked, i, scenario, set, err))
            return false;
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
        const struct asked by = {changes, k, word};
        good = open_measured(&by, scenario, set, err);
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

/* A strategy that only the changes name may be none that there could have been where it was
 * measured: then nothing levels it. */
static bool can_be(const struct dts_question *measured, int number)
{
    struct dts_question built = *measured;
    struct dts_result result;
    built.check = true;
    dts_estimate(&built, &result);
    if (!dts_result_refused(&result))
        return true;
    fprintf(stderr,
            "dtsim: note: measurements[%d] does not level %s, which could not be there: %s\n",
            number, measured->strategy->name, result.error.text);
    return false;
}

/* The measured point as a strategy does it: the file's of that name, else that of the changes.
 * A collective alone has no kernels to be levelled. */
static bool ask_of(const struct dts_known_set *set, int i, int asked, const char *strategy,
                   struct dts_known *known)
{
    const int number = strategy_number(&set->scenes[i].scenario, strategy);
    const struct dts_scene *scene = number >= 0 ? &set->scenes[i] : &set->others[i];
    const int row = number >= 0 ? number : asked;
    if (row >= scene->scenario.strategy_count ||
        scene->scenario.strategies[row].kind->trains_nothing)
        return false;
    *known = set->known[i];
    known->question = dts_question_of(scene, row, known->question.devices);
    known->question.quick = true;
    return number >= 0 || can_be(&known->question, i);
}

int dts_known_of(const struct dts_known_set *set, const struct dts_scenario *scenario,
                 const char *strategy, struct dts_known *known)
{
    const int asked = strategy_number(scenario, strategy);
    int count = 0;
    if (set->of_anchor && !scenario->strategies[asked].kind->trains_nothing)
        known[count++] = set->known[0];
    for (int i = 0; i < set->count && !set->of_anchor; i++) {
        const char *only = scenario->measurements[i].strategy;
        if (only == NULL || strcmp(only, strategy) == 0)
            count += ask_of(set, i, asked, strategy, &known[count]);
    }
    return count;
}

void dts_known_close(struct dts_known_set *set)
{
    for (int i = 0; i < set->count; i++)
        dts_scene_close(&set->scenes[i]);
    for (int i = 0; i < set->count && set->others != NULL; i++)
        dts_scene_close(&set->others[i]);
    free(set->scenes);
    free(set->others);
    free(set->known);
    *set = (struct dts_known_set){0};
}
