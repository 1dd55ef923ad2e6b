/* pieces.c -- messages in pieces, and windows that they go through. */
#include "live/pieces.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/os/clock.h"
#include "live/idle_wait.h"

/* Below Open MPI's limit for TCP (64 KiB with its header), and a multiple of all sizes of
 * values.
 */
enum { HOST_PIECE_BYTES = 60 << 10 };

/* A message of more than MANY pieces that meets another one has FEW in flight: then the
 * library's own buffers stay in a cache, too. Measured, docs/log/2026-11-comments.md. */
enum { MANY = 16, FEW = 3 };

void dts_pieces_wait(MPI_Request *request)
{
    const double since_s = dts_now_s();
    for (;;) {
        int done = 0;
        DTS_MPI(MPI_Test(request, &done, MPI_STATUS_IGNORE));
        if (done)
            return;
        dts_idle_wait(since_s);
    }
}

/* What is being carried. */
struct flight {
    MPI_Comm comm;
    struct dts_pieces *of;
    const struct dts_message_memory *memory;
    size_t piece_bytes;
    struct dts_wire_message *messages;
    int count, request_count;
    const struct dts_carrier *carrier;
    MPI_Request *requests; // as many of each message as it has in flight: of its pieces in turn
    char *windows;         // as many pieces of each message without data
};

static int pieces_of(const struct flight *f, const struct dts_wire_message *message)
{
    return (int)((message->bytes + f->piece_bytes - 1) / f->piece_bytes);
}

static MPI_Request *request_of(const struct flight *f, int message, int piece)
{
    const struct dts_wire_message *m = &f->messages[message];
    return &f->requests[m->first_request + piece % m->in_flight];
}

/* Where a piece lies, and its size. */
static void *place_of(const struct flight *f, int message, int piece, size_t *bytes)
{
    const struct dts_wire_message *m = &f->messages[message];
    const size_t first = (size_t)piece * f->piece_bytes, left = m->bytes - first;
    *bytes = left < f->piece_bytes ? left : f->piece_bytes;
    if (m->data != NULL)
        return (char *)m->data + first;
    return f->windows + (size_t)(m->first_piece + piece % m->in_flight) * f->piece_bytes;
}

static void hand_over(const struct flight *f, int message, int piece)
{
    size_t bytes;
    void *place = place_of(f, message, piece, &bytes);
    if (f->messages[message].data == NULL)
        f->carrier->piece(f->carrier->self, message, (size_t)piece * f->piece_bytes, place,
                          bytes);
}

static void post(const struct flight *f, int message)
{
    struct dts_wire_message *m = &f->messages[message];
    const int piece = m->posted++;
    size_t bytes;
    void *place = place_of(f, message, piece, &bytes);
    MPI_Request *request = request_of(f, message, piece);
    if (m->send) {
        hand_over(f, message, piece);
        f->of->sent_messages += piece == 0;
        f->of->sent_bytes += (double)bytes;
    }
    dts_message_memory_lend(f->memory);
    if (m->send)
        DTS_MPI(MPI_Isend(place, (int)bytes, MPI_BYTE, m->peer, m->tag, f->comm, request));
    else
        DTS_MPI(MPI_Irecv(place, (int)bytes, MPI_BYTE, m->peer, m->tag, f->comm, request));
    dts_message_memory_take_back(f->memory);
}

/* May the message's next piece be handed over? Those before it come first. */
static bool is_next(const struct flight *f, int message)
{
    const struct dts_wire_message *m = &f->messages[message];
    for (int i = 0; i < message && !m->send && m->data == NULL; i++) {
        const struct dts_wire_message *other = &f->messages[i];
        if (!other->send && other->data == NULL && other->complete <= m->complete &&
            other->complete < pieces_of(f, other))
            return false;
    }
    return true;
}

