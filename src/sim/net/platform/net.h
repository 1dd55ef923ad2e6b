/* net.h -- the network of a machine, put together from its parts: node fabrics, NICs,
 * a topology, and the limits of the software. All by formula; private to the room.
 *
 * Links in order:
 *   node after node   the fabric's, then out and in of each NIC, then out and in of what a
 *                     transport lets a host do (for each transport that has such a limit)
 *   the topology's    plane after plane where each rail is a network of its own
 *   one for each transport that caps single messages, by their flows: not shared
 */
#ifndef DTS_SIM_NET_PLATFORM_NET_H
#define DTS_SIM_NET_PLATFORM_NET_H

#include "sim/net/fabric/fabric.h"
#include "sim/net/net.h"
#include "sim/net/topology/topology.h"

/* How the rails (NICs) of a node are cabled. */
struct dts_rails {
    const char *name;
    bool planes; // each rail is a network of its own
    int (*port)(int node, int nic, int nodes, int nics);
};

extern const struct dts_rails dts_rails[]; // ended by a NULL name

/* What a machine is made of; `self` members are owned. */
struct dts_parts {
    int nodes, devices; // devices of one node
    int nics;
    double nic_bytes_per_s, nic_latency_s;
    const struct dts_rails *rails;
    const struct dts_fabric *fabric;
    void *fabric_self;
    const struct dts_topology *topology;
    void *topology_self;
};

enum { DTS_OUT = 0, DTS_IN = 1, DTS_NO_LINK = -1 };

/* What a transport adds to routes. */
struct dts_limits {
    double message_bytes_per_s, host_bytes_per_s; // of all flows of a message; 0: no limit
    bool staged;
    int host_link; // the first of two, of those of a node; or DTS_NO_LINK
    int flow_link; // or DTS_NO_LINK
};

struct dts_parts_net {
    struct dts_parts of;
    struct dts_limits limits[2]; // DTS_WITHIN, DTS_BETWEEN
    int first_nic, node_links;   // of one node
    int first_plane, planes, plane_links;
    int first_flow, links;
};

/* links.c: of dts_net_ops, and the numbers that they rest on. */
void dts_parts_number_links(struct dts_parts_net *net,
                            const struct dts_transport transports[2]);
double dts_parts_capacity(const void *self, int link);
bool dts_parts_shared(const void *self, int link);
void dts_parts_link_name(const void *self, int link, char *name, size_t room);
bool dts_parts_ends(const void *self, int link, long *from, long *to);
bool dts_parts_place_name(const void *self, long place, char *name, size_t room);

/* A network of the machine with these transports. Takes over what the machine owns. */
void dts_parts_join(const struct dts_parts *machine, const struct dts_transport *within,
                    const struct dts_transport *between, struct dts_net *net);

#endif
