/* live.h -- runs a job over MPI: this process is one rank of it, each stream is a thread.
 *
 * The threads walk the rank's plan with the code that the simulators use (plan/run.h). So the
 * messages, their order and the waits are the same. Buffers are fp32, whatever format messages
 * have. The rank that receives values adds them, in fp32 and in the order of the plan, whatever
 * arrives first: results do not depend on timing. Messages of 16 bits are rounded when they are
 * sent, and all members of a collective end with the same values.
 */
#ifndef DTS_LIVE_LIVE_H
#define DTS_LIVE_LIVE_H

#include "kernels/call/half.h"
#include "live/executor.h"
#include "live/message_memory.h"
#include "live/wire.h"

struct dts_live {
    const struct dts_job *job; // job->ranks processes
    const struct dts_wire *wire;
    const struct dts_executor *executor;
    int steps;          // to walk
    long first_step;    // of the training, counted from 0: the first of them
    bool every_op;      // all operations act in each step, for checks of messages
    enum dts_half half; // the format of elements of 2 bytes
    void *context;      // what the executor needs beside its rank; the caller's

    /* A step begins when all ranks have ended the one before, as a collective alone is
     * predicted; all ranks have one role. */
    bool from_rest;

    /* Servers walk their plan, whatever their rule (plan/serve.h): for checks of messages. */
    bool in_order;

    /* Kernels of this rank take so many times as long as they need: it waits for the rest, as a
     * slow device would compute. 0: no longer. */
    double slow_factor;

    /* Where this rank's messages leave and arrive; NULL: in its buffers. MPI's own collectives
     * in 16 bits use the buffers in any case, with the executor's bring() and carry_off(). */
    const struct dts_message_memory *memory;
    size_t piece_bytes; // of messages, the same on all ranks; 0: the default of pieces.h
};

/* When each operation of this rank began and ended, by dts_now_s(): entry
 * step * plan.op_count + op. NAN: the operation did not act in that step. */
struct dts_live_times {
    double *begin_s, *end_s; // owned
    double start_s;          // when the first step could begin

    /* What this rank sent, but for MPI's own collectives. */
    double sent_messages, sent_bytes;

    struct dts_stale_counts *staleness; // of a server with a rule; owned; NULL: it is none
};

/* This rank's memory: what its plan's buffers hold. */
struct dts_live_rank {
    const struct dts_role *role;
    int rank;
    float **buffers; // owned; doubles if the plan's elements have 8 bytes
};

/* Fails if the job cannot run here. Its elements must have 2, 4 or 8 bytes, and it must have as
 * many ranks as mpirun started. */
bool dts_live_fits(const struct dts_live *live, struct dts_error *err);

/* Allocates the rank's buffers. Without memory for them: DTS_SYSTEM, with the size. */
bool dts_live_open(const struct dts_live *live, struct dts_live_rank *rank,
                   struct dts_error *err);
void dts_live_close(struct dts_live_rank *rank);

/* Walks the steps; every rank calls it. Fails if the executor of some rank cannot begin, before
 * any message is sent. A later failure ends all ranks. */
bool dts_live_run(const struct dts_live *live, struct dts_live_rank *rank,
                  struct dts_live_times *times, struct dts_error *err);
void dts_live_times_free(struct dts_live_times *times);

#endif
