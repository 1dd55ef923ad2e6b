/* dragonfly_read.c -- a dragonfly from JSON, and what follows from its sizes. */
#include <string.h>

#include "sim/net/topology/dragonfly.h"
#include "sim/net/topology/topology.h"

/* Which share of the traffic takes non-minimal paths; below 0: "valiant_share" says. */
static const struct routing {
    const char *name;
    double valiant;
} routings[] = {
    {"minimal", 0},
    {"valiant", 1},
    {"adaptive", -1},
    {0},
};

static const char *routing_name(int i)
{
    return routings[i].name;
}

const struct dts_field dts_dragonfly_fields[] = {
    {DTS_KEY(struct dts_dragonfly, groups), .type = DTS_INT, .min = 1, .max = 10000,
     .help = "groups, all to all"},
    {DTS_KEY(struct dts_dragonfly, rows), .type = DTS_INT, .min = 1, .max = 1024,
     .help = "rows of routers in a group (Aries: 6 chassis)"},
    {DTS_KEY(struct dts_dragonfly, columns), .type = DTS_INT, .min = 1, .max = 1024,
     .help = "routers in a row (Aries: 16)"},
    {DTS_KEY(struct dts_dragonfly, nodes_per_router), .type = DTS_INT, .min = 1, .max = 1024,
     .help = "ports of a router towards nodes (Aries: 4)"},
    {DTS_KEY(struct dts_dragonfly, nodes_per_group), .type = DTS_INT, .min = 1, .max = 1000000,
     .missing = "null", .help = "ports in use in a group; default: all"},
    {DTS_KEY(struct dts_dragonfly, green_lanes), .type = DTS_INT, .min = 1, .max = 1024,
     .missing = "1", .help = "lanes between two routers of a row"},
    {DTS_KEY(struct dts_dragonfly, green_lane_bytes_per_s), .type = DTS_REAL, .min = 1e3,
     .max = 1e15, .help = "of one of them, each way"},
    {DTS_KEY(struct dts_dragonfly, black_lanes), .type = DTS_INT, .min = 1, .max = 1024,
     .missing = "3", .help = "lanes between two routers of a column"},
    {DTS_KEY(struct dts_dragonfly, black_lane_bytes_per_s), .type = DTS_REAL, .min = 1e3,
     .max = 1e15, .missing = "null",
     .help = "of one of them, each way; required where there are two rows or more"},
    {DTS_KEY(struct dts_dragonfly, blue_ports_per_router), .type = DTS_INT, .min = 1,
     .max = 1024, .missing = "10", .help = "ports of a router to other groups"},
    {DTS_KEY(struct dts_dragonfly, blue_lanes), .type = DTS_INT, .min = 1, .max = 100000,
     .missing = "null",
     .help = "lanes between two groups, over all routers alike; default: all ports in use"},
    {DTS_KEY(struct dts_dragonfly, blue_lane_bytes_per_s), .type = DTS_REAL, .min = 1e3,
     .max = 1e15, .help = "of one of them, each way"},
    {DTS_KEY(struct dts_dragonfly, background_share), .type = DTS_REAL, .min = 0, .max = 0.99,
     .missing = "0", .help = "share of the lanes between groups that other jobs take"},
    {DTS_KEY(struct dts_dragonfly, router_latency_us), .type = DTS_REAL, .min = 0, .max = 1e6,
     .help = "through one router and its cable, in us"},
    {DTS_KEY(struct dts_dragonfly, blue_latency_us), .type = DTS_REAL, .min = 0, .max = 1e6,
     .missing = "0", .help = "what an optical cable between groups adds, in us"},
    {DTS_KEY(struct dts_dragonfly, routing), .type = DTS_STRING, .missing = "\"adaptive\"",
     .choice = routing_name, .help = "which paths messages take"},
    {DTS_KEY(struct dts_dragonfly, valiant_share), .type = DTS_REAL, .min = 0, .max = 1,
     .missing = "0.5", .help = "adaptive: share of the traffic on non-minimal paths"},
    {DTS_KEY(struct dts_dragonfly, paths), .type = DTS_INT, .min = 1, .max = 1024,
     .missing = "16", .help = "paths of each kind that the traffic of a pair is spread over"},
    {0},
};

/* Lanes between groups: as many as the routers have ports for. */
static bool count_lanes(struct dts_dragonfly *net, const struct dts_cfg *at,
                        struct dts_error *err)
{
    if (net->groups == 1) {
        net->blue_lanes = 0;
        return net->background_share == 0 ||
               dts_cfg_fail(at, "background_share", err,
                            "has no effect on one group: there are no lanes to others");
    }
    int most = net->routers * net->blue_ports_per_router / (net->groups - 1);
    if (most == 0)
        return dts_cfg_fail(at, "groups", err,
                            "must be <= %d, the ports of a group to others and itself; got %d",
                            net->routers * net->blue_ports_per_router + 1, net->groups);
    if (net->blue_lanes > most)
        return dts_cfg_fail(
            at, "blue_lanes", err,
            "must be <= %d: %d routers have %d ports each for %d groups; got %d", most,
            net->routers, net->blue_ports_per_router, net->groups - 1, net->blue_lanes);
    if (net->blue_lanes == 0)
        net->blue_lanes = most;
    return true;
}

/* The key that makes the links many: groups between them, else what is larger. */
static const char *largest(const struct dts_dragonfly *net, double local, double blue)
{
    if (blue > local || (net->groups >= net->rows && net->groups >= net->columns))
        return "groups";
    return net->rows > net->columns ? "rows" : "columns";
}

/* Lanes of columns are there where columns are. */
static bool check_black(const struct dts_dragonfly *net, const struct dts_cfg *at,
                        struct dts_error *err)
{
    return net->rows == 1 || net->black_lane_bytes_per_s > 0 ||
           dts_cfg_fail(at, "black_lane_bytes_per_s", err, "missing (there are %d rows): %s",
                        net->rows, "of a lane between two routers of a column, each way");
}

bool dts_dragonfly_prepare(void *self, int ports, const struct dts_cfg *at,
                           struct dts_error *err)
{
    struct dts_dragonfly *net = self;
    net->routers = net->rows * net->columns;
    net->green = net->columns - 1;
    net->black = net->rows - 1;
    net->blue_bytes_per_s = net->blue_lane_bytes_per_s * (1 - net->background_share);
    long long local = (long long)net->routers * (net->green + net->black);
    int most = net->routers * net->nodes_per_router;
    if (net->nodes_per_group == 0)
        net->nodes_per_group = most;
    if (net->nodes_per_group > most)
        return dts_cfg_fail(at, "nodes_per_group", err, "must be <= %d, got %d", most,
                            net->nodes_per_group);
    if ((long long)net->groups * net->nodes_per_group < ports)
        return dts_cfg_fail(
            at, "groups", err, "must be >= %d for all nodes, %d in a group; got %d",
            (ports - 1) / net->nodes_per_group + 1, net->nodes_per_group, net->groups);
    if (!count_lanes(net, at, err))
        return false;
    const double locals = (double)net->groups * (double)local;
    const double blues = (double)net->groups * (net->groups - 1.0) * net->blue_lanes;
    if (!dts_topology_check_links(locals + blues, at, largest(net, locals, blues), err) ||
        !check_black(net, at, err))
        return false;
    net->local = (int)local;
    const struct routing *routing = routings;
    while (strcmp(routing->name, net->routing) != 0)
        routing++;
    net->valiant = routing->valiant < 0 ? net->valiant_share : routing->valiant;
    return true;
}
