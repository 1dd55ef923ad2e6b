/* lane.h -- how the engine `exact` walks a plan: a lane for each stream of each rank.
 *
 * A lane goes on until it must wait: for an operation of another stream, for a time, or for
 * messages. What it waited for puts it into the queue of those that can go on, and the queue is
 * emptied after each event of SimGrid. No lane has a thread or a stack of its own.
 */
#ifndef DTS_SIM_EXACT_LANE_H
#define DTS_SIM_EXACT_LANE_H

#include "sim/exact/events.h"
#include "sim/exact/matcher.h"

enum dts_exact_lane_state {
    DTS_EXACT_LANE_RUNS,     // or is in the queue
    DTS_EXACT_LANE_WAITS,    // for an operation of another stream
    DTS_EXACT_LANE_CALLS,    // something that takes its time
    DTS_EXACT_LANE_COMPUTES, // a kernel that communication slows down
    DTS_EXACT_LANE_EXCHANGES,
    DTS_EXACT_LANE_FINISHED, // all steps are done
};

/* One message of an exchange under way. */
struct dts_exact_lane_message {
    const struct dts_message *planned;
    double sum_s;     // received: to add it to what is there
    double arrived_s; // when the program has it
};

struct dts_exact_lane {
    struct dts_exact *exact;
    const struct dts_role *role;
    int role_number, rank;
    enum dts_stream stream;
    struct dts_walk walk;
    int step, op;   // where it is; op -1: before its first
    double began_s; // the operation
    enum dts_exact_lane_state state;
    struct dts_exact_lane *next; // in the queue

    int awaited_op, awaited_steps; // DTS_EXACT_LANE_WAITS: until done in so many steps

    double left_s, from_s,
        speed; // DTS_EXACT_LANE_COMPUTES: what was left at a time, and how fast
    int pace;  // how often the speed was set

    int open; // DTS_EXACT_LANE_EXCHANGES: messages that are not over
    int message_count;
    struct dts_exact_lane_message *messages; // owned, as the one below
    double *arrivals; // pairs: when a message is there, how long its sum takes
    size_t message_room, arrival_room;
};

struct dts_exact_rank {
    int *done;   // by operation: in how many steps; owned
    int talking; // communications that have begun and are not done
    double device_noise;
};

struct dts_exact {
    const struct dts_simulation *simulation;
    struct dts_exact_lane *lanes; // by rank and stream; role NULL: not used
    int running;                  // lanes that are not finished
    int workers;                  // ranks that are
    int streams;                  // one more than the last that any plan uses
    struct dts_exact_rank *ranks;
    struct dts_simgrid_loop *loop;
    struct dts_heap events;
    struct dts_matcher matcher;
    struct dts_exact_lane *queue, *queue_end; // lanes that can go on
    double *step_ends;
    struct dts_timing *timing;
};

/* Start messages that are in flight together; the lane is woken when all are complete. */
void dts_exact_lane_exchange(struct dts_exact_lane *lane, const struct dts_message *messages,
                             int count);

/* A message of the lane is over; for dts_matcher. */
void dts_exact_lane_message_over(const struct dts_party *party, double over_s, double delay_s);

/* The lane can go on. */
void dts_exact_lane_wake(struct dts_exact_lane *lane);

/* All lanes go on that can, until none can. */
void dts_exact_lanes_go_on(struct dts_exact *exact);

#endif
