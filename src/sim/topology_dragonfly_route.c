/* topology_dragonfly_route.c -- which way messages go through a dragonfly.
 *
 * Minimal paths take one of the lanes between the two groups. Non-minimal ones (Valiant) first
 * go to a random router, of another group if there is one between, and from there minimally.
 * Aries decides for each packet; here a pair's traffic is spread over `paths` of each kind,
 * chosen by hash, with fixed shares. Within a group a message turns once, by hash at the one or
 * the other corner.
 */
#include "base/rng.h"
#include "sim/dragonfly.h"
#include "sim/topology.h"

/* Between two routers of a group: along the row and then the column, or the other way. */
static int walk_group(const struct dts_dragonfly *net, int from, int to, bool column_first,
                      int *links)
{
    int count = 0, column = to % net->columns, row = to % net->routers / net->columns;
    bool along_row = from % net->columns != column;
    bool along_column = from % net->routers / net->columns != row;
    int corner = along_row ? from - from % net->columns + column : from;
    if (along_row && along_column && column_first) {
        links[count++] = dts_dragonfly_black(net, from, row);
        links[count++] = dts_dragonfly_green(net, to - column + from % net->columns, column);
        return count;
    }
    if (along_row)
        links[count++] = dts_dragonfly_green(net, from, column);
    if (along_column)
        links[count++] = dts_dragonfly_black(net, corner, row);
    return count;
}

/* The bits of `random` decide at which corners a path turns; `lane` between groups. */
static int walk_minimal(const struct dts_dragonfly *net, int from, int to, int lane,
                        unsigned random, int *links)
{
    int group = from / net->routers, peer = to / net->routers;
    if (group == peer)
        return walk_group(net, from, to, random & 1, links);
    int count =
        walk_group(net, from, dts_dragonfly_gateway(net, group, peer, lane), random & 1, links);
    links[count++] = dts_dragonfly_blue(net, group, peer, lane);
    return count + walk_group(net, dts_dragonfly_gateway(net, peer, group, lane), to,
                              random & 2, links + count);
}

/* A router to go by: of the own group for neighbours in it, else of a third group. */
static int intermediate(const struct dts_dragonfly *net, int from, int to, uint64_t random)
{
    int group = from / net->routers, peer = to / net->routers;
    if (group != peer && net->groups > 2) {
        int first = group < peer ? group : peer, second = group < peer ? peer : group;
        int pick = (int)(random % (uint64_t)(net->groups - 2));
        pick += pick >= first;
        pick += pick >= second;
        group = pick;
    }
    return group * net->routers + (int)((random >> 32) % (uint64_t)net->routers);
}

static int minimal_paths(const struct dts_dragonfly *net, int from, int to)
{
    if (net->valiant == 1)
        return 0;
    if (from / net->routers != to / net->routers)
        return net->blue_lanes < net->paths ? net->blue_lanes : net->paths;
    bool turns =
        from % net->columns != to % net->columns && from / net->columns != to / net->columns;
    return turns && net->paths > 1 ? 2 : 1;
}

int dts_dragonfly_paths(const void *self, int src, int dst)
{
    const struct dts_dragonfly *net = self;
    int from = dts_dragonfly_router_of(net, src), to = dts_dragonfly_router_of(net, dst);
    if (from == to)
        return 1;
    return minimal_paths(net, from, to) + (net->valiant > 0 ? net->paths : 0);
}

double dts_dragonfly_share(const void *self, int src, int dst, int path)
{
    const struct dts_dragonfly *net = self;
    int from = dts_dragonfly_router_of(net, src), to = dts_dragonfly_router_of(net, dst);
    if (from == to)
        return 1;
    int minimal = minimal_paths(net, from, to);
    return path < minimal ? (1 - net->valiant) / minimal : net->valiant / net->paths;
}

static int route_minimal(const struct dts_dragonfly *net, int src, int dst, int path,
                         int *links)
{
    int from = dts_dragonfly_router_of(net, src), to = dts_dragonfly_router_of(net, dst);
    int minimal = minimal_paths(net, from, to);
    if (from / net->routers == to / net->routers)
        return walk_group(net, from, to, path == 1, links);
    uint64_t random = dts_random((uint64_t)src, (uint64_t)dst, 0);
    uint64_t lanes = (uint64_t)net->blue_lanes;
    uint64_t lane = random % lanes + (uint64_t)path * lanes / (uint64_t)minimal;
    return walk_minimal(net, from, to, (int)(lane % lanes),
                        (unsigned)(random >> 32) + (unsigned)path, links);
}

static int route_valiant(const struct dts_dragonfly *net, int src, int dst, int path,
                         int *links)
{
    int from = dts_dragonfly_router_of(net, src), to = dts_dragonfly_router_of(net, dst);
    uint64_t counter = 1 + 2 * (uint64_t)path;
    uint64_t by = dts_random((uint64_t)src, (uint64_t)dst, counter);
    uint64_t random = dts_random((uint64_t)src, (uint64_t)dst, counter + 1);
    uint64_t lanes = net->blue_lanes > 0 ? (uint64_t)net->blue_lanes : 1;
    int middle = intermediate(net, from, to, by);
    int count = walk_minimal(net, from, middle, (int)((random & 0xffffffff) % lanes),
                             (unsigned)(by >> 24), links);
    return count + walk_minimal(net, middle, to, (int)((random >> 32) % lanes),
                                (unsigned)(by >> 26), links + count);
}

int dts_dragonfly_route(const void *self, int src, int dst, int path, int *links)
{
    const struct dts_dragonfly *net = self;
    int from = dts_dragonfly_router_of(net, src), to = dts_dragonfly_router_of(net, dst);
    if (from == to)
        return 0;
    int minimal = minimal_paths(net, from, to);
    return path < minimal ? route_minimal(net, src, dst, path, links)
                          : route_valiant(net, src, dst, path - minimal, links);
}

double dts_dragonfly_latency(const void *self, int src, int dst, int path)
{
    const struct dts_dragonfly *net = self;
    int links[DTS_MAX_TOPOLOGY_ROUTE];
    if (src == dst)
        return 0;
    int count = dts_dragonfly_route(self, src, dst, path, links);
    double sum = (count + 1) * net->router_latency_us;
    for (int i = 0; i < count; i++)
        sum += links[i] >= dts_dragonfly_first_blue(net) ? net->blue_latency_us : 0;
    return sum * 1e-6;
}
