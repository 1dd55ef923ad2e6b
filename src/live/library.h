/* library.h -- collectives that the MPI library does itself. Private to the module. */
#ifndef DTS_LIVE_LIBRARY_H
#define DTS_LIVE_LIBRARY_H

#include "live/lane.h"

/* Communicators for such operations of the rank's plan: streams may do theirs at once. */
void dts_library_open(struct dts_lanes *lanes);
void dts_library_close(struct dts_lanes *lanes);

void dts_library_collective(struct dts_lane *lane, int op);

#endif
