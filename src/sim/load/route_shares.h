/* route_shares.h -- the routes of some pairs of ranks, cut down to what can slow their
 * messages.
 *
 * Of links that the same pairs cross, the narrowest decides; the others are left out. A ring
 * through a fat tree keeps some dozen links of thousands.
 */
#ifndef DTS_SIM_LOAD_ROUTE_SHARES_H
#define DTS_SIM_LOAD_ROUTE_SHARES_H

#include "sim/load/routes.h"
#include "sim/net/map.h"

struct dts_pair_route {
    int first, count;        // in shares
    double most_bytes_per_s; // of a message alone; INFINITY: nothing limits it
    double latency_s;
    int by; // transport
};

/* The part of a message that crosses a link, numbered anew. */
struct dts_link_share {
    int link;
    double part;
};

struct dts_route_shares {
    struct dts_pair_route *routes; // by pair; owned, as the two below
    struct dts_link_share *shares;
    double *bytes_per_s; // by link
    int count, share_count, link_count;
};

void dts_route_shares_free(struct dts_route_shares *shares); // leaves it empty

/* Pairs of ranks that send to one another, numbered as they are met, and the shares of their
 * routes. */
struct dts_rank_pairs {
    struct dts_map numbers; // by pair: number + 1
    int *from, *to;         // ranks; owned
    size_t from_room, to_room;
    int count;
    struct dts_route_shares shares; // see dts_rank_pairs_find_routes()
};

int dts_rank_pairs_number(struct dts_rank_pairs *pairs, int from, int to);

/* Finds the routes of all pairs met so far. The numbers of pairs stay, those of links change.
 */
void dts_rank_pairs_find_routes(struct dts_rank_pairs *pairs, struct dts_routes *routes,
                                const struct dts_net *net);
void dts_rank_pairs_free(struct dts_rank_pairs *pairs); // leaves it empty

#endif
