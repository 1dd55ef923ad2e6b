/* lane.h -- one stream of one rank: the verbs that it lends the walker. Private to the module.
 */
#ifndef DTS_LIVE_LANE_H
#define DTS_LIVE_LANE_H

#include <pthread.h>

#include "live/live.h"
#include "live/values.h"
#include "plan/run.h"

/* What several peers laid on one place, until a call of the plan sums it. */
struct dts_arrivals {
    struct dts_span span;
    int count;
    char *messages; // count x span.count values, in the rank's memory; owned; NULL: nothing of
                    // the kind
};

/* What the streams of a rank share. */
struct dts_lanes {
    const struct dts_live *live;
    const struct dts_live_rank *rank;
    void *executor_self;
    struct dts_live_times *times;
    pthread_mutex_t lock; // over done
    pthread_cond_t changed;
    int *done;                     // by operation: in how many steps; owned
    struct dts_arrivals *arrivals; // by operation; owned
    void *library;                 // communicators by operation (library.c); owned
    struct dts_dock host;          // the rank's buffers
    const struct dts_dock *dock;   // where messages leave and arrive: that, or a device's
};

struct dts_pieces;
struct dts_parcel;

struct dts_lane {
    struct dts_lanes *of;
    enum dts_stream stream;
    pthread_t thread;
    int step;
    double free_s; // when the next call could have begun
    char *scratch; // messages that wait aside, in the rank's memory; owned
    size_t scratch_room;
    char *halves; // what MPI's collectives have in 16 bits, in the host's; owned
    size_t halves_room;
    struct dts_pieces *pieces;  // how they travel (pieces.h); owned, as are
    struct dts_parcel *parcels; // those of an exchange
    size_t parcel_room;
};

/* All steps of the stream; what a thread runs. */
void *dts_lane_live(void *lane);

/* Messages in flight together; returns when all are complete (exchange.c). */
void dts_lane_exchange(struct dts_lane *lane, const struct dts_op *op,
                       const struct dts_message *messages, int count);

/* Sum what arrived for the operation into its span, peer after peer (exchange.c). */
void dts_lane_sum(struct dts_lane *lane, int op);

/* How a buffer's messages hold its values. */
struct dts_values dts_lane_values(const struct dts_lanes *lanes, int buffer);

#endif
