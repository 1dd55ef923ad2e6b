/* references.c -- published figures that no point of a scenario is held against. */
#include "cli/references.h"

#include <stdio.h>
#include <string.h>

#include "base/cfg.h"

/* Has this scene a point for the figure, and for an efficiency also one with fewer devices? */
static void seek(const struct dts_scenario *scenario, const struct dts_reference *reference,
                 bool *has_point, bool *can_compare)
{
    bool fewer = strcmp(reference->metric, "scaling_efficiency") != 0, same = false;
    for (size_t d = 0; d < scenario->device_count; d++) {
        same = same || scenario->devices[d] == reference->devices;
        fewer = fewer || scenario->devices[d] < reference->devices;
    }
    *has_point = *has_point || same;
    *can_compare = *can_compare || (same && fewer);
}

static void tell(const struct dts_scenario *scenario, int r, bool has_point)
{
    const struct dts_cfg top = dts_doc_top(scenario->doc),
                         list = dts_cfg_member(&top, "references"),
                         item = dts_cfg_item(&list, (size_t)r);
    const int devices = scenario->references[r].devices;
    struct dts_error note = {0};
    if (has_point)
        dts_cfg_fail(&item, "metric", &note, "not compared: no point has fewer than %d devices",
                     devices);
    else
        dts_cfg_fail(&item, "devices", &note, "not compared: no point has %d devices", devices);
    fprintf(stderr, "dtsim: note: %s\n", note.text);
}

/* Is this the key, or something below it? */
static bool is_at(const char *path, const char *key)
{
    size_t length = strlen(key);
    return strncmp(path, key, length) == 0 && strchr(".[", path[length]) != NULL;
}

/* Does the command line change the key? */
static bool changes(const struct dts_options *options, const char *key)
{
    bool found = false;
    for (int i = 0; i < options->set_count; i++)
        found = found || is_at(options->sets[i].path, key);
    for (int i = 0; i < options->sweep_count; i++)
        found = found || is_at(options->sweeps[i].path, key);
    return found;
}

void dts_references_tell(const struct dts_options *options, const struct dts_scene *scenes,
                         int count)
{
    if (changes(options, "devices") && !changes(options, "references"))
        return;
    for (int r = 0; count > 0 && r < scenes[0].scenario.reference_count; r++) {
        bool has_point = false, can_compare = false;
        for (int k = 0; k < count; k++)
            if (r < scenes[k].scenario.reference_count)
                seek(&scenes[k].scenario, &scenes[k].scenario.references[r], &has_point,
                     &can_compare);
        if (!can_compare)
            tell(&scenes[0].scenario, r, has_point);
    }
}
