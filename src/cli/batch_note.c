/* batch_note.c -- a note on a step that takes more samples than there are. */
#include "cli/batch_note.h"

#include <stdio.h>

#include "base/cfg.h"
#include "base/text.h"

bool dts_batch_tell(const struct dts_scenario *scenario, const struct dts_result *point)
{
    double samples = scenario->dataset.samples;
    if (point->error.cause != DTS_NO_ERROR || samples <= 0 || point->global_batch <= samples)
        return false;
    const struct dts_cfg top = dts_doc_top(scenario->doc);
    struct dts_error note = {0};
    dts_cfg_fail(
        &top, "batch", &note,
        "%s, %d device%s: a step takes %d %s%s, the data set has %.0f: an epoch counts "
        "as one step",
        point->strategy, point->devices, dts_plural(point->devices), point->global_batch,
        scenario->model.sample, dts_plural(point->global_batch), samples);
    fprintf(stderr, "dtsim: note: %s\n", note.text);
    return true;
}
