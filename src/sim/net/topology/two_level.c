/* two_level.c -- leaf and spine, as data centres build Ethernet.
 *
 *     spine 0     spine 1    ...       every leaf has one cable to every spine
 *      |   \      /   |
 *     leaf 0     leaf 1     ...        ports_per_leaf ports each
 *
 * Oversubscription is ports_per_leaf x the NIC's rate over spines x uplink_bytes_per_s.
 * Between leaves, "ecmp" hashes each pair of ports to one spine, so that flows can collide;
 * "spread" uses all spines alike, as switches that spray packets do.
 *
 * Links: spines x leaf + spine upwards, then as many downwards.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/rng.h"
#include "sim/net/topology/topology.h"

struct two_level {
    int ports_per_leaf, spines;
    double uplink_bytes_per_s, hop_latency_us;
    const char *routing;
    int leaves; // by prepare
    bool spread;
};

static const char *const routings[] = {
    "ecmp",
    "spread",
    NULL,
};

static const char *routing_name(int i)
{
    return routings[i];
}

static const struct dts_field fields[] = {
    {DTS_KEY(struct two_level, ports_per_leaf), .type = DTS_INT, .min = 1, .max = 4096,
     .help = "ports of a leaf switch towards nodes"},
    {DTS_KEY(struct two_level, spines), .type = DTS_INT, .min = 1, .max = 4096,
     .help = "spine switches; each leaf has a cable to each"},
    {DTS_KEY(struct two_level, uplink_bytes_per_s), .type = DTS_REAL, .min = 1e3, .max = 1e15,
     .help = "of a cable between leaf and spine, each way"},
    {DTS_KEY(struct two_level, hop_latency_us), .type = DTS_REAL, .min = 0, .max = 1e6,
     .help = "through one switch, in us"},
    {DTS_KEY(struct two_level, routing), .type = DTS_STRING, .missing = "\"ecmp\"",
     .choice = routing_name, .help = "a spine for each pair by hash, or all alike"},
    {0},
};

static bool prepare(void *self, int ports, const struct dts_cfg *at, struct dts_error *err)
{
    struct two_level *net = self;
    net->leaves = ports / net->ports_per_leaf + (ports % net->ports_per_leaf > 0);
    net->spread = strcmp(net->routing, "spread") == 0;
    return dts_topology_check_links(2.0 * net->leaves * net->spines, at, "spines", err);
}

static int ports(const void *self)
{
    const struct two_level *net = self;
    return net->leaves * net->ports_per_leaf;
}

static int links(const void *self)
{
    const struct two_level *net = self;
    return 2 * net->leaves * net->spines;
}

static double capacity(const void *self, int link)
{
    (void)link;
    return ((const struct two_level *)self)->uplink_bytes_per_s;
}

static void link_name(const void *self, int link, char *name, size_t room)
{
    const struct two_level *net = self;
    int cables = net->leaves * net->spines, cable = link % cables;
    snprintf(name, room, "leaf%d.spine%d.%s", cable / net->spines, cable % net->spines,
             link < cables ? "up" : "down");
}

static int places(const void *self)
{
    const struct two_level *net = self;
    return net->leaves + net->spines;
}

static int place_of(const void *self, int port)
{
    return port / ((const struct two_level *)self)->ports_per_leaf;
}

static void ends(const void *self, int link, int *from, int *to)
{
    const struct two_level *net = self;
    int cables = net->leaves * net->spines, cable = link % cables;
    int leaf = cable / net->spines, spine = net->leaves + cable % net->spines;
    *from = link < cables ? leaf : spine;
    *to = link < cables ? spine : leaf;
}

static int paths(const void *self, int src, int dst)
{
    const struct two_level *net = self;
    return net->spread && place_of(net, src) != place_of(net, dst) ? net->spines : 1;
}

static int route(const void *self, int src, int dst, int path, int *links)
{
    const struct two_level *net = self;
    int from = place_of(net, src), to = place_of(net, dst);
    if (from == to)
        return 0;
    int spine =
        net->spread
            ? path
            : (int)(dts_random((uint64_t)src, (uint64_t)dst, 0) % (uint64_t)net->spines);
    links[0] = from * net->spines + spine;
    links[1] = net->leaves * net->spines + to * net->spines + spine;
    return 2;
}

static double latency(const void *self, int src, int dst, int path)
{
    (void)path;
    const struct two_level *net = self;
    if (src == dst)
        return 0;
    return (place_of(net, src) == place_of(net, dst) ? 1 : 3) * net->hop_latency_us * 1e-6;
}

static bool by_place(const void *self)
{
    (void)self;
    return true; // a spine by hash
}

/* Half of the leaves against the others; one leaf never blocks. Of an odd number it is half of
 * the uplinks, as if one leaf could be cut in two. */
static double bisection(const void *self)
{
    const struct two_level *net = self;
    if (net->leaves == 1)
        return INFINITY;
    return net->leaves / 2.0 * net->spines * net->uplink_bytes_per_s;
}

/* Each port has its part of the uplinks to every spine, whatever the halves. */
static enum dts_surely surely(const void *self)
{
    const struct two_level *net = self;
    return net->leaves == 1 || net->leaves % 2 == 0 ? DTS_EXACT : DTS_AT_LEAST;
}

static void longest(const void *self, int *links, double *latency_s)
{
    const struct two_level *net = self;
    *links = net->leaves > 1 ? 2 : 0;
    *latency_s = (*links + 1) * net->hop_latency_us * 1e-6;
}

const struct dts_topology dts_topology_two_level = {
    .name = "two_level",
    .summary = "leaf and spine switches: Ethernet in racks",
    .fields = fields,
    .size = sizeof(struct two_level),
    .prepare = prepare,
    .ports = ports,
    .links = links,
    .capacity = capacity,
    .link_name = link_name,
    .called = "switches",
    .places = places,
    .place_of = place_of,
    .ends = ends,
    .by_place = by_place,
    .paths = paths,
    .route = route,
    .latency = latency,
    .bisection = bisection,
    .halves = "half of the leaf switches against the others",
    .surely = surely,
    .longest = longest,
};
