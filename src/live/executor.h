/* executor.h -- who runs the kernels that a plan calls. One file and one row each.
 *
 * The walker says which operation is due; an executor does it on this rank's buffers. `timed`
 * waits for the time that was predicted, so that more ranks than cores still show how true
 * communication behaves.
 */
#ifndef DTS_LIVE_EXECUTOR_H
#define DTS_LIVE_EXECUTOR_H

#include "base/error.h"
#include "plan/plan.h"

/* What an executor may see and change: everything is the rank's and outlives the executor. */
struct dts_executor_rank {
    const struct dts_job *job;
    const struct dts_role *role;
    int rank;
    float *const *buffers; // of the role's plan, by number; doubles where elements have 8 bytes
    void *context;         // dts_live.context
};

struct dts_executor {
    const char *name, *summary;
    bool (*open)(const struct dts_executor_rank *rank, void **self, struct dts_error *err);

    /* Run one call of the plan in step `step` (0, 1, ...), on the thread of its stream; other
     * streams' calls may run at the same time. due_s is when it could begin, by dts_now_s():
     * where the call before it on the stream ended, unless something else was waited for.
     * Returns when it is held to have ended.
     *
     * Before DTS_AGGREGATE of bucket b is called, the back end has summed what arrived into the
     * span of the exchange that received it. */
    double (*call)(void *self, const struct dts_op *op, int step, double due_s);

    /* Messages take from the buffers and leave in them. What an exchange or a collective takes
     * up is brought there before its first message, and what it left is carried off after its
     * last one, each on the thread of its stream; not where messages take from a dock of
     * their own (dts_live.dock). NULL: calls work on the buffers themselves. */
    void (*bring)(void *self, const struct dts_op *op);
    void (*carry_off)(void *self, const struct dts_op *op);

    void (*close)(void *self);
};

/* Nothing is computed and nobody waits, but a server answers with the sums that it got: to see
 * that messages arrive (verify.h). No choice of a scenario. */
extern const struct dts_executor dts_executor_instant;

/* open and close of an executor that works on its context: that is there before a run, and
 * stays. */
bool dts_executor_take_context(const struct dts_executor_rank *rank, void **self,
                               struct dts_error *err);
void dts_executor_leave_context(void *self);

extern const struct dts_executor *const dts_executors[]; // ended by NULL
const struct dts_executor *dts_executor_find(const char *name);

#endif
