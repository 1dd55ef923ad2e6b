/* net.c -- routes from end to end: device, fabric, NIC, topology, NIC, fabric, device.
 */
#include "sim/net/platform/net.h"

#include <assert.h>
#include <stdlib.h>

#include "base/mem.h"
#include "sim/net/map.h"

enum { NOBODY = -1 }; // no NIC yet

/* One end of a message. */
struct end {
    int node, port; // of the fabric
    int nic;
};

static int by_node(int node, int nic, int nodes, int nics)
{
    (void)nodes;
    return node * nics + nic;
}

static int by_rail(int node, int nic, int nodes, int nics)
{
    (void)nics;
    return nic * nodes + node;
}

static int in_plane(int node, int nic, int nodes, int nics)
{
    (void)nic, (void)nodes, (void)nics;
    return node;
}

const struct dts_rails dts_rails[] = {
    {"by_node", false, by_node},
    {"by_rail", false, by_rail},
    {"separate", true, in_plane},
    {0},
};

static int node_of(const struct dts_parts_net *net, int endpoint)
{
    int devices = net->of.nodes * net->of.devices;
    return endpoint >= devices ? endpoint - devices : endpoint / net->of.devices;
}

static struct end end_of(const struct dts_parts_net *net, int endpoint)
{
    int devices = net->of.nodes * net->of.devices;
    if (endpoint >= devices)
        return (struct end){.node = endpoint - devices, .port = net->of.devices, .nic = NOBODY};
    int node = endpoint / net->of.devices, device = endpoint - node * net->of.devices;
    return (struct end){
        .node = node,
        .port = device,
        .nic = net->of.fabric->nic_of(net->of.fabric_self, device),
    };
}

/* Both ends with the NICs that they use: a host uses that of the device it talks to, and hosts
 * among themselves use all. Rails that are separate begin and end on the same. */
static bool find_ends(const struct dts_parts_net *net, int src, int dst, struct end *from,
                      struct end *to)
{
    *from = end_of(net, src);
    *to = end_of(net, dst);
    if (from->nic == NOBODY && to->nic == NOBODY)
        from->nic = (from->node + to->node) % net->of.nics;
    if (from->nic == NOBODY)
        from->nic = to->nic;
    if (to->nic == NOBODY || net->of.rails->planes)
        to->nic = from->nic;
    return from->node != to->node;
}

static int port_of(const struct dts_parts_net *net, const struct end *end)
{
    return net->of.rails->port(end->node, end->nic, net->of.nodes, net->of.nics);
}

static int nic_port(const struct dts_parts_net *net, const struct end *end)
{
    return net->of.devices + 1 + end->nic;
}

static int add_fabric(const struct dts_parts_net *net, int node, int from, int to, bool staged,
                      int *links)
{
    int count = net->of.fabric->route(net->of.fabric_self, from, to, staged, links);
    for (int i = 0; i < count; i++)
        links[i] += node * net->node_links;
    return count;
}

static int add_host(const struct dts_parts_net *net, int by, int node, int way, int *links)
{
    if (net->limits[by].host_link == DTS_NO_LINK)
        return 0;
    links[0] = node * net->node_links + net->limits[by].host_link + way;
    return 1;
}

static int nic_link(const struct dts_parts_net *net, const struct end *end, int way)
{
    return end->node * net->node_links + net->first_nic + 2 * end->nic + way;
}

static int add_topology(const struct dts_parts_net *net, const struct end *from,
                        const struct end *to, int path, int *links)
{
    int plane = net->of.rails->planes ? from->nic : 0;
    int count = net->of.topology->route(net->of.topology_self, port_of(net, from),
                                        port_of(net, to), path, links);
    for (int i = 0; i < count; i++)
        links[i] += net->first_plane + plane * net->plane_links;
    return count;
}

static int route(const void *self, int src, int dst, int path, int *links)
{
    const struct dts_parts_net *net = self;
    struct end from, to;
    if (src == dst)
        return 0;
    bool between = find_ends(net, src, dst, &from, &to);
    const struct dts_limits *limits = &net->limits[between];
    int count = 0;
    if (limits->flow_link != DTS_NO_LINK)
        links[count++] = limits->flow_link;
    count += add_host(net, between, from.node, DTS_OUT, links + count);
    if (!between) {
        count += add_fabric(net, from.node, from.port, to.port, false, links + count);
        return count + add_host(net, between, to.node, DTS_IN, links + count);
    }
    count += add_fabric(net, from.node, from.port, nic_port(net, &from), limits->staged,
                        links + count);
    links[count++] = nic_link(net, &from, DTS_OUT);
    count += add_topology(net, &from, &to, path, links + count);
    links[count++] = nic_link(net, &to, DTS_IN);
    count +=
        add_fabric(net, to.node, nic_port(net, &to), to.port, limits->staged, links + count);
    count += add_host(net, between, to.node, DTS_IN, links + count);
    assert(count <= DTS_MAX_ROUTE);
    return count;
}

