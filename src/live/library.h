/* library.h -- collectives that the MPI library does itself. Private to the module. */
#ifndef DTS_LIVE_LIBRARY_H
#define DTS_LIVE_LIBRARY_H

#include "live/lane.h"

/* Communicators for such operations of the rank's plan: streams may do theirs at once. */
void dts_library_open(struct dts_lanes *lanes);
void dts_library_close(struct dts_lanes *lanes);

/* Sums of 16 bits are MPI's by functions of ours (MPI_Op_create()), which are the host's: such
 * an operation takes what is there. */
bool dts_library_takes_host(const struct dts_lanes *lanes, const struct dts_op *op);

void dts_library_collective(struct dts_lane *lane, int op);

#endif
