/* crossbar.h -- the simplest network, for tests: a full-duplex port for each device on a switch
 * that never blocks. Link 2d leads out of device d, 2d + 1 into it. Nodes of `per_node` devices
 * share nothing; they only count as near (transport DTS_WITHIN).
 */
#ifndef DTS_TESTS_CROSSBAR_H
#define DTS_TESTS_CROSSBAR_H

#include "sim/net/net.h"

struct crossbar {
    double bytes_per_s, latency_s;
    int per_node;
};

static inline double crossbar_capacity(const void *self, int link)
{
    (void)link;
    return ((const struct crossbar *)self)->bytes_per_s;
}

static inline void crossbar_link_name(const void *self, int link, char *name, size_t room)
{
    (void)self;
    snprintf(name, room, "port %d %s", link / 2, link % 2 == 0 ? "out" : "in");
}

static inline int crossbar_paths(const void *self, int src, int dst)
{
    (void)self, (void)src, (void)dst;
    return 1;
}

static inline double crossbar_share(const void *self, int src, int dst, int path)
{
    (void)self, (void)src, (void)dst, (void)path;
    return 1;
}

static inline int crossbar_route(const void *self, int src, int dst, int path, int *links)
{
    (void)self, (void)path;
    links[0] = 2 * src;
    links[1] = 2 * dst + 1;
    return 2;
}

static inline double crossbar_latency(const void *self, int src, int dst, int path)
{
    (void)src, (void)dst, (void)path;
    return ((const struct crossbar *)self)->latency_s;
}

static inline int crossbar_transport(const void *self, int src, int dst)
{
    int per_node = ((const struct crossbar *)self)->per_node;
    return src / per_node == dst / per_node ? DTS_WITHIN : DTS_BETWEEN;
}

static inline struct dts_net crossbar_net(struct crossbar *self, int devices)
{
    static const struct dts_net_ops ops = {
        .capacity = crossbar_capacity,
        .link_name = crossbar_link_name,
        .paths = crossbar_paths,
        .share = crossbar_share,
        .route = crossbar_route,
        .latency = crossbar_latency,
        .transport = crossbar_transport,
    };
    static const struct dts_transport plain = {
        .name = "plain", .efficiency = 1, .blocking = true};
    return (struct dts_net){.ops = &ops,
                            .self = self,
                            .devices = devices,
                            .nodes = devices / self->per_node,
                            .devices_per_node = self->per_node,
                            .links = 2 * devices,
                            .transports = {plain, plain}};
}

#endif