static double latency(const void *self, int src, int dst, int path)
{
    const struct dts_parts_net *net = self;
    const struct dts_fabric *fabric = net->of.fabric;
    struct end from, to;
    if (src == dst)
        return 0;
    if (!find_ends(net, src, dst, &from, &to))
        return fabric->latency(net->of.fabric_self, from.port, to.port, false);
    bool staged = net->limits[DTS_BETWEEN].staged;
    return fabric->latency(net->of.fabric_self, from.port, nic_port(net, &from), staged) +
           net->of.topology->latency(net->of.topology_self, port_of(net, &from),
                                     port_of(net, &to), path) +
           2 * net->of.nic_latency_s +
           fabric->latency(net->of.fabric_self, nic_port(net, &to), to.port, staged);
}

static int paths(const void *self, int src, int dst)
{
    const struct dts_parts_net *net = self;
    struct end from, to;
    if (!find_ends(net, src, dst, &from, &to))
        return 1;
    return net->of.topology->paths(net->of.topology_self, port_of(net, &from),
                                   port_of(net, &to));
}

static double share(const void *self, int src, int dst, int path)
{
    const struct dts_parts_net *net = self;
    struct end from, to;
    if (!find_ends(net, src, dst, &from, &to))
        return 1;
    int a = port_of(net, &from), b = port_of(net, &to);
    if (net->of.topology->share == NULL)
        return 1.0 / net->of.topology->paths(net->of.topology_self, a, b);
    return net->of.topology->share(net->of.topology_self, a, b, path);
}

static int pick(const void *self, int src, int dst, double uniform)
{
    const struct dts_parts_net *net = self;
    struct end from, to;
    if (!find_ends(net, src, dst, &from, &to))
        return 0;
    int a = port_of(net, &from), b = port_of(net, &to);
    if (net->of.topology->pick == NULL)
        return (int)(uniform * net->of.topology->paths(net->of.topology_self, a, b));
    return net->of.topology->pick(net->of.topology_self, a, b, uniform);
}

static int transport(const void *self, int src, int dst)
{
    const struct dts_parts_net *net = self;
    return node_of(net, src) == node_of(net, dst) ? DTS_WITHIN : DTS_BETWEEN;
}

/* Of a host: all its NICs count; with which of them hosts talk follows from both nodes. */
static struct dts_spot spot(const void *self, int endpoint)
{
    const struct dts_parts_net *net = self;
    const struct dts_topology *topology = net->of.topology;
    struct end end = end_of(net, endpoint);
    bool host = end.nic == NOBODY;
    struct dts_spot spot = {.way = host ? net->of.nics + end.node % net->of.nics : end.nic};
    bool alike = topology->by_place != NULL && topology->by_place(net->of.topology_self);
    for (int nic = host ? 0 : end.nic; nic < (host ? net->of.nics : end.nic + 1); nic++) {
        end.nic = nic;
        int port = port_of(net, &end);
        int place = alike ? topology->place_of(net->of.topology_self, port) : port;
        spot.place = dts_mix(spot.place, (uint64_t)place);
    }
    return spot;
}

static int owner(const void *self, int link)
{
    const struct dts_parts_net *net = self;
    return link < net->first_plane ? link / net->node_links : -1;
}

static void free_net(void *self)
{
    struct dts_parts_net *net = self;
    free(net->of.fabric_self);
    free(net->of.topology_self);
    free(net);
}

static const struct dts_net_ops ops = {
    .capacity = dts_parts_capacity,
    .shared = dts_parts_shared,
    .link_name = dts_parts_link_name,
    .paths = paths,
    .share = share,
    .pick = pick,
    .route = route,
    .latency = latency,
    .transport = transport,
    .spot = spot,
    .owner = owner,
    .ends = dts_parts_ends,
    .place_name = dts_parts_place_name,
    .free = free_net,
};

void dts_parts_join(const struct dts_parts *machine, const struct dts_transport *within,
                    const struct dts_transport *between, struct dts_net *out)
{
    struct dts_parts_net *net = dts_alloc(1, sizeof(*net));
    net->of = *machine;
    *out = (struct dts_net){
        .ops = &ops,
        .self = net,
        .devices = machine->nodes * machine->devices,
        .nodes = machine->nodes,
        .devices_per_node = machine->devices,
        .transports = {[DTS_WITHIN] = *within, [DTS_BETWEEN] = *between},
    };
    dts_parts_number_links(net, out->transports);
    out->links = net->links;
}
