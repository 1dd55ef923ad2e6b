/* pieces.h -- how messages go through MPI. Private to the room.
 *
 * A message travels in pieces that an MPI library sends at once, without asking the receiver.
 * In Open MPI's TCP the answer to such a question waits behind data that leaves on the same
 * socket, so that two ranks which exchange large messages would take turns.
 *
 * A message that need not lie in memory as a whole goes through a window, which has room for
 * the pieces in flight: a piece that arrived is added while the next ones are under way. Large
 * messages that meet have few pieces in flight, so that a cache holds the window.
 */
#ifndef DTS_LIVE_PIECES_H
#define DTS_LIVE_PIECES_H

#include <stdbool.h>

#include "live/message_memory.h"
#include "live/mpi_call.h"

/* A message on the wire, from the side of one rank. */
struct dts_wire_message {
    bool send;
    int peer, tag;
    size_t bytes;
    void *data; // where it lies as a whole; NULL: it goes through a window

    int posted, complete, in_flight, first_request, first_piece; // private to pieces.c
};

/* The function that fills and empties windows. It is called for each piece in turn, before the
 * piece is sent and after it has arrived; the piece begins at byte `first` of the message. If
 * several messages arrive through windows, piece n of one follows piece n of all before it. */
struct dts_carrier {
    void (*piece)(void *self, int message, size_t first, void *piece, size_t bytes);
    void *self;
};

/* How messages travel, and memory that is kept from one call to the next; {0} at first. */
struct dts_pieces {
    const struct dts_message_memory *memory; // of messages and windows; NULL: the host's
    size_t piece_bytes; // a multiple of 8, the same on both sides; 0: the default for hosts
    MPI_Request *requests;
    int *indices;
    char *windows;
    size_t request_room, index_room, window_room;
    double sent_messages, sent_bytes; // so far
};

/* Sends and receives all messages at once; returns when all are complete. Receives are posted
 * before sends. Two ranks have at most one message of a tag in each direction. carrier: NULL if
 * all messages have data. */
void dts_pieces_carry(struct dts_pieces *pieces, MPI_Comm comm,
                      struct dts_wire_message *messages, int count,
                      const struct dts_carrier *carrier);
void dts_pieces_free(struct dts_pieces *pieces);

/* Waits for a request. A long wait gives the core to others (idle_wait.h): otherwise ranks that
 * share a core would wait for each other's time slices. */
void dts_pieces_wait(MPI_Request *request);

#endif
