/* run.h -- walks a plan. This is the only code that gives operations their meaning: the
 * simulators and the live program carry out what it says, so that both send the same messages.
 */
#ifndef DTS_PLAN_RUN_H
#define DTS_PLAN_RUN_H

#include "plan/plan.h"

/* One message, from the side of the rank that walks. */
struct dts_message {
    int peer; // rank
    bool send, add;

    /* Of an exchange: the operation's channel; of a collective: lane * channels + channel.
     * Between two ranks, messages of one wire and channel meet in the order in which both
     * sides name them. A step of a collective has at most one of them in each direction. */
    int channel;

    struct dts_span data; // empty spans are never sent
    size_t bytes;         // data.count * element size

    const struct dts_coll_pace *pace; // of a collective, which owns it; NULL: not known
};

/* What carries out a plan. `self` stands for one stream of one rank. The functions block that
 * stream and no other, and cannot fail: plans are checked before they run. */
struct dts_backend {
    void (*call)(void *self, const struct dts_op *op, const struct dts_call *call);

    /* All messages (at least one) are in flight together; returns when all are complete. */
    void (*exchange)(void *self, const struct dts_op *op, const struct dts_message *messages,
                     int count);

    void (*begin)(void *self, int op);                    // waits are over, the op begins
    void (*wait)(void *self, int op, bool previous_step); // until done(op), by any stream
    void (*done)(void *self, int op);
    void (*left_out)(void *self, int op); // in this step, in place of all that

    /* Runs a collective whose algorithm is `by_library`; NULL: its steps are exchanges. */
    void (*collective)(void *self, const struct dts_op *op);
};

/* Walks all operations of one stream once: that step of the training, counted from 0;
 * DTS_ANY_STEP: one in which all operations act. A rank that takes no part in an operation
 * begins it and is done with it, too. */
enum { DTS_ANY_STEP = -1 };
void dts_run_stream(const struct dts_role *role, int rank, enum dts_stream stream, long step,
                    const struct dts_backend *backend, void *self);

/* The same walk as a loop of the caller, for callers that cannot block. dts_walk_next() says
 * what the stream does next; dts_run_stream() calls the function of the back end for it.
 *
 *     struct dts_walk walk = {.role = role, .rank = rank, .stream = stream};
 *     struct dts_event event;
 *     while (dts_walk_next(&walk, &event))
 *         ...
 *     dts_walk_free(&walk); // a walk that has ended may be walked again: the next step
 */
enum dts_event_kind {
    DTS_EVENT_WAIT,
    DTS_EVENT_BEGIN,
    DTS_EVENT_CALL,
    DTS_EVENT_EXCHANGE,
    DTS_EVENT_COLLECTIVE, // where walk.library is set
    DTS_EVENT_DONE,
    DTS_EVENT_LEFT_OUT, // the only event of an operation that does not act in this step
};

struct dts_event {
    enum dts_event_kind kind;
    int op; // that the stream waits for, begins or ends
    bool previous_step;
    const struct dts_message *messages; // of the walk, until its next event
    int count;
};

struct dts_walk {
    const struct dts_role *role;
    int rank;
    enum dts_stream stream;
    bool library; // collectives that are `by_library` are one event, without messages
    long step;    // of the training; DTS_ANY_STEP: all operations act, in all steps

    int op, done;                 // the current operation; how many of its events came so far
    struct dts_message *messages; // owned
    size_t room;
};

bool dts_walk_next(struct dts_walk *walk, struct dts_event *event);
void dts_walk_free(struct dts_walk *walk);

/* Is any operation on this stream? */
bool dts_plan_uses(const struct dts_plan *plan, enum dts_stream stream);
int dts_plan_streams(const struct dts_plan *plan); // one more than the last that it uses

/* The messages of one rank in step i of a collective, over all channels; `messages` has room
 * for DTS_COLL_MESSAGES * channels. Returns how many. This and dts_exchange_messages() are what
 * the walker uses; the fluid engine counts with the same two. */
int dts_collective_messages(const struct dts_role *role,
                            const struct dts_collective *collective, int rank, int i,
                            struct dts_message *messages);

/* The same for data of any size: peers are ranks, and the data is counted in chunks of a
 * channel's part. `messages` has room for DTS_COLL_MESSAGES * channels. */
int dts_collective_step(const struct dts_role *role, const struct dts_collective *collective,
                        int rank, int i, struct dts_coll_message *messages);

/* Peer number p of an exchange of that rank; a plan that was not checked may name any number.
 */
long dts_exchange_peer(const struct dts_exchange *exchange, int rank, int p);

/* The messages of one rank in an exchange; room for exchange->peer_count. */
int dts_exchange_messages(const struct dts_role *role, const struct dts_exchange *exchange,
                          int rank, struct dts_message *messages);

/* The span that a rank owns of one channel's part of the data after a reduce-scatter and before
 * an all-gather. */
struct dts_span dts_collective_share(const struct dts_role *role,
                                     const struct dts_collective *collective, int rank,
                                     int channel);

/* Where member `from` of an all-to-all has what is for member `to` in one channel's part of the
 * data, and where this arrives at `to`. */
struct dts_span dts_collective_part(const struct dts_collective *collective, int from, int to,
                                    int channel);

#endif
