/* mpi_reads.h -- can this MPI library send what lies in a device's memory? */
#ifndef DTS_LIVE_MPI_READS_H
#define DTS_LIVE_MPI_READS_H

#include <stdbool.h>

/* The device is given by its name (kernels/space/space.h). MPI must have been started. False:
 * *why is a clause for the message. */
bool dts_mpi_reads(const char *device, const char **why);

#endif
