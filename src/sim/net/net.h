/* net.h -- a machine's network as both engines see it: endpoints, links, routes.
 *
 * Endpoints 0 .. devices - 1 are the accelerators, node after node; then one for each node's
 * host (where a parameter server runs): host_endpoint = devices + node. Links are directed: a
 * full-duplex cable is two links. The capacity is that of the wire; transports (transport.h)
 * say how much of it a message can use.
 *
 * All functions are pure and fast (below 1 us): a route is computed, not stored.
 */
#ifndef DTS_SIM_NET_NET_H
#define DTS_SIM_NET_NET_H

#include <stdint.h>

#include "base/error.h"
#include "sim/net/transport.h"

enum { DTS_MAX_ROUTE = 1024 }; // links in one route

struct dts_net;

/* Between endpoints of two spots, on unlike nodes, routes differ in the links that are parts of
 * these nodes, and, where messages spread over paths by hash, in which of them they take. A
 * node's own links on the way to a peer depend on the peer's `way` alone. */
struct dts_spot {
    uint64_t place; // where its NICs hang
    int way;        // which of its NICs a peer uses
};

/* What makes a network; net.c wraps it. `self` is the implementation's own. */
struct dts_net_ops {
    double (*capacity)(const void *self, int link); // bytes/s
    bool (*shared)(const void *self, int link); // false: a cap on each flow alone. NULL: all
    void (*link_name)(const void *self, int link, char *name, size_t room);
    int (*paths)(const void *self, int src, int dst);              // >= 1
    double (*share)(const void *self, int src, int dst, int path); // of the traffic; sums to 1

    /* The path whose part of 0 to 1 holds `uniform`, with the shares laid end to end. NULL:
     * net.c adds up the shares. */
    int (*pick)(const void *self, int src, int dst, double uniform);
    int (*route)(const void *self, int src, int dst, int path, int *links); // returns how many
    double (*latency)(const void *self, int src, int dst, int path);        // seconds
    int (*transport)(const void *self, int src, int dst); // number in net->transports

    /* Endpoints of one spot are alike to those of other nodes; NULL: each is alone. And the
     * node that a link is a part of, -1: none; NULL: all links are none's. */
    struct dts_spot (*spot)(const void *self, int endpoint);
    int (*owner)(const void *self, int link);

    /* Where a link begins and ends, for checks that routes are connected. Returns false if the
     * link is no cable but a limit of the software. NULL: not known. */
    bool (*ends)(const void *self, int link, long *from, long *to);

    /* What an end within a node is: "device 3", "host memory", "PCIe switch 0". Returns false
     * elsewhere. NULL: not known. */
    bool (*place_name)(const void *self, long place, char *name, size_t room);
    void (*free)(void *self);
};

struct dts_net {
    const struct dts_net_ops *ops;
    void *self;
    int devices, nodes, devices_per_node;
    int links;
    struct dts_transport transports[2]; // DTS_WITHIN a node, DTS_BETWEEN nodes

    /* By node, where the file of the network says it: flop/s of a core, and cores. NULL: it
     * does not; owned by `self`. */
    const double *host_speed;
    const int *host_cores;
};

enum { DTS_WITHIN = 0, DTS_BETWEEN = 1 };

void dts_net_free(struct dts_net *net);

/* Which path message number `number` of a source takes: a hash of source, destination and
 * number, in proportion to the shares. */
int dts_net_pick(const struct dts_net *net, int src, int dst, unsigned number);

/* The path that `uniform` of 0 to 1 falls on when the shares are laid end to end. */
int dts_net_path_at(const struct dts_net *net, int src, int dst, double uniform);

/* The spot of an endpoint, and its node: of an accelerator or of a host. */
struct dts_spot dts_net_spot(const struct dts_net *net, int endpoint);
int dts_net_node(const struct dts_net *net, int endpoint);

/* True if some pair of these ranks has several paths. Looks at neighbours, and at pairs of the
 * first rank with each other one. */
bool dts_net_spreads(const struct dts_net *net, const int *endpoint, int ranks);

/* What the transport adds to the path: alpha of a message in seconds, and the bytes that it
 * puts on the wire. Both engines ask here and nowhere else. */
double dts_net_alpha(const struct dts_net *net, int src, int dst, int path, double bytes);

/* The longest latency of a pair over its paths. Looks at the first and the last path only:
 * minimal paths come first, and paths of a kind are alike. */
double dts_net_latency(const struct dts_net *net, int src, int dst);
double dts_net_wire_bytes(const struct dts_net *net, int src, int dst, double bytes);

/* True if the sender waits for alpha before the message uses the wire; else alpha delays only
 * the receiver. */
bool dts_net_blocks(const struct dts_net *net, int src, int dst);

#endif
