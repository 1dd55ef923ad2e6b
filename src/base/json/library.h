/* library.h -- where named files are found: models, devices, stacks, platforms, scenarios.
 *
 * A name without a slash and without ".json" ("resnet50") is looked up in the library that
 * ships with the program: FOLDER/NAME.json below its data folder (the source tree, or the
 * installed share/dtsim). Anything else is a path relative to the folder of the file that says
 * it.
 */
#ifndef DTS_BASE_JSON_LIBRARY_H
#define DTS_BASE_JSON_LIBRARY_H

#include <stddef.h>

#include "base/json/cfg.h"

/* The data folder: that of the running executable (../share/dtsim beside an installed one, the
 * source tree of a build). An absolute path; ends without a slash. */
const char *dts_library_folder(void);

/* The same for a program at this absolute path; for tests. The caller frees it. */
char *dts_library_folder_of(const char *program);

/* The path of another program of ours, which lies beside the running one. The caller frees it.
 */
char *dts_library_program(const char *name);

/* The path of a file that is named in `said_in` (a path, or NULL for the command line).
 * `folder` is "models", "devices", ... Fails with the nearest known name when there is none
 * such; the message says neither `said_in` nor the key: `no model "resnet5" in the library (did
 * you mean resnet50?)`. *path is allocated; the caller frees it. */
bool dts_library_find(char **path, const char *folder, const char *name, const char *said_in,
                      struct dts_error *err);

/* The same for the name that stands at a key of a document, with that place in the message:
 * `scenarios/x.json: model: no model "resnet5" in the library (did you mean resnet50?)`. */
bool dts_library_find_for(char **path, const char *folder, const char *name,
                          const struct dts_cfg *at, const char *key, struct dts_error *err);

/* The path of a file that a file names: relative to its folder. The caller frees it. */
char *dts_library_beside(const char *said_in, const char *path);

/* "devices/p100.json" is the device p100: an allocated copy of the file's name without folder
 * and ".json", control characters escaped. Files of the library know one another by these
 * names. */
char *dts_file_name(const char *path);

/* The names in one folder of the library, sorted; NULL at the end. The caller frees the list
 * and each name. */
char **dts_library_names(const char *folder);

#endif
