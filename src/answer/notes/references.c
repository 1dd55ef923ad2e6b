/* references.c -- published figures that no point of a scenario is held against. */
#include "answer/notes/references.h"

#include <limits.h>
#include <stdio.h>

#include "base/json/cfg.h"
#include "base/text.h"

static int fewest_devices(const struct dts_scenario *scenario)
{
    int fewest = INT_MAX;
    for (size_t d = 0; d < scenario->device_count; d++)
        fewest = scenario->devices[d] < fewest ? scenario->devices[d] : fewest;
    return fewest;
}

/* What the scenes of a scenario have for a figure. */
struct found {
    bool point;       // one of its devices
    bool comparable;  // and of an efficiency, what it is against is the fewest devices
    int other_fewest; // the fewest devices beside a point that is not comparable; 0: none
};

static void seek(const struct dts_scenario *scenario, const struct dts_reference *reference,
                 struct found *found)
{
    bool same = false;
    for (size_t d = 0; d < scenario->device_count; d++)
        same = same || scenario->devices[d] == reference->devices;
    if (!same)
        return;
    const int base = reference->base_devices, fewest = fewest_devices(scenario);
    found->point = true;
    found->comparable = found->comparable || base == 0 || base == fewest;
    if (base != 0 && base != fewest && fewest < reference->devices)
        found->other_fewest = fewest;
}

static void tell(const struct dts_scenario *scenario, int r, const struct found *found)
{
    const struct dts_cfg top = dts_doc_top(scenario->doc),
                         list = dts_cfg_member(&top, "references"),
                         item = dts_cfg_item(&list, (size_t)r);
    const int devices = scenario->references[r].devices;
    struct dts_error note = {0};
    if (found->other_fewest > 0)
        dts_cfg_fail(&item, "metric", &note,
                     "not compared: it is against %d device%s, and the fewest are %d",
                     scenario->references[r].base_devices,
                     dts_plural(scenario->references[r].base_devices), found->other_fewest);
    else if (found->point)
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
    const bool chosen =
        dts_changes_touch(changes, "devices") && !dts_changes_touch(changes, "references");
    for (int r = 0; count > 0 && r < scenes[0].scenario.reference_count; r++) {
        struct found found = {0};
        for (int k = 0; k < count; k++)
            if (scenes[k].scenario.reference_count == scenes[0].scenario.reference_count)
                seek(&scenes[k].scenario, &scenes[k].scenario.references[r], &found);
        if (!found.comparable && (!chosen || found.other_fewest > 0))
            tell(&scenes[0].scenario, r, &found);
    }
}
