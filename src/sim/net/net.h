/* net.h -- a machine's network as both engines see it: endpoints, links, routes.
 *
 * Endpoints 0 .. devices - 1 are the accelerators, node after node; then one for each node's
 * host (where a parameter server runs): host_endpoint = devices + node. Links are directed: a
 * full-duplex cable is two. Capacity is what the wire carries; transports (transport.h) say how
 * much of it a message can use.
 *
 * All functions are pure and fast (below 1 us): a route is computed, not stored.
 */
#ifndef DTS_SIM_NET_NET_H
#define DTS_SIM_NET_NET_H

#include "base/error.h"
#include "sim/net/transport.h"

enum { DTS_MAX_ROUTE = 64 }; // links in one route

struct dts_net;

/* What makes a network; net.c wraps it. `self` is the implementation's own. */
struct dts_net_ops {
    double (*capacity)(const void *self, int link); // bytes/s
    bool (*shared)(const void *self, int link); // false: a cap on each flow alone. NULL: all
    void (*link_name)(const void *self, int link, char *name, size_t room);
    int (*paths)(const void *self, int src, int dst);              // >= 1
    double (*share)(const void *self, int src, int dst, int path); // of the traffic; sums to 1
    /* The path that a number between 0 and 1 falls on when the shares are laid end to end.
     * NULL: found by adding them. */
    int (*pick)(const void *self, int src, int dst, double uniform);
    int (*route)(const void *self, int src, int dst, int path, int *links); // returns how many
    double (*latency)(const void *self, int src, int dst, int path);        // seconds
    int (*transport)(const void *self, int src, int dst); // number in net->transports
    /* Where a link begins and ends, for checks that routes are walks; false: it is no cable but
     * a limit of the software. NULL: not known. */
    bool (*ends)(const void *self, int link, long *from, long *to);
    void (*free)(void *self);
};

struct dts_net {
    const struct dts_net_ops *ops;
    void *self;
    int devices, nodes, devices_per_node;
    int links;
    struct dts_transport transports[2]; // DTS_WITHIN a node, DTS_BETWEEN nodes
};

enum { DTS_WITHIN = 0, DTS_BETWEEN = 1 };

void dts_net_free(struct dts_net *net);

/* Which path message number `number` of a source takes: a hash of source, destination and
 * number, in proportion to the shares. */
int dts_net_pick(const struct dts_net *net, int src, int dst, unsigned number);

/* Has any pair of these ranks several paths? Neighbours are asked for, and all with the first:
 * enough to see it. */
bool dts_net_spreads(const struct dts_net *net, const int *endpoint, int ranks);

/* alpha of a message in seconds, and the bytes that it puts on the wire: what the transport
 * adds to the path. Both engines ask here and nowhere else. */
double dts_net_alpha(const struct dts_net *net, int src, int dst, int path, double bytes);

/* Latency of a pair, whatever the path: the longer of the first and the last. Paths of a kind
 * (minimal ones first, then the others) are alike. */
double dts_net_latency(const struct dts_net *net, int src, int dst);
double dts_net_wire_bytes(const struct dts_net *net, int src, int dst, double bytes);

/* Does the sender wait for alpha before the wire is used (else only the receiver sees it)? */
bool dts_net_blocks(const struct dts_net *net, int src, int dst);

#endif
