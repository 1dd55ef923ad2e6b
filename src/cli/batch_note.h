/* batch_note.h -- a note on a step that takes more samples than there are. */
#ifndef DTS_CLI_BATCH_NOTE_H
#define DTS_CLI_BATCH_NOTE_H

#include "cli/result.h"
#include "train/scenario.h"

/* Says on stderr that a point's global batch is larger than the data set, if it is: an epoch
 * then counts as one step (docs/model.md), which nobody trains. Returns whether it said so. */
bool dts_batch_tell(const struct dts_scenario *scenario, const struct dts_result *point);

#endif
