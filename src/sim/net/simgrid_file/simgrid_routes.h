/* simgrid_routes.h -- all routes of a SimGrid platform, as the child that reads it sends them.
 */
#ifndef DTS_SIM_NET_SIMGRID_FILE_SIMGRID_ROUTES_H
#define DTS_SIM_NET_SIMGRID_FILE_SIMGRID_ROUTES_H

#include <stdbool.h>
#include <stddef.h>

struct dts_net_hosts;

enum { DTS_SIMGRID_NAME = 64 };

/* The file, and how far its child came: SimGrid dies of a missing route. Shared with the child.
 */
struct dts_simgrid_question {
    const char *path;
    const struct dts_net_hosts *hosts;                 // as before the fork
    char from[DTS_SIMGRID_NAME], to[DTS_SIMGRID_NAME]; // of the route asked for now; "": none
};

/* How a missing route is said, with the names of the two hosts. */
#define DTS_SIMGRID_NO_ROUTE                                                                   \
    "route from %s to %s: SimGrid cannot find it, and every two hosts must have "              \
    "one (network.hosts chooses which hosts are used)"

/* What the child that reads the file finds, and what the network keeps. Pairs are from * hosts
 * + to. */
struct dts_simgrid_routes {
    int hosts, links;
    size_t hops;
    size_t without_links;            // pairs whose routes are a latency and no link
    double *capacity;                // by link, bytes/s
    double *latency;                 // by pair, seconds
    double *speed;                   // by host, flop/s of a core
    size_t *first;                   // by pair, and one more: in route
    int *route;                      // links
    char (*names)[DTS_SIMGRID_NAME]; // by link
    int *cores;                      // by host
    bool *shared;                    // by link
    void *bytes;                     // all the arrays; owned by the network
    size_t link_room, hop_room;
};

size_t dts_simgrid_pairs(const struct dts_simgrid_routes *routes);

/* The arrays in one block, largest elements first, so that all are aligned. Returns its size;
 * that alone where `bytes` is NULL. */
size_t dts_simgrid_routes_lay_out(struct dts_simgrid_routes *routes, char *bytes);

#endif
