/* references.c -- published figures that no point of a scenario is held against. */
#include "answer/notes/references.h"

#include <stdio.h>
#include <string.h>

#include "base/json/cfg.h"
#include "base/text.h"

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
        dts_cfg_fail(&item, "metric", &note,
                     "not compared: no point has fewer than %d device%s", devices,
                     dts_plural(devices));
    else
        dts_cfg_fail(&item, "devices", &note, "not compared: no point has %d device%s", devices,
                     dts_plural(devices));
    fprintf(stderr, "dtsim: note: %s\n", note.text);
}

/* Once for a scenario, though each combination of the sweeps leaves them out. */
static void tell_left_out(const struct dts_scene *scenes, int count)
{
    for (int k = 0; k < count; k++) {
        const struct dts_cfg top = dts_doc_top(scenes[k].scenario.doc);
        struct dts_error note = {0};
        if (scenes[k].left_out.length == 0)
            continue;
        dts_cfg_fail(&top, "references", &note, "not compared where %s is not the file's",
                     scenes[k].left_out.chars);
        fprintf(stderr, "dtsim: note: %s\n", note.text);
        return;
    }
}

void dts_references_tell(const struct dts_changes *changes, const struct dts_scene *scenes,
                         int count)
{
    tell_left_out(scenes, count);
    if (dts_changes_touch(changes, "devices") && !dts_changes_touch(changes, "references"))
        return;
    for (int r = 0; count > 0 && r < scenes[0].scenario.reference_count; r++) {
        bool has_point = false, can_compare = false;
        for (int k = 0; k < count; k++)
            if (scenes[k].scenario.reference_count == scenes[0].scenario.reference_count)
                seek(&scenes[k].scenario, &scenes[k].scenario.references[r], &has_point,
                     &can_compare);
        if (!can_compare)
            tell(&scenes[0].scenario, r, has_point);
    }
}
