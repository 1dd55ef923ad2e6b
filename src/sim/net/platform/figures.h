/* figures.h -- a machine in a few numbers: nodes, switches, links, bandwidths, hops. All follow
 * from its platform file alone; software (transport.h) is in none of them. docs/platforms.md
 * defines each.
 */
#ifndef DTS_SIM_NET_PLATFORM_FIGURES_H
#define DTS_SIM_NET_PLATFORM_FIGURES_H

#include "sim/net/platform/platform.h"
#include "sim/net/topology/topology.h"

struct dts_platform_figures {
    int nodes, devices, nics; // nics: of a node
    const char *topology;     // row of the network between nodes: "torus"; static
    const char *called;       // what its places are: "routers"; static
    long long switches;       // such places, of all rails
    long long links;          // between them; a cable that carries both ways is two

    /* Bytes per second, one way. */
    double node_injection_bytes_per_s; // of all NICs of a node
    double injection_bytes_per_s;      // of all nodes
    double bisection_bytes_per_s;      // between two halves of the machine

    /* Which halves: static. NULL: the links between any halves that were looked at carry more
     * than the NICs of half of the nodes, whose rate the bisection is. */
    const char *halves;
    enum dts_surely surely; // what is known of other halves

    /* Links of the longest minimal route, between switches and from node to node, and the
     * seconds of the longest minimal route between devices. */
    int switch_hops, hops;
    double latency_s;
};

/* Returns false when the network was imported, so that there is no topology. */
bool dts_platform_figures(const struct dts_platform *platform,
                          struct dts_platform_figures *figures);

#endif
