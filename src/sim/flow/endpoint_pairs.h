/* endpoint_pairs.h -- what the network says about two endpoints, asked once: an engine
 * would ask for each message. */
#ifndef DTS_SIM_FLOW_ENDPOINT_PAIRS_H
#define DTS_SIM_FLOW_ENDPOINT_PAIRS_H

#include "sim/net/map.h"
#include "sim/net/net.h"

struct dts_path {
    bool asked;
    int hops;
    const int *links; // owned, where they are kept
    double latency_s;
};

struct dts_endpoint_pair {
    int src, dst; // endpoints
    int paths;
    double latency_s; // of a message that takes all of them: the longest
    const struct dts_transport *by;
    unsigned messages;     // that were given a path
    struct dts_path *path; // each of them; owned; NULL: not kept
};

/* Empty: {.net = net}. */
struct dts_endpoint_pairs {
    const struct dts_net *net;
    struct dts_map numbers;
    struct dts_endpoint_pair *pair; // owned
    size_t count, room;
    size_t kept;              // bytes of paths and links
    struct dts_path one;      // of a path that is not kept
    int links[DTS_MAX_ROUTE]; // its links
};

/* The number of a pair of endpoints. */
int dts_endpoint_pair_find(struct dts_endpoint_pairs *pairs, int src, int dst);

/* The path of the next message of a pair. */
int dts_endpoint_pair_pick(struct dts_endpoint_pairs *pairs, int number);

/* Valid until the next call. */
const struct dts_path *dts_endpoint_pair_path(struct dts_endpoint_pairs *pairs, int number,
                                              int path);

void dts_endpoint_pairs_free(struct dts_endpoint_pairs *pairs);

#endif
