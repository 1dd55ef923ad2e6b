/* simgrid_file.h -- what a SimGrid platform file may hold, looked at before SimGrid reads it.
 */
#ifndef DTS_SIM_NET_SIMGRID_FILE_SIMGRID_FILE_H
#define DTS_SIM_NET_SIMGRID_FILE_SIMGRID_FILE_H

#include "base/error.h"

enum {
    DTS_SIMGRID_MOST_HOSTS = 2048,     // all pairs are stored: 100 MB for routes of 6 links
    DTS_SIMGRID_MOST_S = 100,          // latency of a route: more is a slip of the unit
    DTS_SIMGRID_LEAST_BYTES_PER_S = 1, // of a link: less is one, too
};

/* A platform file comes from anywhere, and SimGrid does what it says: write files (<config>
 * can switch its tracing on), read others, make a thousand million hosts. Refuse such a file,
 * what is no file, and what is larger than 64 MiB. */
bool dts_simgrid_file_check(const char *path, struct dts_error *err);

#endif
