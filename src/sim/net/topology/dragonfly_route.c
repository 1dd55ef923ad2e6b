/* dragonfly_route.c -- which way messages go through a dragonfly.
 *
 * Minimal paths take one of the lanes between the two groups. Non-minimal ones (Valiant) first
 * go to a random router, of another group if there is one between, and from there minimally.
 * Aries decides for each packet; here a pair's traffic is spread over `paths` of each kind,
 * chosen by hash, with fixed shares. Within a group a message turns once, by hash at the one or
 * the other corner.
 */
#include "base/rng.h"
#include "sim/net/topology/dragonfly.h"
#include "sim/net/topology/topology.h"

/* A router. */
struct spot {
    int group, row, column;
};

static struct spot spot_in(const struct dts_dragonfly *net, int group, int number)
{
    int row = number / net->columns;
    return (struct spot){group, row, number - row * net->columns};
}

static struct spot spot_of(const struct dts_dragonfly *net, int port)
{
    int group = port / net->nodes_per_group;
    return spot_in(net, group, (port - group * net->nodes_per_group) / net->nodes_per_router);
}

static bool same(struct spot a, struct spot b)
{
    return a.group == b.group && a.row == b.row && a.column == b.column;
}

static int first_link(const struct dts_dragonfly *net, struct spot at)
{
    return ((at.group * net->rows + at.row) * net->columns + at.column) *
           (net->green + net->black);
}

/* Number of `other` among all but `own`. */
static int rank_without(int own, int other)
{
    return other < own ? other : other - 1;
}

static int go_along_row(const struct dts_dragonfly *net, struct spot *at, int column)
{
    int link = first_link(net, *at) + rank_without(at->column, column);
    at->column = column;
    return link;
}

static int go_along_column(const struct dts_dragonfly *net, struct spot *at, int row)
{
    int link = first_link(net, *at) + net->green + rank_without(at->row, row);
    at->row = row;
    return link;
}

/* Between two routers of a group: along the row and then the column, or the other way. */
static int walk_group(const struct dts_dragonfly *net, struct spot at, struct spot to,
                      bool column_first, int *links)
{
    int count = 0;
    if (column_first && at.row != to.row)
        links[count++] = go_along_column(net, &at, to.row);
    if (at.column != to.column)
        links[count++] = go_along_row(net, &at, to.column);
    if (at.row != to.row)
        links[count++] = go_along_column(net, &at, to.row);
    return count;
}

static struct spot gateway(const struct dts_dragonfly *net, int group, int peer, int lane)
{
    return spot_in(net, group, dts_dragonfly_gateway(net, group, peer, lane));
}

/* Two bits of `turns` decide at which corners a path turns; `lane` between groups. */
static int walk_minimal(const struct dts_dragonfly *net, struct spot from, struct spot to,
                        int lane, unsigned turns, int *links)
{
    if (from.group == to.group)
        return walk_group(net, from, to, turns & 1, links);
    struct spot leave = gateway(net, from.group, to.group, lane);
    struct spot arrive = gateway(net, to.group, from.group, lane);
    int count = walk_group(net, from, leave, turns & 1, links);
    links[count++] = dts_dragonfly_blue(net, from.group, to.group, lane);
    return count + walk_group(net, arrive, to, turns & 2, links + count);
}

/* One of `count` by 16 random bits. */
static int pick(uint64_t random, int shift, int count)
{
    return (int)((random >> shift & 0xffff) * (uint64_t)count >> 16);
}

/* A router to go by: of the own group for neighbours in it, else of a third group. */
static struct spot intermediate(const struct dts_dragonfly *net, int group, int peer,
                                uint64_t random)
{
    if (group != peer && net->groups > 2) {
        int third = pick(random, 0, net->groups - 2);
        third += third >= (group < peer ? group : peer);
        third += third >= (group < peer ? peer : group);
        group = third;
    }
    return spot_in(net, group, pick(random, 16, net->routers));
}

static int minimal_paths(const struct dts_dragonfly *net, struct spot from, struct spot to)
{
    if (net->valiant == 1)
        return 0;
    if (from.group != to.group)
        return net->blue_lanes < net->paths ? net->blue_lanes : net->paths;
    bool turns = from.row != to.row && from.column != to.column;
    return turns && net->paths > 1 ? 2 : 1;
}

int dts_dragonfly_paths(const void *self, int src, int dst)
{
    const struct dts_dragonfly *net = self;
    struct spot from = spot_of(net, src), to = spot_of(net, dst);
    if (same(from, to))
        return 1;
    return minimal_paths(net, from, to) + (net->valiant > 0 ? net->paths : 0);
}

double dts_dragonfly_share(const void *self, int src, int dst, int path)
{
    const struct dts_dragonfly *net = self;
    struct spot from = spot_of(net, src), to = spot_of(net, dst);
    if (same(from, to))
        return 1;
    int minimal = minimal_paths(net, from, to);
    return path < minimal ? (1 - net->valiant) / minimal : net->valiant / net->paths;
}

int dts_dragonfly_pick(const void *self, int src, int dst, double uniform)
{
    const struct dts_dragonfly *net = self;
    struct spot from = spot_of(net, src), to = spot_of(net, dst);
    if (same(from, to))
        return 0;
    int minimal = minimal_paths(net, from, to);
    if (uniform < 1 - net->valiant)
        return (int)(uniform / (1 - net->valiant) * minimal);
    return minimal + (int)((uniform - (1 - net->valiant)) / net->valiant * net->paths);
}

/* The lanes of the minimal paths of a pair are evenly spaced from a random one. */
static int lane_of(const struct dts_dragonfly *net, uint64_t random, int path, int minimal)
{
    int lanes = net->blue_lanes;
    int lane = pick(random, 0, lanes) + (int)((long long)path * lanes / minimal);
    return lane < lanes ? lane : lane - lanes;
}

int dts_dragonfly_route(const void *self, int src, int dst, int path, int *links)
{
    const struct dts_dragonfly *net = self;
    struct spot from = spot_of(net, src), to = spot_of(net, dst);
    if (same(from, to))
        return 0;
    int minimal = minimal_paths(net, from, to);
    if (path < minimal && from.group == to.group)
        return walk_group(net, from, to, path == 1, links);
    uint64_t counter = path < minimal ? 0 : 1 + (uint64_t)(path - minimal);
    uint64_t random = dts_random((uint64_t)src, (uint64_t)dst, counter);
    unsigned turns = (unsigned)(random >> 60);
    if (path < minimal)
        return walk_minimal(net, from, to, lane_of(net, random, path, minimal),
                            turns + (unsigned)path, links);
    struct spot by = intermediate(net, from.group, to.group, random);
    int count = walk_minimal(net, from, by, pick(random, 32, net->blue_lanes), turns, links);
    return count + walk_minimal(net, by, to, pick(random, 44, net->blue_lanes), turns >> 2,
                                links + count);
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
