/* batch_note.h -- a note on steps that take more samples than there are. */
#ifndef DTS_ANSWER_NOTES_BATCH_NOTE_H
#define DTS_ANSWER_NOTES_BATCH_NOTE_H

#include "answer/result.h"
#include "base/text.h"
#include "train/scenario/scenario.h"

struct dts_large_batch {
    int devices, batch;
    double samples; // of the data set
};

/* Points whose global batch is larger than the data set, so that an epoch counts as one step
 * (docs/model.md). All zero: none yet. */
struct dts_batch_note {
    struct dts_large_batch *all; // each once, whatever the strategy; owned
    size_t count, room;
};

/* Adds the point if its global batch is larger than the data set. */
void dts_batch_note_add(struct dts_batch_note *note, const struct dts_scenario *scenario,
                        const struct dts_result *point);

/* Names these points on stderr, if there are any, and forgets them. */
void dts_batch_note_tell(struct dts_batch_note *note, const struct dts_scenario *scenario);

#endif
