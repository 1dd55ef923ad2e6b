/* fluid.h -- the state of the engine `fluid`, shared by its files. Each of them calls those
 * that come before it here:
 *
 *     flows.c     what time passes for: flows, and lanes whose time runs
 *     apart.c     how far apart members are
 *     unlike.c    how long kernels take members of unlike speed
 *     done.c      what it means that an operation is complete
 *     end.c       when a collective ends
 *     exchange.c  what messages between roles do
 *     begin.c     what begins
 *     rates.c     how fast flows go beside each other
 *     time.c      how time passes
 *     fluid.c     sets up and answers
 *
 * One representative rank stands for each cohort (cohort.h), one flow for all messages of a
 * collective, or of an exchange between two cohorts by one transport. Lanes (a stream of a
 * cohort) walk the plan. A call runs for its seconds, slower while its rank communicates. A
 * collective becomes a flow when the lane reaches it; a message between cohorts when its
 * sender does, and its receiver, where the transport waits for that. A flow goes through
 * the classes of steps of its load (load.h), at the rate that is left to it by the others under
 * way (share.h). Time jumps from one completion to the next.
 */
#ifndef DTS_SIM_FLUID_FLUID_H
#define DTS_SIM_FLUID_FLUID_H

#include "sim/engine.h"
#include "sim/fluid/numbers.h"
#include "sim/fluid/share.h"
#include "sim/load/load.h"
#include "sim/load/row.h"

enum lane_state {
    WAITING,    // for other operations
    CALLING,    // a kernel runs
    SENDING,    // a collective is under way
    EXCHANGING, // messages are under way, or the other side is not there yet
    ARRIVING,   // the wire has done its part, latency and sums have not
    FINISHED,   // all steps done
};

struct lane {
    const struct dts_role *role;
    int cohort;
    enum dts_stream stream;
    int step, op; // where it is; op == op_count: the step is over
    int previous; // the operation before that, of any step; -1: none
    enum lane_state state;
    double left_s;           // CALLING: at full speed; ARRIVING
    double begun_s, late_s;  // CALLING; by how much the last member does it later
    double plain_s, mean;    // CALLING: a kernel of factor 1; what part of left_s members take
    int open;                // EXCHANGING: flows that are not over
    double arrived_s;        // EXCHANGING: when what came so far is there and summed
    int before, before_step; // the collective begun last; -1: none yet
};

/* How many times as long kernels take members of a cohort. */
struct pace {
    double least, mean;
    double *by_member; // NULL: all alike; owned
};

/* When the members of a cohort do something: the last of them, and each of them, from the first
 * one on; NULL: all at once. */
struct moments {
    double last_s;
    const double *by_member_s; // borrowed
};

/* The last time that an operation of a cohort ran, where members are apart. */
struct run {
    struct moments begun, ended;

    /* Of a call that is not on the stream of kernels: like apart_s of its cohort (struct
     * fluid); owned. */
    double *apart_s;
};

enum flow_state { MEETING, PAYING, UNDER_WAY, OVER }; // PAYING: latency before the wire

struct fluid_flow {
    enum flow_state state;
    int class, cost_count;             // the class of steps at hand, of so many
    double left;                       // repetitions of the class
    double pays_s;                     // PAYING: latency left
    double repetition_s;               // at the rate of now; PAYING: of a second of latency
    double unslowed_s;                 // the same, without what kernels do to messages
    double bytes_per_s;                // what unslowed_s is for; NAN: nothing yet
    int sender, receiver;              // lanes; receiver -1: a collective
    const struct dts_step_cost *costs; // of the sender's load
    double share;                      // of the sum of its steps, until its stream is free
    double tail_s;                     // from then until the last member is done

    /* Of an exchange. */
    int step, channel, transport;
    bool sent, awaited;     // which sides are there
    double sent_s;          // when the sender was there
    double after_s, over_s; // until the receiver has it; when the wire was done
};

/* A collective whose stream is free again while its last members still work (row.h), or an
 * exchange that is on its way to its receiver, by latency that does not block. */
struct tail {
    int cohort, op, step;
    double left_s, all_s; // of the tail: still to come, and in all
};

struct fluid {
    const struct dts_simulation *simulation;
    struct dts_timing *timing;
    struct dts_loader *loader;
    struct dts_sharer *sharer;
    const struct dts_cohorts *cohorts; // the loader's
    struct lane *lanes;
    int lane_count;
    int workers;              // ranks that are
    int *lane_of;             // by cohort and stream; -1: none
    int *first_lane;          // of a cohort in lanes
    uint64_t *stirred;        // a bit for each cohort: one of its lanes may be able to begin
    struct dts_numbers timed; // lanes whose time runs, CALLING or ARRIVING, in order
    double *left_s;           // of each of them: what is left of its call or its wait
    struct fluid_flow *flows;
    size_t flow_count, flow_room; // with those that are free again
    struct dts_numbers free_flows;
    struct dts_numbers exchanges; // flows that not all sides have seen, sorted

    /* Flows that are PAYING or UNDER_WAY, sorted: the same flows have the same order each time
     * that their rates are asked for (share.h). */
    struct dts_numbers going;

