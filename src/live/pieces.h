/* pieces.h -- how messages go through MPI. Private to the module.
 *
 * A message travels in pieces that an MPI library sends at once, without asking the receiver:
 * in Open MPI's TCP an answer to such a question queues up behind data that leaves on the same
 * socket, so that two ranks that exchange large messages would take turns (measured: half of
 * the rate, in two thirds of the tries).
 *
 * What need not lie in memory as a whole goes through a window of as many pieces as are in
 * flight: a piece that arrives is added while the next ones are under way. Of large messages
 * that meet there are few, and the window is used again and again, so that a cache holds it.
 */
#ifndef DTS_LIVE_PIECES_H
#define DTS_LIVE_PIECES_H

#include <stdbool.h>

#include "live/dock.h"
#include "live/mpi_call.h"

/* A message, from the side of one rank. */
struct dts_parcel {
    bool send;
    int peer, tag;
    size_t bytes;
    void *data; // where it lies whole; NULL: it goes through a window

    int posted, complete, in_flight, first_request, first_piece; // of dts_pieces_carry()
};

/* Who fills and empties windows: called for each piece in turn, from byte `first` of the
 * message on, before a piece is sent and when one has arrived. Of several parcels that arrive
 * through windows piece n of one is handed over after piece n of all before it. */
struct dts_carrier {
    void (*piece)(void *self, int parcel, size_t first, void *piece, size_t bytes);
    void *self;
};

/* Memory that is kept from one call to the next; {0} at first. */
struct dts_pieces {
    const struct dts_dock *dock; // where messages and windows lie; NULL: on the host
    size_t piece_bytes;          // a multiple of 8, the same on both sides; 0: as hosts have it
    MPI_Request *requests;
    int *indices;
    char *windows;
    size_t request_room, index_room, window_room;
};

/* All parcels are in flight together; returns when all are complete. Receives are posted before
 * sends. Between two ranks there is one parcel of a tag in each direction. carrier: NULL where
 * all have data. */
void dts_pieces_carry(struct dts_pieces *pieces, MPI_Comm comm, struct dts_parcel *parcels,
                      int count, const struct dts_carrier *carrier);
void dts_pieces_free(struct dts_pieces *pieces);

/* Wait for a request. Who waits for long lets others have the core: more ranks than cores would
 * otherwise wait for each other's time slices. */
void dts_pieces_wait(MPI_Request *request);

#endif
