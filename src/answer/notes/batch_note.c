/* batch_note.c -- a note on steps that take more samples than there are. */
#include "answer/notes/batch_note.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/json/cfg.h"
#include "base/mem.h"

enum { NAMED = 4 }; // in one note; the others are counted

void dts_batch_note_add(struct dts_batch_note *note, const struct dts_scenario *scenario,
                        const struct dts_result *point)
{
    const struct dts_large_batch large = {point->devices, point->global_batch,
                                          scenario->dataset.samples};
    if (dts_result_refused(point) || large.samples <= 0 || large.batch <= large.samples)
        return;
    for (size_t i = 0; i < note->count; i++)
        if (note->all[i].devices == large.devices && note->all[i].batch == large.batch &&
            note->all[i].samples == large.samples)
            return;
    note->all = dts_grow(note->all, &note->room, note->count + 1, sizeof(*note->all));
    note->all[note->count++] = large;
}

void dts_batch_note_tell(struct dts_batch_note *note, const struct dts_scenario *scenario)
{
    if (note->count == 0)
        return; // and nothing is held
    const struct dts_cfg top = dts_doc_top(scenario->doc);
    struct dts_text which = {0};
    struct dts_error said = {0};
    for (size_t i = 0; i < note->count && i < NAMED; i++) {
        const struct dts_large_batch *large = &note->all[i];
        dts_text_add(&which, "%s%d of %.0f with %d device%s", i > 0 ? ", " : "", large->batch,
                     large->samples, large->devices, dts_plural(large->devices));
    }
    if (note->count > NAMED)
        dts_text_add(&which, ", and %zu more", note->count - NAMED);
    dts_cfg_fail(
        &top, "batch", &said,
        "a step takes more %ss than the data set has (%s): an epoch counts as one step",
        scenario->model.sample, dts_text_string(&which));
    fprintf(stderr, "dtsim: note: %s\n", said.text);
    dts_text_free(&which);
    free(note->all);
    *note = (struct dts_batch_note){0};
}
