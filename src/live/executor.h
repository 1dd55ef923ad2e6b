/* executor.h -- executors run the kernels that a plan calls. One file and one row each.
 *
 * The walker says which operation is due; an executor does it on this rank's buffers. `timed`
 * waits for the predicted time, so that real communication can be measured with more ranks than
 * cores.
 */
#ifndef DTS_LIVE_EXECUTOR_H
#define DTS_LIVE_EXECUTOR_H

#include "base/error.h"
#include "plan/plan.h"

/* What an executor may see and change. All of it belongs to the rank and outlives the executor.
 */
struct dts_executor_rank {
    const struct dts_job *job;
    const struct dts_role *role;
    int rank;
    float *const *buffers; // of the role's plan, by number; doubles if elements have 8 bytes
    void *context;         // dts_live.context
};

/* Messages of a server that are no values to be summed, but lists that the executor reads and
 * writes by itself: each peer gets another one. In the rank's memory, as long as the plan says.
 */
struct dts_executor_lists {
    bool (*has)(void *self, const struct dts_op *op); // is it an exchange of such messages?

    /* What arrived, times factor, is added to what did before; the first one begins anew. */
    void (*take)(void *self, const struct dts_op *op, const float *arrived, float factor,
                 bool first);
    void (*scale)(void *self, const struct dts_op *op, float factor); // what was added

    /* The message to that rank, in answer to what it sent in step `step`. */
    void (*give)(void *self, const struct dts_op *op, int peer, int step, float *leaving);
};

struct dts_executor {
    const char *name, *summary;
    bool (*open)(const struct dts_executor_rank *rank, void **self, struct dts_error *err);

    /* Runs one call of the plan in step `step` (0, 1, ...), on the thread of its stream; calls
     * of other streams may run at the same time. due_s is when it could begin, by dts_now_s():
     * the end of the call before it on the stream, or of a wait behind that. Returns when the
     * call counts as ended.
     *
     * Before DTS_AGGREGATE of a bucket the messages that arrived for it have been summed into
     * the span of the exchange that received them. */
    double (*call)(void *self, const struct dts_op *op, int step, double due_s);

    /* Before a call of a server with a rule (plan/serve.h): by how many updates of the weights
     * its gradient is late. NULL: that changes nothing. */
    void (*late)(void *self, const struct dts_op *op, long stale);

    /* Copies between the buffers, which messages use, and where calls compute. bring() comes
     * before the first message of an exchange or a collective, carry_off() after its last one,
     * both on the thread of its stream. Neither is called if messages have a memory of their
     * own (dts_live.memory). NULL: calls work on the buffers themselves. */
    void (*bring)(void *self, const struct dts_op *op);
    void (*carry_off)(void *self, const struct dts_op *op);

    const struct dts_executor_lists *lists; // NULL: all messages are values

    void (*close)(void *self);
};

/* Computes nothing and never waits; a server answers with the sums that it got. For checks that
 * messages arrive (verify.h); a scenario cannot choose it. */
extern const struct dts_executor dts_executor_instant;

/* open and close of an executor whose state is its context, which exists before a run and after
 * it. */
bool dts_executor_take_context(const struct dts_executor_rank *rank, void **self,
                               struct dts_error *err);
void dts_executor_leave_context(void *self);

extern const struct dts_executor *const dts_executors[]; // ended by NULL
const struct dts_executor *dts_executor_find(const char *name);

#endif