    struct dts_numbers on_wire;         // of those: which the rates are for
    bool wire_changed;                  // others are on the wire than these
    const struct dts_step_cost **costs; // room for one for each flow, as of the rates
    const struct dts_step_cost **kept;  // the same
    int *crossed;                       // by link: by how many flows on the wire
    double *rates;                      // in bytes/s
    size_t cost_room, rate_room, kept_room;
    bool *computing;    // by cohort: a kernel runs, which slows its messages
    int *first_op;      // of a cohort in done
    int *done;          // by op of all cohorts: in how many steps
    int *talking;       // by cohort: communications under way, which slow its kernels
    double *noise;      // by role: factor on its kernels
    struct pace *paces; // by cohort
    struct run *runs;   // by op of all cohorts

    /* By cohort and member: how much later than the first member it is at what the kernels of
     * the cohort are at; NULL: all are there at once; owned. */
    double **apart_s;

    double *members_s; // room for a time of each member of a cohort
    double now, *step_ends;
    struct tail *tails; // in the order in which they began
    size_t tail_count, tail_room;
};

/* The lane has reached an exchange: it sends to and waits for each cohort at the other side. */
void dts_fluid_exchange(struct fluid *f, int lane);

/* When members begin the next operation of a lane, in seconds after the first member; NULL: all
 * at once. Valid until the next call. */
const double *dts_fluid_begin_apart(struct fluid *f, const struct lane *lane);

/* The time of members between the end of the previous collective of this lane, which the first
 * member ended at first_s, and the begin of this one. Valid until the next call. */
void dts_fluid_find_until(struct fluid *f, const struct lane *lane, double first_s,
                          struct dts_walk_gap *between);

/* True if some members start this collective while others still run the previous one of this
 * lane. *between is then the time of each member between the two. */
bool dts_fluid_overtakes(struct fluid *f, const struct lane *lane,
                         struct dts_walk_gap *between);

/* A call begins: members stay apart as they begin it. */
void dts_fluid_begin_call(struct fluid *f, const struct lane *lane);

/* The members of a cohort are apart as members_s says, at whatever time the first one is. */
void dts_fluid_put_apart(struct fluid *f, int cohort);

/* Paces of all cohorts. */
void dts_fluid_set_paces(struct fluid *f);
void dts_fluid_free_paces(struct fluid *f);

/* From when the last member begins a kernel, which takes so many seconds at factor 1, until the
 * last member ends it. */
double dts_fluid_kernel_s(const struct fluid *f, const struct lane *lane, double seconds);

/* A kernel is over: members of unlike speed are further apart. */
void dts_fluid_end_kernel(struct fluid *f, const struct lane *lane);

/* A communication of the cohort has begun, or is over. Who begins to talk first is the first to
 * be slowed down, who is done first computes at full speed again while others do not. */
void dts_fluid_talks(struct fluid *f, int cohort, int op);
void dts_fluid_has_talked(struct fluid *f, int cohort, int op);

/* When a collective that begins now, with this load, ends. It keeps its stream busy until its
 * first member is done, where another one follows; else for as long as each of many alike in a
 * row would. The rest is its tail. */
void dts_fluid_set_end(struct fluid *f, struct lane *lane, const struct dts_load *load,
                       struct fluid_flow *flow);

/* The wire is done with the messages of a flow between cohorts: for who waits for them. */
void dts_fluid_end_message(struct fluid *f, const struct fluid_flow *flow);

/* A new flow, in no list. The address is valid until the next one. */
struct fluid_flow *dts_fluid_add_flow(struct fluid *f, const struct fluid_flow *flow);

/* That of an exchange with these sides: there already where the other one came first. */
struct fluid_flow *dts_fluid_meet_flow(struct fluid *f, const struct fluid_flow *wanted);

/* The flow is under way from now on. */
void dts_fluid_begin_flow(struct fluid *f, const struct fluid_flow *flow);

/* The flow is over, and all sides have seen it. */
void dts_fluid_forget_flow(struct fluid *f, const struct fluid_flow *flow);

/* The time of a lane runs: it has become CALLING or ARRIVING. */
void dts_fluid_time_lane(struct fluid *f, const struct lane *lane);

/* Start all that can start now. */
void dts_fluid_start(struct fluid *f);

/* How much later than now the last member begins the operation that a lane is about to begin:
 * not before it is done with what it did before on this stream. */
double dts_fluid_last_begin_s(const struct fluid *f, const struct lane *lane);

/* The time of a lane that is CALLING or ARRIVING is over. */
void dts_fluid_end_timed(struct fluid *f, struct lane *lane);

/* The operation that a lane is at is complete: its time is noted, and the lane goes on. */
void dts_fluid_complete(struct fluid *f, struct lane *lane);

/* The operation that a lane is at is complete so much later; its stream goes on now. */
void dts_fluid_leave_tail(struct fluid *f, struct lane *lane, double left_s);

/* Where the time of an operation of a cohort is noted: only of the last step in which it acts,
 * since cohorts may be a step apart. NULL: it is not. */
struct dts_op_time *dts_fluid_op_time(const struct fluid *f, int cohort, int op, int step);

/* The last members of a collective are done. */
void dts_fluid_end_tail(struct fluid *f, size_t number);

/* Go to the next operation of the stream; at first, with op -1, to the first. */
void dts_fluid_next_op(struct fluid *f, struct lane *lane);

/* How long a repetition of each flow takes, now that these are under way together. */
void dts_fluid_set_rates(struct fluid *f);

/* Let time pass until something completes; false: nothing is under way. */
bool dts_fluid_advance(struct fluid *f);

static inline const struct dts_op *dts_fluid_op(const struct lane *lane)
{
    return &lane->role->plan.ops[lane->op];
}

static inline struct run *dts_fluid_run(const struct fluid *f, int cohort, int op)
{
    return &f->runs[f->first_op[cohort] + op];
}

#endif
