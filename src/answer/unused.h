/* unused.h -- keys of "live" that would have no effect as others stand. */
#ifndef DTS_ANSWER_UNUSED_H
#define DTS_ANSWER_UNUSED_H

#include "answer/open.h"
#include "base/text.h"

/* Such a key is named in `note`, which stays empty where there is nothing to say. With --live
 * it is refused, but where the command line has turned off what it is for and not said it
 * itself: a scenario is used in more ways than one. `doc` was changed by --set, and is not read
 * yet. */
bool dts_unused_check(const struct dts_changes *changes, struct dts_doc *doc,
                      struct dts_text *note, struct dts_error *err);

/* Say on stderr what the note names, if it does. */
void dts_unused_tell(const char *file, const struct dts_text *note);

#endif
