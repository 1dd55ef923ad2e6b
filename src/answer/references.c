/* references.c -- published figures that no point of a scenario is held against. */
#include "answer/references.h"

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

void dts_references_tell(const struct dts_changes *changes, const struct dts_scene *scenes,
                         int count)
{
    if (dts_changes_touch(changes, "devices") && !dts_changes_touch(changes, "references"))
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
