/* library.h -- where named files are found: models, devices, stacks, platforms, scenarios.
 *
 * A name without a slash and without ".json" ("resnet50") is looked up in the library that
 * ships with the program: FOLDER/NAME.json below its data folder (the source tree, or the
 * installed share/dtsim). Anything else is a path relative to the folder of the file that says
 * it.
 */
#ifndef DTS_BASE_LIBRARY_H
#define DTS_BASE_LIBRARY_H

#include <stddef.h>

#include "base/error.h"

/* The data folder: that of the running executable (../share/dtsim beside an installed one, the
 * source tree of a build). An absolute path; ends without a slash. */
const char *dts_library_folder(void);

/* The path of a file that is named in `said_in` (a path, or NULL for the command line).
 * `folder` is "models", "devices", ... Fails with the nearest known name when there is none
 * such. *path is allocated; the caller frees it. */
bool dts_library_find(char **path, const char *folder, const char *name, const char *said_in,
                      struct dts_error *err);

/* The names in one folder of the library, sorted; NULL at the end. The caller frees the list
 * and each name. */
char **dts_library_names(const char *folder);

#endif
