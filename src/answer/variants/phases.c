/* phases.c -- opens the phases of a training. */
#include "answer/variants/phases.h"

#include <stdio.h>
#include <stdlib.h>

#include "answer/variants/variant.h"
#include "base/mem.h"
#include "train/strategy/strategy.h"

/* Without what only the whole training has. */
static void add_phase(struct dts_changes *to, const char *by, const struct dts_phase *phase)
{
    dts_changes_add_by(to, by, "training", "{}");
    dts_changes_add_by(to, by, "references", "null");
    dts_changes_add_by(to, by, "measurements", "null");
    dts_changes_add_object(to, by, &phase->set);
}

/* A row of the answer is one strategy in all phases. */
static bool same_strategies(const struct dts_scenario *scenario,
                            const struct dts_scenario *phase, const char *lead,
                            struct dts_error *err)
{
    bool trains = true;
    for (int i = 0; i < phase->strategy_count; i++)
        trains = trains && !phase->strategies[i].kind->trains_nothing;
    return (trains && phase->strategy_count == scenario->strategy_count) ||
           dts_fail(err, DTS_BAD_INPUT,
                    "%s: must keep the %d strategies of the scenario, which train", lead,
                    scenario->strategy_count);
}

/* Who says what a phase sets, and where: "x.json: training.phases[1].set". The caller frees it.
 */
static char *lead_of(const struct dts_scenario *scenario, int number)
{
    const struct dts_cfg top = dts_doc_top(scenario->doc),
                         training = dts_cfg_member(&top, "training"),
                         list = dts_cfg_member(&training, "phases"),
                         item = dts_cfg_item(&list, (size_t)number),
                         set = dts_cfg_member(&item, "set");
    return dts_cfg_lead(&set);
}

void dts_phase_name_error(const struct dts_scenario *scenario, int number,
                          const struct dts_error *why, struct dts_error *err)
{
    dts_variant_name_error(scenario, "training.phases", number, why, err);
}

/* The document of the scene with the changes of one phase. */
static bool read_phase(const struct dts_changes *changes, int k, struct dts_scene *scene,
                       int number, const char *lead, struct dts_error *err)
{
    const struct dts_phase *phase = &scene->scenario.training.phases[number];
    struct dts_changes of_phase = {0};
    struct dts_text by = {0};
    dts_text_add(&by, "%s: ", lead);
    add_phase(&of_phase, by.chars, phase);
    const bool good =
        dts_variant_read(changes, k, scene, &of_phase, &scene->phases[number], err);
    dts_text_free(&by);
    dts_changes_free(&of_phase);
    return good;
}

static bool open_phase(const struct dts_changes *changes, int k, struct dts_scene *scene,
                       int number, struct dts_error *err)
{
    char *lead = lead_of(&scene->scenario, number);
    struct dts_error why = {0};
    bool good = read_phase(changes, k, scene, number, lead, &why);
    if (good &&
        !same_strategies(&scene->scenario, &scene->phases[number].scenario, lead, &why)) {
        dts_scene_close(&scene->phases[number]);
        good = false;
    }
    if (!good)
        dts_phase_name_error(&scene->scenario, number, &why, err);
    free(lead);
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
