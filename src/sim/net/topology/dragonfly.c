/* dragonfly.c -- a dragonfly as Cray wires Aries (Faanes et al. 2012,
 * doi:10.1109/SC.2012.39; Kim et al. 2008, doi:10.1109/ISCA.2008.19).
 *
 * A group is a grid of routers: green links connect all routers of a row with each other, black
 * links all routers of a column, blue links each pair of groups. The lanes of a pair of routers
 * are one link. Each lane of a pair of groups is a link of its own; lane k of a group's s-th
 * peer begins at router (s x lanes + k) modulo the routers, so that all routers have the same
 * number. With one row this is the dragonfly of Slingshot or of Kim et al.
 *
 * Links: group after group the local ones, router after router (green, then black); then blue
 * ones, group after group, peer after peer, lane after lane.
 */
#include <math.h>
#include <stdio.h>

#include "sim/net/topology/dragonfly.h"
#include "sim/net/topology/topology.h"

int dts_dragonfly_first_blue(const struct dts_dragonfly *net)
{
    return net->groups * net->local;
}

static int ports(const void *self)
{
    const struct dts_dragonfly *net = self;
    return net->groups * net->nodes_per_group;
}

static int links(const void *self)
{
    const struct dts_dragonfly *net = self;
    return dts_dragonfly_first_blue(net) + net->groups * (net->groups - 1) * net->blue_lanes;
}

static int places(const void *self)
{
    const struct dts_dragonfly *net = self;
    return net->groups * net->routers;
}

static int place_of(const void *self, int port)
{
    const struct dts_dragonfly *net = self;
    return port / net->nodes_per_group * net->routers +
           port % net->nodes_per_group / net->nodes_per_router;
}

/* Among others: number of `other` in a list without `self`, and back. */
static int rank_without(int self, int other)
{
    return other < self ? other : other - 1;
}

static int at_rank_without(int self, int rank)
{
    return rank < self ? rank : rank + 1;
}

int dts_dragonfly_gateway(const struct dts_dragonfly *net, int group, int peer, int lane)
{
    int port =
        rank_without(group, peer) * net->blue_lanes + lane; // below 2^30: see count_lanes
    return port % net->routers;
}

int dts_dragonfly_blue(const struct dts_dragonfly *net, int group, int peer, int lane)
{
    return dts_dragonfly_first_blue(net) +
           (group * (net->groups - 1) + rank_without(group, peer)) * net->blue_lanes + lane;
}

/* Group, peer and lane of a blue link. */
static void blue_parts(const struct dts_dragonfly *net, int link, int *group, int *peer,
                       int *lane)
{
    int number = link - dts_dragonfly_first_blue(net), pair = number / net->blue_lanes;
    *lane = number % net->blue_lanes;
    *group = pair / (net->groups - 1);
    *peer = at_rank_without(*group, pair % (net->groups - 1));
}

static bool is_green(const struct dts_dragonfly *net, int link)
{
    return link % (net->green + net->black) < net->green;
}

static double capacity(const void *self, int link)
{
    const struct dts_dragonfly *net = self;
    if (link >= dts_dragonfly_first_blue(net))
        return net->blue_bytes_per_s;
    return is_green(net, link) ? net->green_lanes * net->green_lane_bytes_per_s
                               : net->black_lanes * net->black_lane_bytes_per_s;
}

static void ends(const void *self, int link, int *from, int *to)
{
    const struct dts_dragonfly *net = self;
    if (link >= dts_dragonfly_first_blue(net)) {
        int group, peer, lane;
        blue_parts(net, link, &group, &peer, &lane);
        *from = group * net->routers + dts_dragonfly_gateway(net, group, peer, lane);
        *to = peer * net->routers + dts_dragonfly_gateway(net, peer, group, lane);
        return;
    }
    int neighbours = net->green + net->black, rank = link % neighbours;
    int column, row;
    *from = link / neighbours;
    column = *from % net->columns;
    row = *from % net->routers / net->columns;
    *to = rank < net->green
              ? *from - column + at_rank_without(column, rank)
              : *from + (at_rank_without(row, rank - net->green) - row) * net->columns;
}

static void link_name(const void *self, int link, char *name, size_t room)
{
    const struct dts_dragonfly *net = self;
    if (link >= dts_dragonfly_first_blue(net)) {
        int group, peer, lane;
        blue_parts(net, link, &group, &peer, &lane);
        snprintf(name, room, "blue%d-%d.%d", group, peer, lane);
        return;
    }
    int from, to;
    ends(self, link, &from, &to);
    snprintf(name, room, "%s%d.%d-%d", is_green(net, link) ? "green" : "black",
             from / net->routers, from % net->routers, to % net->routers);
}

static bool by_place(const void *self)
{
    (void)self;
    return true;
}

/* Pairs between half of so many and the others. */
static double pairs_across(int count)
{
    return (count / 2) * (double)(count - count / 2);
}

/* Half of the groups against the others; of one group half of the columns, of one column half
 * of the rows. */
static double bisection(const void *self)
{
    const struct dts_dragonfly *net = self;
    if (net->groups > 1)
        return pairs_across(net->groups) * net->blue_lanes * net->blue_bytes_per_s;
    if (net->columns > 1)
        return net->rows * pairs_across(net->columns) * net->green_lanes *
               net->green_lane_bytes_per_s;
    if (net->rows > 1)
        return pairs_across(net->rows) * net->black_lanes * net->black_lane_bytes_per_s;
    return INFINITY;
}

static enum dts_surely surely(const void *self)
{
    (void)self;
    return DTS_ONE_CUT;
}

/* From a corner of one group to that of another, turning once in each. */
static void longest(const void *self, int *links, double *latency_s)
{
    const struct dts_dragonfly *net = self;
    const int local = (net->rows > 1) + (net->columns > 1);
    *links = net->groups > 1 ? 2 * local + 1 : local;
    *latency_s = (*links + 1) * net->router_latency_us * 1e-6;
    if (net->groups > 1)
        *latency_s += net->blue_latency_us * 1e-6;
}

const struct dts_topology dts_topology_dragonfly = {
    .name = "dragonfly",
    .summary = "groups of routers all to all, as Cray wires Aries",
    .fields = dts_dragonfly_fields,
    .size = sizeof(struct dts_dragonfly),
    .prepare = dts_dragonfly_prepare,
    .ports = ports,
    .links = links,
    .capacity = capacity,
    .link_name = link_name,
    .called = "routers",
    .places = places,
    .place_of = place_of,
    .ends = ends,
    .by_place = by_place,
    .paths = dts_dragonfly_paths,
    .share = dts_dragonfly_share,
    .pick = dts_dragonfly_pick,
    .route = dts_dragonfly_route,
    .latency = dts_dragonfly_latency,
    .bisection = bisection,
    .halves = "half of the groups (of one group: half of its columns)",
    .surely = surely,
    .longest = longest,
};
