/* simgrid_file.h -- what a SimGrid platform file may hold, looked at before SimGrid reads it.
 */
#ifndef DTS_SIM_NET_SIMGRID_FILE_SIMGRID_FILE_H
#define DTS_SIM_NET_SIMGRID_FILE_SIMGRID_FILE_H

#include <stddef.h>

#include "base/error.h"

enum {
    DTS_SIMGRID_MOST_HOSTS = 2048,     // all pairs are stored: 100 MB for routes of 6 links
    DTS_SIMGRID_MOST_IN_FILE = 100000, // hosts, of which `hosts` may choose some
    DTS_SIMGRID_MOST_S = 100,          // latency of a route: more is a slip of the unit
    DTS_SIMGRID_LEAST_BYTES_PER_S = 1, // of a link: less is one, too
};

/* A platform file comes from anywhere, and SimGrid does what it says: write files (<config>
 * can switch its tracing on), read others, make a thousand million hosts, die of depth. Refuse
 * such a file, what is no file, and what is larger than 64 MiB.
 *
 * *text, which the caller frees, becomes what SimGrid may read: the file with blanks where
 * something is not used here. *note says what that is, where a person has to know. */
bool dts_simgrid_file_read(const char *path, char **text, struct dts_error *note,
                           struct dts_error *err);

#endif
