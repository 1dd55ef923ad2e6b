/* ways.h -- the routes of some pairs of ranks, cut down to what can slow their messages.
 *
 * Of links that the same pairs cross, the narrowest decides; the others are left out. A ring
 * through a fat tree keeps some dozen links of thousands.
 */
#ifndef DTS_SIM_WAYS_H
#define DTS_SIM_WAYS_H

#include "sim/routes.h"

struct dts_way {
    int first, count;        // in shares
    double most_bytes_per_s; // of a message alone; INFINITY: nothing limits it
    double latency_s;
    int by; // transport
};

/* The part of a message that crosses a link, numbered anew. */
struct dts_way_share {
    int link;
    double part;
};

struct dts_ways {
    struct dts_way *ways; // by pair; owned, as the two below
    struct dts_way_share *shares;
    double *bytes_per_s; // by link
    int count, share_count, link_count;
};

/* The ways of `count` pairs of ranks: from[i] sends to to[i]. */
void dts_ways_make(struct dts_routes *routes, const struct dts_net *net, const int *from,
                   const int *to, int count, struct dts_ways *ways);
void dts_ways_free(struct dts_ways *ways); // leaves it empty

#endif