/* Go on with what is complete. Returns whether the message is. */
static bool go_on(const struct flight *f, int message)
{
    struct dts_wire_message *m = &f->messages[message];
    const int pieces = pieces_of(f, m);
    while (m->complete < m->posted &&
           *request_of(f, message, m->complete) == MPI_REQUEST_NULL && is_next(f, message)) {
        if (!m->send)
            hand_over(f, message, m->complete);
        m->complete++;
        if (m->posted < pieces)
            post(f, message);
    }
    return m->complete == pieces;
}

static bool all_go_on(const struct flight *f)
{
    bool complete = true;
    for (int i = 0; i < f->count; i++)
        complete = go_on(f, i) && complete;
    return complete;
}

/* Receives first: then nothing arrives that nobody awaits. */
static void post_first(const struct flight *f)
{
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < f->count; i++)
            while (f->messages[i].send == (pass == 1) &&
                   f->messages[i].posted < f->messages[i].in_flight)
                post(f, i);
}

static bool meet(const struct dts_wire_message *messages, int count)
{
    bool sends = false, receives = false;
    for (int i = 0; i < count; i++) {
        sends = sends || messages[i].send;
        receives = receives || !messages[i].send;
    }
    return sends && receives;
}

/* How many pieces of each are in flight, and where. Returns requests, and pieces of windows. */
static int plan(const struct flight *f, int *window_pieces)
{
    const bool two_way = meet(f->messages, f->count);
    int requests = 0;
    *window_pieces = 0;
    for (int i = 0; i < f->count; i++) {
        struct dts_wire_message *m = &f->messages[i];
        const int pieces = pieces_of(f, m);
        m->posted = m->complete = 0;
        m->in_flight = two_way && pieces > MANY ? FEW : pieces;
        m->first_request = requests;
        m->first_piece = *window_pieces;
        requests += m->in_flight;
        *window_pieces += m->data == NULL ? m->in_flight : 0;
    }
    return requests;
}

static void make_room(struct dts_pieces *pieces, struct flight *f, int window_pieces)
{
    const size_t requests = (size_t)f->request_count;
    pieces->requests =
        dts_grow(pieces->requests, &pieces->request_room, requests, sizeof(MPI_Request));
    pieces->indices = dts_grow(pieces->indices, &pieces->index_room, requests, sizeof(int));
    pieces->windows = dts_message_memory_grow(f->memory, pieces->windows, &pieces->window_room,
                                              (size_t)window_pieces * f->piece_bytes);
    for (size_t i = 0; i < requests; i++)
        pieces->requests[i] = MPI_REQUEST_NULL;
    f->requests = pieces->requests;
    f->windows = pieces->windows;
}

void dts_pieces_carry(struct dts_pieces *pieces, MPI_Comm comm,
                      struct dts_wire_message *messages, int count,
                      const struct dts_carrier *carrier)
{
    struct flight f = {.comm = comm, .messages = messages, .count = count, .carrier = carrier};
    int window_pieces;
    f.of = pieces;
    f.memory = pieces->memory;
    f.piece_bytes = pieces->piece_bytes > 0 ? pieces->piece_bytes : HOST_PIECE_BYTES;
    f.request_count = plan(&f, &window_pieces);
    make_room(pieces, &f, window_pieces);
    post_first(&f);
    for (double since_s = dts_now_s();;) {
        int some = 0;
        dts_message_memory_lend(f.memory);
        DTS_MPI(MPI_Testsome(f.request_count, f.requests, &some, pieces->indices,
                             MPI_STATUSES_IGNORE));
        dts_message_memory_take_back(f.memory);
        if (some == 0)
            dts_idle_wait(since_s);
        else if (all_go_on(&f))
            return;
        else
            since_s = dts_now_s();
    }
}

void dts_pieces_free(struct dts_pieces *pieces)
{
    free(pieces->requests);
    free(pieces->indices);
    dts_message_memory_give_back(pieces->memory, pieces->windows);
    *pieces = (struct dts_pieces){0};
}
