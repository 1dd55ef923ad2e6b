/* mpi_call.h -- calls of MPI: one that fails ends all ranks with one line. Private to the room.
 */
#ifndef DTS_LIVE_MPI_CALL_H
#define DTS_LIVE_MPI_CALL_H

#include <mpi.h>

#include "live/wire.h"

/* The communicator of a stream. */
MPI_Comm dts_wire_comm(const struct dts_wire *wire, enum dts_stream stream);

/* All ranks, outside of any plan. */
MPI_Comm dts_wire_all(const struct dts_wire *wire);

void dts_mpi_check(int code, const char *call);

#define DTS_MPI(call) dts_mpi_check((call), #call)

#endif
