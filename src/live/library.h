/* library.h -- collectives that the MPI library does itself. Private to the room. */
#ifndef DTS_LIVE_LIBRARY_H
#define DTS_LIVE_LIBRARY_H

#include "live/lane.h"

/* Makes communicators for these operations of the rank's plan, so that streams can run theirs
 * at the same time. */
void dts_library_open(struct dts_lanes *lanes);
void dts_library_close(struct dts_lanes *lanes);

/* True if the operation works on the rank's buffers on the host, wherever messages lie. MPI
 * adds values of 16 bits by functions of ours (MPI_Op_create()), which run on the host. */
bool dts_library_takes_host(const struct dts_lanes *lanes, const struct dts_op *op);

void dts_library_collective(struct dts_lane *lane, int op);

#endif
