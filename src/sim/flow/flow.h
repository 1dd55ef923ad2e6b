/* flow.h -- every message of every rank in simulated time: what the engines `flow` and `exact`
 * have in common. They differ in the wire (wire_ops): `flow` shares links itself (wire.h),
 * `exact` has SimGrid share them.
 *
 * A lane for each stream of each rank walks the plan (plan/run.h). A lane goes on until it must
 * wait: for an operation of another stream, for a time, or for messages. What it waited for
 * puts it into the queue of those that can go on, and the queue is emptied after each event. No
 * lane has a thread or a stack of its own.
 *
 * A message is sent by one lane and received by another; they meet by ranks, wire and channel,
 * in the order in which both name their messages. Where latency blocks the sender, the message
 * enters the wire when both are there; elsewhere as soon as it is sent: the transport has
 * buffers of its own, as NCCL has, and only so is a ring of unlike hops pipelined.
 *
 *     alpha blocks:         sender waits alpha, message waits for the receiver, wire
 *     alpha does not block: wire at once, message is there alpha after the wire is done
 *
 * Several jobs share the network: that of the simulation, and neighbours, which repeat their
 * steps until it has done its own. Ranks, endpoints and messages are counted over all jobs;
 * only a lane knows its rank as the plan of its job counts.
 *
 * Lanes and messages are numbers: their arrays grow, so no pointer into one of them may be held
 * over a call that can add to it. Each of them has at most one date at a time, so that a date
 * can be moved.
 */
#ifndef DTS_SIM_FLOW_FLOW_H
#define DTS_SIM_FLOW_FLOW_H

#include <stdint.h>

#include "plan/run.h"
#include "sim/engine.h"
#include "sim/flow/endpoint_pairs.h"

enum { DTS_FLOW_NONE = -1 };

struct dts_flow;
struct dts_flow_wire;

/* ---- dates ------------------------------------------------------------------------------- */

/* Who comes first (queue.h). */
struct dts_flow_entry {
    double at;
    uint64_t order; // of one `at`, who was added or moved first
    int who;
};

struct dts_flow_queue {
    struct dts_flow_entry *heap; // owned; the first one on top
    size_t room;
    int count;
};

/* In seconds; of a lane (its number) or a message (~number). */
struct dts_flow_dates {
    struct dts_flow_queue queue;
    int *place_of_lane; // in the queue, owned; -1: it has no date
    uint64_t set;       // dates so far
};

/* ---- messages ---------------------------------------------------------------------------- */

/* Who learns that a message is over: number `which` of a lane's messages under way. */
struct dts_flow_party {
    int lane, which; // lane -1: not there yet
};

enum dts_flow_message_state {
    DTS_FLOW_MEETS,   // one side is not there yet
    DTS_FLOW_READY,   // pays its latency
    DTS_FLOW_ON_WIRE, // shares links with others
    DTS_FLOW_OVER,    // the wire is done
};

struct dts_flow_message {
    struct dts_flow_party sender, receiver;
    int src, dst;   // ranks of all jobs
    int pair, path; // of endpoints
    enum dts_flow_message_state state;
    bool waits;        // for the receiver, before it enters the wire
    int place;         // in the heap of dates; -1: it has no date
    int next;          // in its box, or among the free
    double sent_s;     // when the sender gave it away
    double ready_s;    // when the sender has paid its latency
    double delay_s;    // alpha that the receiver sees: latency that does not block the sender
    double wire_bytes; // what the wire has to carry
    double over_s;     // when it had

    /* Of wire.c. */
    int hops, first_back;  // its path there; its places in the lists of that path's links
    int mark;              // the last settling that met it
    int bound, new_bound;  // the link that limits it; -1: its path alone
    double left_bytes;     // at since_s
    double since_s;        // when its rate was set
    double rate, new_rate; // bytes/s
    double slow;           // 1 + message_slowdown while a rank of it computes
    double clock_mark;     // what the clock of `bound` shows when it is over
    int clock_place;       // in the queue of the clock
};

