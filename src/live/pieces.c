/* pieces.c -- messages in pieces, and waits that spin first and sleep then. */
#include "live/pieces.h"

#include <sched.h>
#include <time.h>

#include "base/clock.h"

/* A message between two free cores is there within some microseconds; a sleep of the kernel is
 * not shorter than SLEEP_NS by much. */
static const double SPIN_S = 100e-6;
enum { SLEEP_NS = 20000 };

/* Below Open MPI's limit for TCP (64 KiB with its header). */
enum { PIECE_BYTES = 60 << 10 };
const size_t dts_piece_bytes = PIECE_BYTES;

int dts_pieces(size_t bytes)
{
    return (int)((bytes + PIECE_BYTES - 1) / PIECE_BYTES);
}

static int size_of(size_t bytes, int piece)
{
    size_t left = bytes - (size_t)piece * PIECE_BYTES;
    return left < PIECE_BYTES ? (int)left : PIECE_BYTES;
}

void dts_pieces_send(MPI_Comm comm, const void *data, size_t bytes, int to, int tag,
                     MPI_Request *requests)
{
    const char *from = data;
    for (int i = 0; i < dts_pieces(bytes); i++)
        DTS_MPI(MPI_Isend(from + (size_t)i * PIECE_BYTES, size_of(bytes, i), MPI_BYTE, to, tag,
                          comm, &requests[i]));
}

void dts_pieces_receive(MPI_Comm comm, void *data, size_t bytes, int from, int tag,
                        MPI_Request *requests)
{
    char *to = data;
    for (int i = 0; i < dts_pieces(bytes); i++)
        DTS_MPI(MPI_Irecv(to + (size_t)i * PIECE_BYTES, size_of(bytes, i), MPI_BYTE, from, tag,
                          comm, &requests[i]));
}

static void rest(double since_s)
{
    const struct timespec pause = {.tv_nsec = SLEEP_NS};
    if (dts_now_s() - since_s < SPIN_S)
        sched_yield();
    else
        nanosleep(&pause, NULL);
}

void dts_pieces_wait(MPI_Request *requests, int count)
{
    for (int i = 0; i < count; i++) {
        double since_s = dts_now_s();
        int done = 0;
        for (;;) {
            DTS_MPI(MPI_Test(&requests[i], &done, MPI_STATUS_IGNORE));
            if (done)
                break;
            rest(since_s);
        }
    }
}
