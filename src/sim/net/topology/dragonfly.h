/* dragonfly.h -- the sizes of a dragonfly, read from JSON; shared by topology_dragonfly*.c. */
#ifndef DTS_SIM_NET_TOPOLOGY_DRAGONFLY_H
#define DTS_SIM_NET_TOPOLOGY_DRAGONFLY_H

#include "base/json/cfg.h"

struct dts_dragonfly {
    int groups, rows, columns, nodes_per_router, nodes_per_group;
    int green_lanes, black_lanes, blue_lanes, blue_ports_per_router;
    double green_lane_bytes_per_s, black_lane_bytes_per_s, blue_lane_bytes_per_s;
    double background_share; // of the rate of blue lanes, that other jobs take
    double router_latency_us, blue_latency_us;
    const char *routing;
    double valiant_share;
    int paths;

    /* By prepare. */
    int routers;             // of a group
    int green, black, local; // links: of a router in its row, in its column; of a group
    double blue_bytes_per_s; // of a blue lane, that other jobs leave
    double valiant;          // share of the traffic that takes non-minimal paths
};

extern const struct dts_field dts_dragonfly_fields[];

bool dts_dragonfly_prepare(void *self, int ports, const struct dts_cfg *at,
                           struct dts_error *err);

/* dragonfly.c: numbers of links, and the router of a group, of those of the group, at
 * which a lane to a peer begins and ends. */
int dts_dragonfly_first_blue(const struct dts_dragonfly *net); // and from there on
int dts_dragonfly_blue(const struct dts_dragonfly *net, int group, int peer, int lane);
int dts_dragonfly_gateway(const struct dts_dragonfly *net, int group, int peer, int lane);

/* dragonfly_route.c: of struct dts_topology. */
int dts_dragonfly_paths(const void *self, int src, int dst);
double dts_dragonfly_share(const void *self, int src, int dst, int path);
int dts_dragonfly_pick(const void *self, int src, int dst, double uniform);
int dts_dragonfly_route(const void *self, int src, int dst, int path, int *links);
double dts_dragonfly_latency(const void *self, int src, int dst, int path);

#endif
