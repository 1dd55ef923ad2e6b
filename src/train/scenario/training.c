/* training.c -- the key "training": epochs, or a target with its convergence profile. */
#include "train/scenario/training.h"

#include <stdlib.h>

#include "base/json/library.h"
#include "base/mem.h"

static const struct dts_field target_fields[] = {
    {DTS_KEY(struct dts_target_words, profile), .type = DTS_STRING,
     .help = "what runs needed to reach it: a name (`dtsim list convergence`) or a file"},
    {DTS_KEY(struct dts_target_words, recipe), .type = DTS_STRING, .missing = "null",
     .help = "which recipe of the profile; default: its own"},
    {0},
};

const struct dts_field dts_training_fields[] = {
    {DTS_KEY(struct dts_training, epochs), .type = DTS_REAL, .min = 1e-6, .max = 1e6,
     .missing = "null", .help = "passes over the data set, for the time that they take"},
    {DTS_KEY(struct dts_training, target), .type = DTS_OBJECT, .fields = target_fields,
     .missing = "null", .help = "instead of epochs: train until a target is reached"},
    {0},
};

static bool choose_recipe(struct dts_training *training, const struct dts_cfg *at,
                          struct dts_error *err)
{
    const struct dts_convergence *profile = training->profile;
    struct dts_text known = {0};
    if (training->target.recipe == NULL)
        return true;
    training->recipe = dts_convergence_recipe(profile, training->target.recipe);
    if (training->recipe >= 0)
        return true;
    for (int i = 0; i < profile->recipe_count; i++)
        dts_text_add(&known, "%s%s", i > 0 ? ", " : "", profile->recipes[i]);
    dts_cfg_fail(at, "recipe", err, "must be one of %s, got \"%s\"", dts_text_string(&known),
                 training->target.recipe);
    dts_text_free(&known);
    return false;
}

bool dts_training_load(struct dts_training *training, const struct dts_cfg *top,
                       struct dts_error *err)
{
    const struct dts_cfg at = dts_cfg_member(top, "training");
    const struct dts_cfg target = dts_cfg_member(&at, "target");
    char *path;
    if (training->target.profile == NULL)
        return true;
    if (training->epochs > 0)
        return dts_cfg_fail(&at, NULL, err, "has both epochs and target: give one");
    if (!dts_library_find_for(&path, "convergence", training->target.profile, &target,
                              "profile", err))
        return false;
    training->profile = dts_alloc(1, sizeof(*training->profile));
    const bool good = dts_convergence_load(training->profile, path, err);
    free(path);
    return good && choose_recipe(training, &target, err);
}

void dts_training_free(struct dts_training *training)
{
    if (training->profile != NULL)
        dts_convergence_free(training->profile);
    free(training->profile);
    *training = (struct dts_training){0};
}