/* Where two ranks meet: messages that were sent and are not asked for yet, or that are asked
 * for and not sent yet; never both. */
struct dts_flow_box {
    int first, last; // messages
    bool sent;
    int pair; // of the endpoints that meet here
};

/* When a message is over. */
struct dts_flow_over {
    double sent_s, over_s;
    double delay_s; // from over_s until that side has it
};

/* ---- lanes ------------------------------------------------------------------------------- */

enum dts_flow_lane_state {
    DTS_FLOW_RUNS,     // or is in the queue
    DTS_FLOW_WAITS,    // for an operation of another stream
    DTS_FLOW_CALLS,    // something that takes its time
    DTS_FLOW_COMPUTES, // a kernel that communication slows down
    DTS_FLOW_EXCHANGES,
    DTS_FLOW_SERVES,   // answers requests as they come
    DTS_FLOW_STANDS,   // of a neighbour: its steps take no time (jobs.c)
    DTS_FLOW_FINISHED, // all steps are done
};

/* One message of an exchange under way. */
struct dts_flow_mail {
    const struct dts_message *planned;
    enum dts_stream stream; // that it travels on
    double sum_s;           // received: to add it to what is there
    double arrived_s;       // when the program has it
};

/* The box that message i of an exchange met last: mostly it is the same one again. */
struct dts_flow_known {
    int peer, channel, box; // box + 1; 0: none
    bool send;
};

struct dts_flow_lane {
    const struct dts_role *role;
    int role_number, rank; // of its job
    int job;               // its number
    int place;             // its rank among those of all jobs
    enum dts_stream stream;
    bool ends_step; // the end of its operations counts as the end of the step
    struct dts_walk walk;
    int step, op;   // where it is; op -1: before its first
    double began_s; // the operation
    double step_s;  // of a neighbour: when its step began
    int timeless;   // and how many steps in a row took no time
    enum dts_flow_lane_state state;
    int next; // in the queue

    int awaited_op, awaited_steps; // DTS_FLOW_WAITS: until done in so many steps

    double left_s, from_s, speed; // DTS_FLOW_COMPUTES: what was left at a time, and how fast

    int open; // DTS_FLOW_EXCHANGES: messages that are not over
    int mail_count;
    struct dts_flow_mail *mail; // owned, as those below
    double *arrivals;           // pairs: when a message is there, how long its sum takes
    struct dts_flow_known *known;
    size_t mail_room, arrival_room, known_room;
    struct dts_flow_server *server; // owned; NULL: it does not serve
};

struct dts_flow_rank {
    int *done;                  // by operation: in how many steps; owned
    int talking;                // communications that have begun and are not done
    int first_lane, lane_count; // its lanes
    int compute;                // that of DTS_COMPUTE; -1: there is none
    bool computing;             // a kernel runs
    double compute_s;           // of a worker: its DTS_COMPUTE calls in the last step
    double device_noise;
};

/* ---- jobs -------------------------------------------------------------------------------- */

struct dts_flow_job {
    struct dts_neighbour of; // job 0: that of the simulation
    int first_rank;          // among those of all jobs
    int workers;             // ranks that are

    /* Of a neighbour: its steps so far. */
    int enders;        // lanes with ends_step
    int *ended;        // of them, by step; owned
    double *step_ends; // the latest, by step; owned
    size_t ended_room, ends_room;
    int begun, steps; // steps that some lane ended; that all did
};

/* ---- the machine ------------------------------------------------------------------------- */

/* What carries messages. */
struct dts_flow_wire_ops {
    /* The message's latency is paid: it needs the wire from now on. dts_flow_arrived() says
     * that it is over. */
    void (*enter)(struct dts_flow *flow, int message);

