/* exact_lane.h -- the verbs of the engine `exact`: an actor for each stream of each rank. */
#ifndef DTS_SIM_EXACT_LANE_H
#define DTS_SIM_EXACT_LANE_H

#include <simgrid/semaphore.h>

#include "sim/exact_post.h"

enum dts_lane_state {
    DTS_LANE_RUNS,
    DTS_LANE_WAITS,    // for an operation of another stream
    DTS_LANE_COMPUTES, // a kernel that communication slows down
    DTS_LANE_FINISHED, // all steps are done
};

/* One message of an exchange under way. */
struct dts_mail {
    const struct dts_message *message;
    struct dts_postage postage; // sent
    double sum_s;               // received: to add it to what is there
    void *letter;
    double finished_s; // as this lane saw it
};

struct dts_lane {
    struct dts_exact *exact;
    const struct dts_role *role;
    int role_number, rank;
    enum dts_stream stream;
    int step, op;     // where it is; op -1: before its first
    double began_s;   // the operation
    sg_sem_t sem;     // wakes it
    double *arrivals; // of the messages of one exchange; owned, as the three below
    sg_comm_t *comms;
    struct dts_mail *mail;
    size_t arrival_room, comm_room, mail_room;
    enum dts_lane_state state;
    int awaited_op, awaited_steps; // DTS_LANE_WAITS: until done in so many steps
};

struct dts_exact_rank {
    int *done;   // by operation: in how many steps; owned
    int talking; // communications that have begun and are not done
    double device_noise;
};

struct dts_exact {
    const struct dts_simulation *simulation;
    struct dts_lane *lanes; // by rank and stream; role NULL: not used
    struct dts_exact_rank *ranks;
    sg_actor_t *actors; // by rank and stream
    struct dts_post post;
    double *step_ends;
    struct dts_timing *timing;
};

/* Carry out messages that are in flight together; returns when all are complete. */
void dts_lane_exchange(struct dts_lane *lane, const struct dts_message *messages, int count);

/* The actor's code; its data is its lane. */
void dts_lane_live(int argc, char **argv);

#endif
