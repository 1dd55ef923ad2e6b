/* spread.h -- a message that takes all paths of its pair at once, as one flow of SimGrid.
 *
 * SimGrid shares a link among flows, and counts a flow once for each time that its route names
 * the link. So a route that lays all paths end to end, each as often as its share says, and a
 * flow of the message's bytes over the number of paths laid, loads every link with its part of
 * the message and moves all parts at one pace, as flow and fluid do. Flows share fairly what
 * one laid path gets, so that number is the same for all pairs.
 */
#ifndef DTS_SIM_EXACT_SPREAD_H
#define DTS_SIM_EXACT_SPREAD_H

#include "sim/flow/endpoint_pairs.h"

enum { DTS_SPREAD_MOST = 1024 }; // shares are rounded to parts of so many of a message

struct dts_spread_cap {
    int link, times; // that it is laid
};

struct dts_spread {
    int laid;   // how many paths are laid for each message: at most DTS_SPREAD_MOST
    int *links; // owned: those of a message, without links that cap each flow alone
    size_t count, room;
    struct dts_spread_cap *caps; // owned: links that do, each once
    size_t cap_count, cap_room;
    double most_bytes_per_s; // of what one laid path carries, by those; may be INFINITY
};

/* The fewest laid paths that make the shares of all pairs of these endpoints whole. */
void dts_spread_open(struct dts_spread *spread, const struct dts_net *net, const int *endpoint,
                     int count);

/* Lay the paths of a pair. */
void dts_spread_lay(struct dts_spread *spread, struct dts_endpoint_pairs *pairs, int pair);

#endif
