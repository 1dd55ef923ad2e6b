/* phases.c -- opens the phases of a training. */
#include "answer/phases.h"

#include <stdio.h>
#include <stdlib.h>

#include "answer/open.h"
#include "base/mem.h"
#include "train/strategy/strategy.h"

/* Those of the scene, without what only the whole training has. */
static void add_settings(struct dts_changes *all, const struct dts_changes *changes, int k)
{
    struct dts_setting *settings =
        dts_alloc((size_t)dts_changes_setting_count(changes) + 1, sizeof(*settings));
    const int count = dts_changes_settings(changes, k, settings);
    for (int i = 0; i < count; i++)
        dts_changes_add_by(all, settings[i].by, settings[i].path, settings[i].value);
    free(settings);
}

static void add_phase(struct dts_changes *to, const char *by, const struct dts_phase *phase)
{
    dts_changes_add_by(to, by, "training", "{}");
    dts_changes_add_by(to, by, "references", "null");
    dts_changes_add_by(to, by, "measurements", "null");
    dts_changes_add_object(to, by, &phase->set);
}

/* A row of the answer is one strategy in all phases. */
static bool same_strategies(struct dts_scene *scene, int number, struct dts_error *err)
{
    const struct dts_scenario *phase = &scene->phases[number].scenario;
    bool trains = true;
    for (int i = 0; i < phase->strategy_count; i++)
        trains = trains && !phase->strategies[i].kind->trains_nothing;
    if (trains && phase->strategy_count == scene->scenario.strategy_count)
        return true;
    dts_scene_close(&scene->phases[number]);
    return dts_fail(
        err, DTS_BAD_INPUT,
        "%s: training.phases[%d].set: must keep the %d strategies of the scenario, which "
        "train",
        dts_doc_name(scene->scenario.doc), number, scene->scenario.strategy_count);
}

/* The document of the scene with the changes of one phase. */
static bool open_phase(const struct dts_changes *changes, int k, struct dts_scene *scene,
                       int number, struct dts_error *err)
{
    const struct dts_phase *phase = &scene->scenario.training.phases[number];
    const struct dts_cfg top = dts_doc_top(scene->scenario.doc);
    struct dts_changes of_phase = {0}, all = {0};
    struct dts_doc *doc = NULL;
    char by[64], *text = dts_cfg_json(&top);
    snprintf(by, sizeof(by), "training.phases[%d].set: ", number);
    add_settings(&all, changes, k);
    add_phase(&all, by, phase);
    add_phase(&of_phase, by, phase);
    bool good = dts_doc_parse(&doc, dts_doc_name(scene->scenario.doc), text, err);
    if (good && !dts_settings_apply(&of_phase, 0, "", doc, err)) {
        dts_doc_free(doc);
        good = false;
    }
    good = good && dts_scene_read(&all, doc, 0, &scene->phases[number], err) &&
           same_strategies(scene, number, err);
    free(text);
    dts_changes_free(&all);
    dts_changes_free(&of_phase);
    return good;
}

bool dts_phases_open(const struct dts_changes *changes, int k, struct dts_scene *scene,
                     struct dts_error *err)
{
    const int count = scene->scenario.training.phase_count;
    if (count == 0)
        return true;
    scene->phases = dts_alloc((size_t)count, sizeof(*scene->phases));
    for (int i = 0; i < count; i++) {
        if (!open_phase(changes, k, scene, i, err))
            return false;
        scene->phase_count++;
    }
    return true;
}

void dts_phases_close(struct dts_scene *scene)
{
    for (int i = 0; i < scene->phase_count; i++)
        dts_scene_close(&scene->phases[i]);
    free(scene->phases);
    scene->phases = NULL;
    scene->phase_count = 0;
}
