/* walk_private.h -- the state of a walk, shared by walk.c and walk_alike.c. */
#ifndef DTS_SIM_LOAD_WALK_PRIVATE_H
#define DTS_SIM_LOAD_WALK_PRIVATE_H

#include "sim/heap.h"
#include "sim/load/message_cost.h"
#include "sim/load/walk.h"

enum { NONE = -1, BEGINS = -2 };

/* Where a message is. */
struct message {
    int round;
    bool sent, awaited; // the sender's latency is paid; the receiver is there
    bool over;          // the wire is done
    double arrived_s;   // latency included
};

struct member {
    int round, turn; // at hand
    int pending;     // messages of the turn whose wire is not done
};

/* A collective of the row. */
struct round {
    const struct dts_script *script;
    struct dts_message_cost *costs; // by message of the script; owned
    int first_message;
    bool even;              // all messages of a step carry the same
    int ended;              // members that have done it
    double first_s, last_s; // when the first one had, and the last one
    double *ended_s;        // when each had; NULL: nobody asks
    double *begun_s;        // when each began it; NULL: nobody asks
};

struct walk {
    struct round *rounds;
    int round_count, member_count;
    const double *begun_s; // as of dts_walk_row
    struct dts_walk_gap between;
    struct dts_flows *flows;
    struct message *messages; // by round and number in its script; owned
    struct dts_progress *progress;
    struct member *members;

    /* event.what: a message whose latency is paid; NONE: the turn of event.member is over;
     * BEGINS: event.member begins its round. */
    struct dts_heap events;

    int *ready, ready_count; // members that begin their turn now
    int taking_part;         // members with turns, in any round
    int together; // the step that all began together last, and when; NONE: they did not
    double together_s;
    double now;
    size_t arrival_room;
    double *arrivals; // of the messages of one turn that are summed, each with its sum
};

/* The turn of a member is over: it is ready for the next one, if there is one. */
void dts_walk_next_turn(struct walk *walk, int member);

/* Where loads are even, members end together what they begin together. The next step then takes
 * as long as the one before, if that had the same traffic, and so do all of its like that
 * follow: they need not be walked. */
void dts_walk_skip_alike(struct walk *walk);

#endif