    void (*due)(struct dts_flow *flow, int message); // a date that the wire set has come
    void (*slow)(struct dts_flow *flow, int rank);   // kernels of a rank began or ended
    void (*finished)(struct dts_flow *flow);         // all lanes are; NULL: nobody asks
};

struct dts_flow {
    const struct dts_simulation *simulation;
    struct dts_timing *timing;
    const struct dts_flow_wire_ops *wire_ops;
    void *wire; // of wire_ops

    bool spread; // a message takes all paths of its pair at once, each its share; else one of
                 // them

    double now_s, until_s; // dates up to until_s are now
    struct dts_flow_dates dates;

    struct dts_flow_lane *lanes; // owned, as all below; by rank, then by stream
    size_t lane_room;
    int lane_count;
    int running;          // lanes of job 0 that are not finished
    int queue, queue_end; // lanes that can go on
    struct dts_flow_rank *ranks;
    int rank_count; // of all jobs
    int *endpoint;  // of each of them
    struct dts_flow_job *jobs;
    int job_count;
    double *step_ends; // by step
    double *ends;      // of jobs that serve: by rank and step, when a worker had done it

    struct dts_endpoint_pairs pairs;
    struct dts_map box_numbers; // plus 1, by who meets there
    struct dts_flow_box *boxes;
    struct dts_flow_message *messages;
    size_t box_count, box_room, message_count, message_room;
    int free_message; // to be used again
    double sent;      // messages that entered the wire
};

/* setup.c. Of a flow with simulation, timing, wire_ops and wire; timing is open. */
void dts_flow_open(struct dts_flow *flow);
void dts_flow_start(struct dts_flow *flow); // time 0
bool dts_flow_close(struct dts_flow *flow, const char *engine, struct dts_error *err);

/* jobs.c. Ranks, endpoints and jobs of a flow with a simulation; lanes follow. */
void dts_flow_jobs_open(struct dts_flow *flow);
void dts_flow_jobs_close(struct dts_flow *flow); // fills timing->neighbours
void dts_flow_jobs_free(struct dts_flow *flow);

/* A lane of a neighbour has done its step. Returns false if it must not go on by itself. */
bool dts_flow_job_step(struct dts_flow *flow, int lane);

/* dates.c */
void dts_flow_date_set(struct dts_flow *flow, int who, double at_s); // or move it
void dts_flow_date_clear(struct dts_flow *flow, int who);
double dts_flow_date_next(const struct dts_flow *flow); // INFINITY: there is none

/* All dates up to until_s, and what follows from them. Returns false if there was none. */
bool dts_flow_dates_due(struct dts_flow *flow);

/* post.c: send a message, or ask for one; its lane is told when it is over, perhaps at once.
 * What is asked for arrives with the transport that is returned. */
void dts_flow_send(struct dts_flow *flow, int lane, int which);
const struct dts_transport *dts_flow_receive(struct dts_flow *flow, int lane, int which);
void dts_flow_message_due(struct dts_flow *flow, int message);
void dts_flow_arrived(struct dts_flow *flow, int message); // the wire is done with it

/* exchange.c */
void dts_flow_exchange(struct dts_flow *flow, int lane, const struct dts_message *messages,
                       int count);
void dts_flow_mail_over(struct dts_flow *flow, struct dts_flow_party party,
                        const struct dts_flow_over *over);

/* serve.c: the only lane of a rank that serves. */
void dts_flow_serve_open(struct dts_flow *flow, int lane);
void dts_flow_serve_start(struct dts_flow *flow, int lane);
void dts_flow_serve_arrived(struct dts_flow *flow, struct dts_flow_party party, double sent_s,
                            double at_s);
void dts_flow_serve_due(struct dts_flow *flow, int lane);
void dts_flow_serve_free(struct dts_flow_server *server);

/* lane.c */
void dts_flow_lane_wake(struct dts_flow *flow, int lane); // it can go on
void dts_flow_lanes_go_on(struct dts_flow *flow);         // all that can, until none can

#endif
