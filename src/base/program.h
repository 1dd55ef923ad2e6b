/* program.h -- another program, run to its end. */
#ifndef DTS_BASE_PROGRAM_H
#define DTS_BASE_PROGRAM_H

#include "base/error.h"

/* Run words[0], a path, with the other words, ended by NULL; no shell reads them. False: it
 * could not be started, or did not end with status 0, whereupon `meaning` says what that means.
 */
bool dts_program_run(char *const *words, const char *meaning, struct dts_error *err);

#endif
