/* net.c -- what transports add to a path, and which path a message takes. */
#include "sim/net/net.h"

#include <stddef.h>

#include "base/rng.h"

void dts_net_free(struct dts_net *net)
{
    if (net->ops != NULL)
        net->ops->free(net->self);
    *net = (struct dts_net){0};
}

int dts_net_path_at(const struct dts_net *net, int src, int dst, double uniform)
{
    int paths = net->ops->paths(net->self, src, dst);
    if (paths == 1)
        return 0;
    if (net->ops->pick != NULL)
        return net->ops->pick(net->self, src, dst, uniform);
    for (int path = 0; path < paths - 1; path++) {
        uniform -= net->ops->share(net->self, src, dst, path);
        if (uniform < 0)
            return path;
    }
    return paths - 1;
}

int dts_net_pick(const struct dts_net *net, int src, int dst, unsigned number)
{
    if (net->ops->paths(net->self, src, dst) == 1)
        return 0;
    return dts_net_path_at(net, src, dst, dts_uniform((uint64_t)src, (uint64_t)dst, number));
}

struct dts_spot dts_net_spot(const struct dts_net *net, int endpoint)
{
    if (net->ops->spot == NULL)
        return (struct dts_spot){(uint64_t)endpoint, 0};
    return net->ops->spot(net->self, endpoint);
}

int dts_net_node(const struct dts_net *net, int endpoint)
{
    return endpoint >= net->devices ? endpoint - net->devices
                                    : endpoint / net->devices_per_node;
}

bool dts_net_spreads(const struct dts_net *net, const int *endpoint, int ranks)
{
    for (int r = 1; r < ranks; r++)
        if (net->ops->paths(net->self, endpoint[r - 1], endpoint[r]) > 1 ||
            net->ops->paths(net->self, endpoint[0], endpoint[r]) > 1)
            return true;
    return false;
}

static const struct dts_transport *transport(const struct dts_net *net, int src, int dst)
{
    return &net->transports[net->ops->transport(net->self, src, dst)];
}

double dts_net_alpha(const struct dts_net *net, int src, int dst, int path, double bytes)
{
    double latency = net->ops->latency(net->self, src, dst, path);
    return dts_transport_alpha(transport(net, src, dst), latency, bytes);
}

double dts_net_latency(const struct dts_net *net, int src, int dst)
{
    int last = net->ops->paths(net->self, src, dst) - 1;
    double latency = net->ops->latency(net->self, src, dst, last);
    double first = last > 0 ? net->ops->latency(net->self, src, dst, 0) : latency;
    return first > latency ? first : latency;
}

double dts_net_wire_bytes(const struct dts_net *net, int src, int dst, double bytes)
{
    return dts_transport_wire_bytes(transport(net, src, dst), bytes);
}

bool dts_net_blocks(const struct dts_net *net, int src, int dst)
{
    return transport(net, src, dst)->blocking;
}
