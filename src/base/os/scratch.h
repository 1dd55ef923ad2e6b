/* scratch.h -- a new folder for files that nobody else needs, in $TMPDIR or /tmp. It goes with
 * its files when it is closed, and when a signal ends the program (ending.h). */
#ifndef DTS_BASE_OS_SCRATCH_H
#define DTS_BASE_OS_SCRATCH_H

#include "base/error.h"

struct dts_scratch;

/* `name` is for who finds it there: "live" makes dtsim_live_XXXXXX. */
bool dts_scratch_open(struct dts_scratch **scratch, const char *name, struct dts_error *err);

/* The path of a file in it that somebody may write; owned by the folder. */
const char *dts_scratch_file(struct dts_scratch *scratch, const char *name);

void dts_scratch_close(struct dts_scratch *scratch);

#endif
