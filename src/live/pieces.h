/* pieces.h -- how messages go through MPI. Private to the module.
 *
 * A message travels in pieces that an MPI library sends at once, without asking the receiver:
 * in Open MPI's TCP an answer to such a question queues up behind data that leaves on the same
 * socket, so that two ranks that exchange large messages would take turns (measured: half of
 * the rate, in two thirds of the tries). What arrives can be added while the rest is under way.
 */
#ifndef DTS_LIVE_PIECES_H
#define DTS_LIVE_PIECES_H

#include "live/mpi_call.h"

extern const size_t dts_piece_bytes; // a multiple of sizeof(double)

/* How many pieces, each with its request. */
int dts_pieces(size_t bytes);

/* Post all pieces; `requests` has room for them. */
void dts_pieces_send(MPI_Comm comm, const void *data, size_t bytes, int to, int tag,
                     MPI_Request *requests);
void dts_pieces_receive(MPI_Comm comm, void *data, size_t bytes, int from, int tag,
                        MPI_Request *requests);

/* Wait for all of them. Who waits for long lets others have the core: more ranks than cores
 * would otherwise wait for each other's time slices. */
void dts_pieces_wait(MPI_Request *requests, int count);

#endif
