/* unused.h -- keys of "live" that have no effect because of other keys, and keys of predictions
 * that have none on a live run. */
#ifndef DTS_ANSWER_NOTES_UNUSED_H
#define DTS_ANSWER_NOTES_UNUSED_H

#include "answer/open.h"
#include "base/text.h"

/* Adds the names of such keys to `note`. With --live such a key is refused, unless it stands in
 * the file and the command line turned off what it is for: one file serves several uses. So are
 * the target and the phases of a training. `doc` was changed by --set and is not read yet. */
bool dts_unused_check(const struct dts_changes *changes, struct dts_doc *doc,
                      struct dts_text *note, struct dts_error *err);

/* Prints the note on stderr unless it is empty. */
void dts_unused_tell(const char *file, const struct dts_text *note);

#endif
