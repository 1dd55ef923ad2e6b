/* pieces.c -- messages in pieces, and windows that they go through. */
#include "live/pieces.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/os/clock.h"
#include "live/rest.h"

/* Below Open MPI's limit for TCP (64 KiB with its header), and a multiple of all sizes of
 * values.
 */
enum { HOST_PIECE_BYTES = 60 << 10 };

/* Of a message of more than MANY pieces that meets another one, FEW are in flight: the
 * library's own buffers stay in a cache, then, too. With 4 MB steps of two ranks of one machine
 * took 0.82 of the time; with fewer pieces, or one way only, 1.05 to 1.3. */
enum { MANY = 16, FEW = 3 };

void dts_pieces_wait(MPI_Request *request)
{
    const double since_s = dts_now_s();
    for (;;) {
        int done = 0;
        DTS_MPI(MPI_Test(request, &done, MPI_STATUS_IGNORE));
        if (done)
            return;
        dts_rest(since_s);
    }
}

/* What is being carried. */
struct flight {
    MPI_Comm comm;
    const struct dts_dock *dock;
    size_t piece_bytes;
    struct dts_parcel *parcels;
    int count, request_count;
    const struct dts_carrier *carrier;
    MPI_Request *requests; // as many of each parcel as it has in flight: of its pieces in turn
    char *windows;         // as many pieces of each parcel without data
};

static int pieces_of(const struct flight *f, const struct dts_parcel *parcel)
{
    return (int)((parcel->bytes + f->piece_bytes - 1) / f->piece_bytes);
}

static MPI_Request *request_of(const struct flight *f, int parcel, int piece)
{
    const struct dts_parcel *p = &f->parcels[parcel];
    return &f->requests[p->first_request + piece % p->in_flight];
}

/* Where a piece lies, and its size. */
static void *place_of(const struct flight *f, int parcel, int piece, size_t *bytes)
{
    const struct dts_parcel *p = &f->parcels[parcel];
    const size_t first = (size_t)piece * f->piece_bytes, left = p->bytes - first;
    *bytes = left < f->piece_bytes ? left : f->piece_bytes;
    if (p->data != NULL)
        return (char *)p->data + first;
    return f->windows + (size_t)(p->first_piece + piece % p->in_flight) * f->piece_bytes;
}

static void hand_over(const struct flight *f, int parcel, int piece)
{
    size_t bytes;
    void *place = place_of(f, parcel, piece, &bytes);
    if (f->parcels[parcel].data == NULL)
        f->carrier->piece(f->carrier->self, parcel, (size_t)piece * f->piece_bytes, place,
                          bytes);
}

static void post(const struct flight *f, int parcel)
{
    struct dts_parcel *p = &f->parcels[parcel];
    const int piece = p->posted++;
    size_t bytes;
    void *place = place_of(f, parcel, piece, &bytes);
    MPI_Request *request = request_of(f, parcel, piece);
    if (p->send)
        hand_over(f, parcel, piece);
    dts_dock_lend(f->dock);
    if (p->send)
        DTS_MPI(MPI_Isend(place, (int)bytes, MPI_BYTE, p->peer, p->tag, f->comm, request));
    else
        DTS_MPI(MPI_Irecv(place, (int)bytes, MPI_BYTE, p->peer, p->tag, f->comm, request));
    dts_dock_take_back(f->dock);
}

/* May the parcel's next piece be handed over? Those before it come first. */
static bool is_next(const struct flight *f, int parcel)
{
    const struct dts_parcel *p = &f->parcels[parcel];
    for (int i = 0; i < parcel && !p->send && p->data == NULL; i++) {
        const struct dts_parcel *other = &f->parcels[i];
        if (!other->send && other->data == NULL && other->complete <= p->complete &&
            other->complete < pieces_of(f, other))
            return false;
    }
    return true;
}

/* Go on with what is complete. Returns whether the parcel is. */
static bool go_on(const struct flight *f, int parcel)
{
    struct dts_parcel *p = &f->parcels[parcel];
    const int pieces = pieces_of(f, p);
    while (p->complete < p->posted && *request_of(f, parcel, p->complete) == MPI_REQUEST_NULL &&
           is_next(f, parcel)) {
        if (!p->send)
            hand_over(f, parcel, p->complete);
        p->complete++;
        if (p->posted < pieces)
            post(f, parcel);
    }
    return p->complete == pieces;
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
            while (f->parcels[i].send == (pass == 1) &&
                   f->parcels[i].posted < f->parcels[i].in_flight)
                post(f, i);
}

static bool meet(const struct dts_parcel *parcels, int count)
{
    bool sends = false, receives = false;
    for (int i = 0; i < count; i++) {
        sends = sends || parcels[i].send;
        receives = receives || !parcels[i].send;
    }
    return sends && receives;
}

/* How many pieces of each are in flight, and where. Returns requests, and pieces of windows. */
static int plan(const struct flight *f, int *window_pieces)
{
    const bool two_way = meet(f->parcels, f->count);
    int requests = 0;
    *window_pieces = 0;
    for (int i = 0; i < f->count; i++) {
        struct dts_parcel *p = &f->parcels[i];
        const int pieces = pieces_of(f, p);
        p->posted = p->complete = 0;
        p->in_flight = two_way && pieces > MANY ? FEW : pieces;
        p->first_request = requests;
        p->first_piece = *window_pieces;
        requests += p->in_flight;
        *window_pieces += p->data == NULL ? p->in_flight : 0;
    }
    return requests;
}

static void make_room(struct dts_pieces *pieces, struct flight *f, int window_pieces)
{
    const size_t requests = (size_t)f->request_count;
    pieces->requests =
        dts_grow(pieces->requests, &pieces->request_room, requests, sizeof(MPI_Request));
    pieces->indices = dts_grow(pieces->indices, &pieces->index_room, requests, sizeof(int));
    pieces->windows = dts_dock_grow(f->dock, pieces->windows, &pieces->window_room,
                                    (size_t)window_pieces * f->piece_bytes);
    for (size_t i = 0; i < requests; i++)
        pieces->requests[i] = MPI_REQUEST_NULL;
    f->requests = pieces->requests;
    f->windows = pieces->windows;
}

void dts_pieces_carry(struct dts_pieces *pieces, MPI_Comm comm, struct dts_parcel *parcels,
                      int count, const struct dts_carrier *carrier)
{
    struct flight f = {.comm = comm, .parcels = parcels, .count = count, .carrier = carrier};
    int window_pieces;
    f.dock = pieces->dock;
    f.piece_bytes = pieces->piece_bytes > 0 ? pieces->piece_bytes : HOST_PIECE_BYTES;
    f.request_count = plan(&f, &window_pieces);
    make_room(pieces, &f, window_pieces);
    post_first(&f);
    for (double since_s = dts_now_s();;) {
        int some = 0;
        dts_dock_lend(f.dock);
        DTS_MPI(MPI_Testsome(f.request_count, f.requests, &some, pieces->indices,
                             MPI_STATUSES_IGNORE));
        dts_dock_take_back(f.dock);
        if (some == 0)
            dts_rest(since_s);
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
    dts_dock_give_back(pieces->dock, pieces->windows);
    *pieces = (struct dts_pieces){0};
}
