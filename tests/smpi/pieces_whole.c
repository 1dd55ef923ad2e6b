/* pieces_whole.c -- messages go through SMPI whole, and are counted: what stands in for
 * src/live/pieces.c. In simulated time nothing is gained by pieces, and a wait that tries again
 * and again would never let the time go on.
 */
#include <limits.h>

#include "counted.h"
#include "live/pieces.h"

const size_t dts_piece_bytes = INT_MAX / sizeof(double) * sizeof(double);

int dts_pieces(size_t bytes)
{
    (void)bytes;
    return 1;
}

void dts_pieces_send(MPI_Comm comm, const void *data, size_t bytes, int to, int tag,
                     MPI_Request *requests)
{
    counted_send(bytes);
    DTS_MPI(MPI_Isend(data, (int)bytes, MPI_BYTE, to, tag, comm, requests));
}

void dts_pieces_receive(MPI_Comm comm, void *data, size_t bytes, int from, int tag,
                        MPI_Request *requests)
{
    DTS_MPI(MPI_Irecv(data, (int)bytes, MPI_BYTE, from, tag, comm, requests));
}

void dts_pieces_wait(MPI_Request *requests, int count)
{
    for (int i = 0; i < count; i++)
        DTS_MPI(MPI_Wait(&requests[i], MPI_STATUS_IGNORE));
}
