/* scenario_files.c -- model and stack: from a name to a file to what is in it. */
#include "train/scenario/scenario_files.h"

#include <stdlib.h>

#include "base/json/library.h"

/* The file of a name, or of the "base" of an object. *changes: that object, NULL: a name. */
static bool find_based(char **path, const struct dts_cfg **changes, const char *folder,
                       const char *key, const struct dts_cfg *place, const struct dts_cfg *top,
                       struct dts_error *err)
{
    const bool based = dts_cfg_is_object(place);
    const struct dts_cfg base = dts_cfg_member(place, "base");
    const char *name;
    *changes = based ? place : NULL;
    if (based && !dts_cfg_exists(&base))
        return dts_cfg_fail(place, "base", err, "missing (a name or a file)");
    return dts_cfg_string(based ? &base : place, &name, err) &&
           dts_library_find_for(path, folder, name, based ? place : top, based ? "base" : key,
                                err);
}

bool dts_scenario_load_stack(struct dts_stack *stack, const struct dts_cfg *place,
                             const struct dts_cfg *top, struct dts_error *err)
{
    const struct dts_cfg *changes;
    char *path;
    if (!find_based(&path, &changes, "stacks", "stack", place, top, err))
        return false;
    const bool good = dts_stack_load_based(stack, path, changes, err);
    free(path);
    return good;
}

bool dts_scenario_load_model(struct dts_model *model, const struct dts_cfg *place,
                             const struct dts_cfg *top, struct dts_error *err)
{
    const struct dts_cfg family = dts_cfg_member(place, "family"),
                         base = dts_cfg_member(place, "base"), *changes;
    char *path;
    if (dts_cfg_exists(&family) && !dts_cfg_exists(&base))
        return dts_model_read_at(model, place, err);
    if (!find_based(&path, &changes, "models", "model", place, top, err))
        return false;
    const bool good = changes != NULL ? dts_model_load_based(model, path, changes, err)
                                      : dts_model_load(model, path, err);
    free(path);
    return good;
}
