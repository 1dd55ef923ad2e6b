/* links.c -- the links of a machine: numbers, capacities, names, ends. */
#include <stdio.h>

#include "sim/net/platform/net.h"

void dts_parts_number_links(struct dts_parts_net *net, const struct dts_transport transports[2])
{
    net->first_nic = net->of.fabric->links(net->of.fabric_self);
    net->node_links = net->first_nic + 2 * net->of.nics;
    for (int by = DTS_WITHIN; by <= DTS_BETWEEN; by++) {
        struct dts_limits *limits = &net->limits[by];
        *limits = (struct dts_limits){
            .message_bytes_per_s = dts_transport_message_rate(&transports[by]),
            .host_bytes_per_s = transports[by].host_bytes_per_s,
            .staged = transports[by].staged,
            .host_link = DTS_NO_LINK,
            .flow_link = DTS_NO_LINK,
        };
        if (limits->host_bytes_per_s > 0) {
            limits->host_link = net->node_links;
            net->node_links += 2;
        }
    }
    net->planes = net->of.rails->planes ? net->of.nics : 1;
    net->plane_links = net->of.topology->links(net->of.topology_self);
    net->first_plane = net->of.nodes * net->node_links;
    net->first_flow = net->links = net->first_plane + net->planes * net->plane_links;
    for (int by = DTS_WITHIN; by <= DTS_BETWEEN; by++)
        if (net->limits[by].message_bytes_per_s > 0)
            net->limits[by].flow_link = net->links++;
}

/* Which transport's host link this is of a node's, or DTS_NO_LINK. */
static int host_link_of(const struct dts_parts_net *net, int link)
{
    for (int by = DTS_WITHIN; by <= DTS_BETWEEN; by++) {
        int first = net->limits[by].host_link;
        if (first != DTS_NO_LINK && (link == first + DTS_OUT || link == first + DTS_IN))
            return by;
    }
    return DTS_NO_LINK;
}

static int flow_link_of(const struct dts_parts_net *net, int link)
{
    return link == net->limits[DTS_WITHIN].flow_link ? DTS_WITHIN : DTS_BETWEEN;
}

double dts_parts_capacity(const void *self, int link)
{
    const struct dts_parts_net *net = self;
    if (link >= net->first_flow)
        return net->limits[flow_link_of(net, link)].message_bytes_per_s;
    if (link >= net->first_plane)
        return net->of.topology->capacity(net->of.topology_self,
                                          (link - net->first_plane) % net->plane_links);
    int local = link % net->node_links;
    if (local < net->first_nic)
        return net->of.fabric->capacity(net->of.fabric_self, local);
    int by = host_link_of(net, local);
    return by != DTS_NO_LINK ? net->limits[by].host_bytes_per_s : net->of.nic_bytes_per_s;
}

bool dts_parts_shared(const void *self, int link)
{
    const struct dts_parts_net *net = self;
    return link != net->limits[DTS_WITHIN].flow_link &&
           link != net->limits[DTS_BETWEEN].flow_link;
}

static const char *const transport_names[] = {"within", "between"};

void dts_parts_link_name(const void *self, int link, char *name, size_t room)
{
    const struct dts_parts_net *net = self;
    char inner[64];
    if (link >= net->first_flow) {
        snprintf(name, room, "flow.%s", transport_names[flow_link_of(net, link)]);
    } else if (link >= net->first_plane) {
        int number = link - net->first_plane;
        net->of.topology->link_name(net->of.topology_self, number % net->plane_links, inner,
                                    sizeof(inner));
        if (net->planes > 1)
            snprintf(name, room, "rail%d.%s", number / net->plane_links, inner);
        else
            snprintf(name, room, "%s", inner);
    } else {
        int node = link / net->node_links, local = link % net->node_links;
        int by = host_link_of(net, local);
        if (local < net->first_nic)
            net->of.fabric->link_name(net->of.fabric_self, local, inner, sizeof(inner));
        else if (by != DTS_NO_LINK)
            snprintf(inner, sizeof(inner), "host.%s.%s", transport_names[by],
                     (local - net->limits[by].host_link) == DTS_OUT ? "out" : "in");
        else
            snprintf(inner, sizeof(inner), "nic%d.%s", (local - net->first_nic) / 2,
                     (local - net->first_nic) % 2 == DTS_OUT ? "out" : "in");
        snprintf(name, room, "node%d.%s", node, inner);
    }
}

/* Places: those of the fabric, node after node, then those of the topology, plane by plane. */
static long fabric_place(const struct dts_parts_net *net, int node, int place)
{
    return (long)node * net->of.fabric->places(net->of.fabric_self) + place;
}

static long topology_place(const struct dts_parts_net *net, int plane, int place)
{
    return fabric_place(net, net->of.nodes, 0) +
           (long)plane * net->of.topology->places(net->of.topology_self) + place;
}

bool dts_parts_place_name(const void *self, long place, char *name, size_t room)
{
    const struct dts_parts_net *net = self;
    const struct dts_fabric *fabric = net->of.fabric;
    const int devices = net->of.devices, ports = devices + 1 + net->of.nics;
    const int local = (int)(place % fabric->places(net->of.fabric_self));
    if (place < 0 || place >= fabric_place(net, net->of.nodes, 0))
        return false;
    int port = 0;
    while (port < ports && fabric->place_of(net->of.fabric_self, port) != local)
        port++;
    if (port < devices)
        snprintf(name, room, "device %d", port);
    else if (port == devices)
        snprintf(name, room, "host memory");
    else if (port < ports)
        snprintf(name, room, "NIC %d", port - devices - 1);
    else if (fabric->inner_name != NULL)
        fabric->inner_name(net->of.fabric_self, local, name, room);
    else
        snprintf(name, room, "switch");
    return true;
}

static void nic_ends(const struct dts_parts_net *net, int node, int link, long *from, long *to)
{
    int nic = link / 2;
    int port = net->of.rails->port(node, nic, net->of.nodes, net->of.nics);
    int at = net->of.fabric->place_of(net->of.fabric_self, net->of.devices + 1 + nic);
    int other = net->of.topology->place_of(net->of.topology_self, port);
    long here = fabric_place(net, node, at);
    long there = topology_place(net, net->planes > 1 ? nic : 0, other);
    *from = link % 2 == DTS_OUT ? here : there;
    *to = link % 2 == DTS_OUT ? there : here;
}

bool dts_parts_ends(const void *self, int link, long *from, long *to)
{
    const struct dts_parts_net *net = self;
    int first, last;
    if (link >= net->first_flow)
        return false;
    if (link >= net->first_plane) {
        int number = link - net->first_plane, plane = number / net->plane_links;
        net->of.topology->ends(net->of.topology_self, number % net->plane_links, &first, &last);
        *from = topology_place(net, plane, first);
        *to = topology_place(net, plane, last);
        return true;
    }
    int node = link / net->node_links, local = link % net->node_links;
    if (host_link_of(net, local) != DTS_NO_LINK)
        return false;
    if (local >= net->first_nic) {
        nic_ends(net, node, local - net->first_nic, from, to);
        return true;
    }
    net->of.fabric->ends(net->of.fabric_self, local, &first, &last);
    *from = fabric_place(net, node, first);
    *to = fabric_place(net, node, last);
    return true;
}
