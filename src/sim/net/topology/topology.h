/* topology.h -- networks between nodes, as pure functions. One file and one row each.
 *
 * A topology connects ports 0 .. ports - 1 (a node has one port for each of its rails). Links
 * are numbered from 0; the cable between a node and its switch or router belongs to the node's
 * NIC (platform.h), not to the topology. Link counts and routes are formulas, nothing is
 * stored. A route is a walk from the place of its source port to that of its destination.
 */
#ifndef DTS_SIM_NET_TOPOLOGY_TOPOLOGY_H
#define DTS_SIM_NET_TOPOLOGY_TOPOLOGY_H

#include <stddef.h>

#include "base/json/cfg.h"

enum {
    /* Links of a route in a topology; the rest of DTS_MAX_ROUTE is for NICs and nodes. */
    DTS_MAX_TOPOLOGY_ROUTE = 1000,

    /* Links of a network. Engines keep some 60 bytes of each: 1 GB. */
    DTS_MOST_LINKS = 1 << 24,
};

/* What a bisection is. */
enum dts_surely {
    DTS_ONE_CUT,  // other halves may carry less
    DTS_AT_LEAST, // no halves carry less, but all may carry more
    DTS_EXACT,    // no halves carry less, and these as much
};

struct dts_topology {
    const char *name;               // as in platform files: "dragonfly"
    const char *summary;            // one line for `dtsim list`
    const struct dts_field *fields; // its JSON keys, beside "kind"
    size_t size;                    // of the struct that they fill, allocated zeroed

    /* Checks what spans fields and fills what follows from them. `at` is for messages. */
    bool (*prepare)(void *self, int ports, const struct dts_cfg *at, struct dts_error *err);
    int (*ports)(const void *self); // the most that it connects
    int (*links)(const void *self);
    double (*capacity)(const void *self, int link); // bytes/s
    void (*link_name)(const void *self, int link, char *name, size_t room);

    const char *called; // what its places are: "switches", "routers"

    /* Where links begin and end: switches or routers, numbered from 0. */
    int (*places)(const void *self);
    int (*place_of)(const void *self, int port); // the one that a port is cabled to
    void (*ends)(const void *self, int link, int *from, int *to);

    /* Are routes between ports of two places all alike, but for what a hash of the ports
     * decides? NULL: no. */
    bool (*by_place)(const void *self);

    int (*paths)(const void *self, int src, int dst);
    double (*share)(const void *self, int src, int dst, int path); // NULL: 1 / paths

    /* The path that a number between 0 and 1 falls on when the shares are laid end to end.
     * NULL: where all shares are alike. */
    int (*pick)(const void *self, int src, int dst, double uniform);
    int (*route)(const void *self, int src, int dst, int path, int *links);
    double (*latency)(const void *self, int src, int dst, int path); // seconds, of its links

    /* Between two halves of its ports: bytes/s one way; INFINITY: no link is between them.
     * `halves` says which ones. `surely`: what is known of other halves, with all ports at one
     * rate. */
    double (*bisection)(const void *self);
    const char *halves;
    enum dts_surely (*surely)(const void *self);

    /* Of the longest minimal route between two ports: its links, and the seconds of the
     * slowest. */
    void (*longest)(const void *self, int *links, double *latency_s);
};

/* So many links must be at most DTS_MOST_LINKS; `key` is the one that makes them many. */
bool dts_topology_check_links(double links, const struct dts_cfg *at, const char *key,
                              struct dts_error *err);

extern const struct dts_topology *const dts_topologies[]; // ended by NULL
const struct dts_topology *dts_topology_find(const char *name);
const char *dts_topology_name(int i);

#endif
