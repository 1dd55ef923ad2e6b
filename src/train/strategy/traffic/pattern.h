/* pattern.h -- patterns of messages of jobs that train nothing, one file and one row each. */
#ifndef DTS_TRAIN_STRATEGY_TRAFFIC_PATTERN_H
#define DTS_TRAIN_STRATEGY_TRAFFIC_PATTERN_H

#include <stdint.h>

#include "plan/plan.h"

/* What a pattern is made of. */
struct dts_traffic_ask {
    int devices;
    size_t message_bytes;
    double bytes_per_s; // that a device offers
    uint64_t seed;      // of what is drawn
};

struct dts_traffic_shape {
    const char *name, *summary;
    bool draws; // who meets whom hangs on the seed
    int least;  // devices that it needs

    /* Builds one round, which ranks repeat. In it a rank offers its messages at the rate that
     * is asked: a round begins when the bytes of the one before it would have left at that
     * rate, and not before those have left; the first one begins at once. */
    void (*build)(const struct dts_traffic_ask *ask, struct dts_job *job);
};

extern const struct dts_traffic_shape *const dts_traffic_patterns[]; // ended by NULL
const char *dts_traffic_pattern_name(int i);

/* What patterns share. A job of one role for all devices, or of a role for each of them; each
 * has a buffer of so many bytes. */
void dts_traffic_roles(const struct dts_traffic_ask *ask, int roles, size_t buffer_bytes,
                       struct dts_job *job);

/* The time in which so many bytes leave at the rate that is asked; on a stream of its own, so
 * that it goes on while messages are late. Returns the operation. */
int dts_traffic_pace(const struct dts_traffic_ask *ask, struct dts_plan *plan, double bytes);

#endif
