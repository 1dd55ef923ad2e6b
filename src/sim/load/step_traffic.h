/* step_traffic.h -- who sends to whom in one step, routed once for data of any size.
 *
 * Steps with the same pairs of ranks and the same proportions of bytes load the same links in
 * the same proportions: the halves of a ring all-reduce, a collective over buckets of different
 * size. The traffic of a step is what routing found out, so that the time of a step of any size
 * follows from a few numbers: per transport k the step needs max over links of (w_0l bytes_0 +
 * w_1l bytes_1) / capacity_l seconds, and only links that no other link dominates in both
 * weights can be that.
 */
#ifndef DTS_SIM_LOAD_STEP_TRAFFIC_H
#define DTS_SIM_LOAD_STEP_TRAFFIC_H

#include "sim/engine.h"
#include "sim/load/routes.h"

/* A message of a step, by ranks. A collective names each twice, from both sides. */
struct dts_step_message {
    int self, peer;
    bool send, add;
    double bytes; // > 0
};

/* weight[k]: bytes that messages of transport k put on the link / bytes of the largest message.
 */
struct dts_traffic_link {
    int link;
    double weight[2];
    double bytes_per_s;
};

/* How messages come to a rank. */
struct dts_hop {
    int from;         // the sender of the message with the longest latency; itself: none
    int by;           // its transport
    double latency_s; // of its path
    double sum_s;     // to sum all that arrive, per byte of the largest message
};

struct dts_step_traffic {
    struct dts_traffic_link *worst; // the links that may be the slowest; owned
    int worst_count;
    struct dts_traffic_link *links; // all shared ones, if they were asked for; owned
    int link_count;
    bool used[2];              // transports of the messages sent
    double sent[2];            // messages, by transport
    double paths;              // of its messages, all together
    double cap_bytes_per_s[2]; // of single flows, by transport
    double latency_s[2];       // longest of a message, by transport
    double sum_s;              // longest of a rank, per byte of the largest message
    struct dts_hop *hops;      // of the ranks of the role, if they were asked for; owned

    /* The pairs of ranks of its messages (routes.h), if they were asked for; owned. NULL: the
     * routes are not kept, or the messages are not all of one size. */
    unsigned *pairs;
    size_t pair_count;
};

struct dts_router; // routes, and adds up

struct dts_router *dts_router_new(const struct dts_simulation *simulation);
void dts_router_free(struct dts_router *router);
struct dts_routes *dts_router_routes(struct dts_router *router); // that it keeps

double dts_router_sum_s(const struct dts_router *router, int by); // of a byte that arrives

/* What dts_step_traffic_make() finds beside the numbers. */
struct dts_traffic_wish {
    bool links, hops, pairs;
    const struct dts_role *role; // of the ranks that have hops
    bool keep;                   // the routes: these ranks will send to one another again
    double times;                // how often the step is repeated: for dts_router_total()
};

/* Route these messages, of which the largest has `largest_bytes`. */
void dts_step_traffic_make(struct dts_router *router, const struct dts_step_message *messages,
                           size_t count, double largest_bytes,
                           const struct dts_traffic_wish *wish,
                           struct dts_step_traffic *traffic);
void dts_step_traffic_free(struct dts_step_traffic *traffic); // leaves it empty

/* The same by hand: messages that take a route, with `weight` times the bytes of the largest
 * one, and `bytes` for dts_router_total(); then the links of all that was put, and the caps. */
void dts_router_put(struct dts_router *router, const struct dts_route *route, double weight,
                    double bytes);
void dts_step_traffic_take(struct dts_router *router, const struct dts_traffic_wish *wish,
                           struct dts_step_traffic *traffic);

/* The bytes on each link of all steps that were made or repeated since the last call
 * (routes.h).
 */
struct dts_link_bytes *dts_router_total(struct dts_router *router, int *count);

/* Adds a step whose traffic is known to dts_router_total(). */
void dts_step_traffic_again(struct dts_router *router, const struct dts_step_message *messages,
                            size_t count, const struct dts_traffic_wish *wish);

/* The same for traffic that has its pairs, with messages of so many bytes. */
void dts_step_traffic_repeat(struct dts_router *router, const struct dts_step_traffic *traffic,
                             double bytes, double times);

#endif
