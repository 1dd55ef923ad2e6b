/* live.h -- runs a job over MPI: this process is one rank of it, each stream is a thread.
 *
 * The threads walk the rank's plan with the code that the simulators use (plan/run.h), so that
 * messages, their order and what is waited for are the same. Buffers are fp32, whatever
 * messages hold; what is added is added by the rank that receives it, in fp32, in the order of
 * the plan, whatever arrives first: results do not depend on timing. With messages of 16 bits
 * each is rounded when it is sent, and all members of a collective end with the same values.
 */
#ifndef DTS_LIVE_LIVE_H
#define DTS_LIVE_LIVE_H

#include "kernels/call/half.h"
#include "live/dock.h"
#include "live/executor.h"
#include "live/wire.h"

struct dts_live {
    const struct dts_job *job; // job->ranks processes
    const struct dts_wire *wire;
    const struct dts_executor *executor;
    int steps;          // that are walked
    enum dts_half half; // what values of buffers are whose elements have 2 bytes
    void *context;      // what the executor has to know beside its rank; the caller's

    /* Where this rank's messages leave and arrive; NULL: in its buffers. What MPI's own
     * collectives have in 16 bits goes through the buffers, and the executor's bring() and
     * carry_off(), all the same. */
    const struct dts_dock *dock;
    size_t piece_bytes; // of messages, the same on all ranks (pieces.h); 0: as hosts have it
};

/* When each operation of this rank began and ended, by dts_now_s(): entry
 * step * plan.op_count + op. */
struct dts_live_times {
    double *begin_s, *end_s; // owned
    double start_s;          // when the first step could begin
};

/* This rank's memory: what its plan's buffers hold. */
struct dts_live_rank {
    const struct dts_role *role;
    int rank;
    float **buffers; // owned; doubles where the plan's elements have 8 bytes
};

/* Can this build run the job? Elements of 2, 4 and 8 bytes, and as many ranks as mpirun
 * started.
 */
bool dts_live_fits(const struct dts_live *live, struct dts_error *err);

/* Allocate the rank's buffers; too large: DTS_SYSTEM, saying how much. */
bool dts_live_open(const struct dts_live *live, struct dts_live_rank *rank,
                   struct dts_error *err);
void dts_live_close(struct dts_live_rank *rank);

/* Walk the steps. Every rank calls it. Fails where the executor cannot begin, before anything
 * is sent; what goes wrong later ends all ranks. */
bool dts_live_run(const struct dts_live *live, struct dts_live_rank *rank,
                  struct dts_live_times *times, struct dts_error *err);
void dts_live_times_free(struct dts_live_times *times);

#endif
