/* pattern.h -- who sends to whom in one step, routed once.
 *
 * Steps with the same pairs of members and the same proportions of bytes load the same links in
 * the same proportions, whatever the number of bytes: the two halves of a ring all-reduce, the
 * same collective over buckets of different size. A pattern keeps what routing found out; a
 * step of a given size is then a pass over its links.
 */
#ifndef DTS_SIM_PATTERN_H
#define DTS_SIM_PATTERN_H

#include <stdint.h>

#include "sim/engine.h"

/* A message of a step, by ranks. A collective names each twice, from both sides. */
struct dts_parcel {
    int self, peer;
    bool send, add;
    double bytes; // > 0
};

/* weight[k]: bytes that messages of transport k put on the link / bytes of the largest message.
 */
struct dts_pattern_link {
    int link;
    double weight[2];
    double bytes_per_s;
};

struct dts_pattern {
    uint64_t hash;
    struct dts_pattern_link *links; // the shared ones; owned
    int link_count;
    bool used[2];              // transports of the messages sent
    double cap_bytes_per_s[2]; // of single flows, by transport
    double latency_s[2];       // longest path of a message sent, by transport
    double *hop_latency_s;     // by rank: of the message received with the longest path; owned
    int *from;                 // and its sender; the rank itself: receives nothing. Owned
    unsigned char *hop_by;     // and its transport; owned
};

struct dts_patterns; // what was routed so far

struct dts_patterns *dts_patterns_new(const struct dts_simulation *simulation);
void dts_patterns_free(struct dts_patterns *patterns);

/* The pattern of these messages. Valid until the next call. */
const struct dts_pattern *dts_patterns_find(struct dts_patterns *patterns,
                                            const struct dts_parcel *parcels, size_t count,
                                            double largest_bytes);

#endif
