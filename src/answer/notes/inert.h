/* inert.h -- a note on sweeps whose values all give the same answers: somebody expected a
 * difference. */
#ifndef DTS_ANSWER_NOTES_INERT_H
#define DTS_ANSWER_NOTES_INERT_H

#include "answer/changes.h"
#include "answer/result.h"

/* Does sweep `s` change no number of these points? They are all points of one scenario,
 * combination after combination, as many in each. False where a point of it was refused, and
 * where there is one value. */
bool dts_sweep_is_inert(const struct dts_changes *changes, int s,
                        const struct dts_result *points, int count);

/* Says so on standard error, for each sweep that is. */
void dts_inert_tell(const struct dts_changes *changes, const struct dts_report *report);

#endif
