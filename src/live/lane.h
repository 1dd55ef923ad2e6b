/* lane.h -- one stream of one rank: the verbs that it lends the walker. Private to the module.
 */
#ifndef DTS_LIVE_LANE_H
#define DTS_LIVE_LANE_H

#include <pthread.h>

#include "live/live.h"
#include "plan/run.h"

/* What several peers laid on one place, until a call of the plan sums it. */
struct dts_arrivals {
    struct dts_span span;
    int count;
    size_t element_bytes;
    char *values; // count x span.count elements; owned; NULL: nothing of the kind
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
};

struct dts_lane {
    struct dts_lanes *of;
    enum dts_stream stream;
    pthread_t thread;
    int step;
    double free_s; // when the next call could have begun
    char *scratch; // what arrives and is to be added; owned
    size_t scratch_room;
    void *requests; // of MPI; owned
    size_t request_room;
};

/* All steps of the stream; what a thread runs. */
void *dts_lane_live(void *lane);

/* Messages in flight together; returns when all are complete (exchange.c). */
void dts_lane_exchange(struct dts_lane *lane, int op, const struct dts_message *messages,
                       int count);

/* Sum what arrived for the operation into its span, peer after peer (exchange.c). */
void dts_lane_sum(struct dts_lanes *lanes, int op);

/* sum += values (exchange.c). */
void dts_lane_add(float *sum, const float *values, size_t count);

#endif
