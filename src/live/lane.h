/* lane.h -- one stream of one rank: the functions that the walker of the plan calls. Private to
 * the room.
 */
#ifndef DTS_LIVE_LANE_H
#define DTS_LIVE_LANE_H

#include <pthread.h>

#include "live/live.h"
#include "live/values.h"
#include "plan/run.h"

/* Messages of several peers for one place, until a call of the plan sums them. */
struct dts_arrivals {
    struct dts_span span;
    int count;
    /* count x span.count values, in the rank's message memory; owned. NULL: the operation has
     * no such messages. */
    char *messages;
};

/* What all streams of a rank share. */
struct dts_lanes {
    const struct dts_live *live;
    const struct dts_live_rank *rank;
    void *executor_self;
    struct dts_live_times *times;
    pthread_mutex_t lock; // over done, and what times say of messages
    pthread_cond_t changed;
    int *done;                               // by operation: in how many steps; owned
    struct dts_arrivals *arrivals;           // by operation; owned
    void *library;                           // communicators by operation (library.c); owned
    struct dts_message_memory host;          // the rank's buffers
    const struct dts_message_memory *memory; // of messages: `host`, or a device's
};

struct dts_pieces;
struct dts_wire_message;

struct dts_lane {
    struct dts_lanes *of;
    enum dts_stream stream;
    pthread_t thread;
    int step;
    double free_s; // when the next call could have begun, by dts_now_s()
    char *scratch; // messages that must not arrive in their place yet; owned
    size_t scratch_room;
    char *halves; // values of MPI's collectives in 16 bits, on the host; owned
    size_t halves_room;
    struct dts_pieces *pieces;        // how messages travel (pieces.h); owned
    struct dts_wire_message *on_wire; // messages of the exchange at hand; owned
    size_t on_wire_room;
};

/* Walks all steps of the stream: what a thread runs. */
void *dts_lane_live(void *lane);

/* Sends and receives all messages at once; returns when all are complete (exchange.c). */
void dts_lane_exchange(struct dts_lane *lane, const struct dts_op *op,
                       const struct dts_message *messages, int count);

/* Sums the messages that arrived for the operation into its span, peer after peer (exchange.c).
 */
void dts_lane_sum(struct dts_lane *lane, int op);

/* What a server does in place of a walk, where its role has a rule (serve.c). */
void dts_lanes_serve(struct dts_lanes *lanes);

/* The format that the messages of a buffer have. */
struct dts_values dts_lane_values(const struct dts_lanes *lanes, int buffer);

#endif
