/* pieces_whole.c -- messages go through SMPI whole, and are counted: what stands in for
 * src/live/pieces.c. In simulated time nothing is gained by pieces, and a wait that tries again
 * and again would never let the time go on.
 */
#include <stdlib.h>

#include "base/mem.h"
#include "counted.h"
#include "live/pieces.h"

static void post(MPI_Comm comm, const struct dts_wire_message *p, void *place,
                 MPI_Request *request)
{
    const int bytes = (int)p->bytes;
    if (p->send) {
        counted_send(p->bytes);
        DTS_MPI(MPI_Isend(place, bytes, MPI_BYTE, p->peer, p->tag, comm, request));
    } else {
        DTS_MPI(MPI_Irecv(place, bytes, MPI_BYTE, p->peer, p->tag, comm, request));
    }
}

void dts_pieces_carry(struct dts_pieces *pieces, MPI_Comm comm,
                      struct dts_wire_message *messages, int count,
                      const struct dts_carrier *carrier)
{
    MPI_Request *requests = dts_alloc((size_t)count, sizeof(*requests));
    void **places = dts_alloc((size_t)count, sizeof(*places));
    (void)pieces;
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < count; i++) {
            const struct dts_wire_message *p = &messages[i];
            if (p->send != (pass == 1))
                continue;
            places[i] = p->data == NULL ? dts_alloc(p->bytes, 1) : p->data;
            if (p->send && p->data == NULL)
                carrier->piece(carrier->self, i, 0, places[i], p->bytes);
            post(comm, p, places[i], &requests[i]);
        }
    for (int i = 0; i < count; i++)
        dts_pieces_wait(&requests[i]);
    for (int i = 0; i < count; i++) {
        if (messages[i].data != NULL)
            continue;
        if (!messages[i].send)
            carrier->piece(carrier->self, i, 0, places[i], messages[i].bytes);
        free(places[i]);
    }
    free(requests);
    free(places);
}

void dts_pieces_free(struct dts_pieces *pieces)
{
    (void)pieces;
}

void dts_pieces_wait(MPI_Request *request)
{
    DTS_MPI(MPI_Wait(request, MPI_STATUS_IGNORE));
}
