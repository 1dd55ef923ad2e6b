/* fluid.h -- the state of the engine `fluid`, shared by its files: fluid.c sets up and answers,
 * fluid_lane.c says what begins and what a completion means, fluid_time.c how time passes.
 *
 * One representative rank stands for each role, one transfer for all messages of an operation.
 * Lanes (a stream of a role) walk the plan. A call runs for its seconds, slower while its rank
 * communicates. A collective becomes a transfer when the lane reaches it, an exchange when both
 * sides have. A transfer goes through the phases of its load (load.h), at the rate that is left
 * to it by the others under way (share.h). Time jumps from one completion to the next.
 */
#ifndef DTS_SIM_FLUID_H
#define DTS_SIM_FLUID_H

#include "sim/engine.h"
#include "sim/load.h"
#include "sim/row.h"
#include "sim/share.h"

enum lane_state {
    WAITING,  // for other operations
    CALLING,  // a kernel runs
    MEETING,  // an exchange whose other side is not there yet
    SENDING,  // a transfer is under way
    FINISHED, // all steps done
};

struct lane {
    const struct dts_role *role;
    int role_number;
    enum dts_stream stream;
    int step, op; // where it is; op == op_count: the step is over
    enum lane_state state;
    double left_s;           // CALLING: at full speed
    int transfer;            // SENDING
    int before, before_step; // the collective begun last; -1: none yet
};

struct transfer {
    bool active;
    const struct dts_load *load;
    int phase;
    double share;         // of the sum of its phases, until its stream is free
    double tail_s;        // from then until the last member is done
    double left;          // repetitions of the phase
    double repetition_s;  // at the rate of now
    int sender, receiver; // lanes; receiver -1: a collective
    double after_s;       // until the receiver has it
};

/* A collective whose stream is free again while its last members still work (row.h), or an
 * exchange that is on its way to its receiver, by latency that does not block. */
struct tail {
    int role, op, step;
    double left_s, all_s; // of the tail: still to come, and in all
};

struct fluid {
    const struct dts_simulation *simulation;
    struct dts_timing *timing;
    struct dts_loader *loader;
    struct dts_sharer *sharer;
    struct lane *lanes;
    int lane_count;
    struct transfer *transfers; // one for each lane that may send
    const struct dts_phase **phases;
    double *rates;
    int *done;     // by op of all roles: in how many steps
    int *talking;  // by role: communications under way, which slow its kernels
    double *noise; // by role: factor on its kernels
    double now, *step_ends;
    struct tail *tails; // in the order in which they began
    size_t tail_count, tail_room;
};

/* Start all that can start now. */
void dts_fluid_start(struct fluid *f);

/* The operation that a lane is at is complete: its time is noted, and the lane goes on. */
void dts_fluid_complete(struct fluid *f, struct lane *lane);

/* The transfer is through: its lanes go on, what it leaves behind becomes a tail. */
void dts_fluid_end_transfer(struct fluid *f, struct transfer *transfer);

/* The last members of a collective are done. */
void dts_fluid_end_tail(struct fluid *f, size_t number);

/* Go to the next operation of the stream; at first, with op -1, to the first. */
void dts_fluid_next_op(const struct fluid *f, struct lane *lane);

/* Let time pass until something completes; false: nothing is under way. */
bool dts_fluid_advance(struct fluid *f);

/* Noise and slowdown act on what the device computes, not on fixed times. */
bool dts_fluid_is_kernel(const struct dts_op *op);

static inline const struct dts_op *dts_fluid_op(const struct lane *lane)
{
    return &lane->role->plan.ops[lane->op];
}

#endif
