/* run.h -- walks a plan. The only code that gives operations their meaning: the simulators and
 * the live program lend it verbs, and none of them can send another message than this says.
 */
#ifndef DTS_PLAN_RUN_H
#define DTS_PLAN_RUN_H

#include "plan/plan.h"

/* One message, from the side of the rank that walks. */
struct dts_message {
    int peer; // rank
    bool send, add;
    int channel; // of the operation; collectives: 0. Messages meet by (stream, channel)
    struct dts_span data; // empty spans are never sent
    size_t bytes;         // data.count * element size
};

/* What a back end does. `self` is its record of one stream of one rank; the verbs block that
 * stream and no other. They cannot fail: plans are checked before they run. */
struct dts_backend {
    void (*call)(void *self, const struct dts_op *op, const struct dts_call *call);

    /* All messages are in flight together; returns when all are complete. `count` may be 0. */
    void (*exchange)(void *self, const struct dts_op *op, const struct dts_message *messages,
                     int count);

    void (*begin)(void *self, int op);                    // waits are over, the op begins
    void (*wait)(void *self, int op, bool previous_step); // until done(op), by any stream
    void (*done)(void *self, int op);
};

/* Walk all operations of one stream, once. Called for each step. */
void dts_run_stream(const struct dts_role *role, int rank, enum dts_stream stream,
                    const struct dts_backend *backend, void *self);

/* Does any operation sit on this stream? */
bool dts_plan_uses(const struct dts_plan *plan, enum dts_stream stream);

/* The messages of one rank in step i of a collective, over all channels; `messages` has room
 * for DTS_COLL_MESSAGES * channels. Returns how many. This and dts_exchange_messages() are what
 * the walker uses; the fluid engine counts with the same two. */
int dts_collective_messages(const struct dts_role *role,
                            const struct dts_collective *collective, int rank, int i,
                            struct dts_message *messages);

/* The messages of one rank in an exchange; room for exchange->peer_count. */
int dts_exchange_messages(const struct dts_role *role, const struct dts_exchange *exchange,
                          int rank, struct dts_message *messages);

#endif
