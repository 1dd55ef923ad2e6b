/* star.c -- one switch that never blocks: every port at its full rate, always.
 *
 * It has no links of its own; the cables to it are those of the NICs. So it is also what a
 * non-blocking network of any depth looks like as long as its latency is about the same.
 */
#include "sim/net/topology/topology.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>

struct star {
    double latency_us;
    int most_ports;
};

static const struct dts_field fields[] = {
    {DTS_KEY(struct star, latency_us), .type = DTS_REAL, .min = 0, .max = 1e6,
     .help = "through the switch, in us"},
    {.key = "ports",
     .offset = offsetof(struct star, most_ports),
     .type = DTS_INT,
     .min = 1,
     .max = INT_MAX,
     .missing = "null",
     .help = "ports of the switch; default: as many as needed"},
    {0},
};

static bool prepare(void *self, int ports, const struct dts_cfg *at, struct dts_error *err)
{
    struct star *star = self;
    if (star->most_ports == 0)
        star->most_ports = ports;
    if (star->most_ports < ports)
        return dts_cfg_fail(at, "ports", err, "must be >= %d for all nodes, got %d", ports,
                            star->most_ports);
    return true;
}

static int ports(const void *self)
{
    return ((const struct star *)self)->most_ports;
}

static int links(const void *self)
{
    (void)self;
    return 0;
}

static double capacity(const void *self, int link)
{
    (void)self, (void)link;
    return INFINITY;
}

static void link_name(const void *self, int link, char *name, size_t room)
{
    (void)self;
    snprintf(name, room, "star%d", link);
}

static int places(const void *self)
{
    (void)self;
    return 1;
}

static int place_of(const void *self, int port)
{
    (void)self, (void)port;
    return 0;
}

static void ends(const void *self, int link, int *from, int *to)
{
    (void)self, (void)link;
    *from = *to = 0;
}

static int paths(const void *self, int src, int dst)
{
    (void)self, (void)src, (void)dst;
    return 1;
}

static int route(const void *self, int src, int dst, int path, int *links)
{
    (void)self, (void)src, (void)dst, (void)path, (void)links;
    return 0;
}

static double latency(const void *self, int src, int dst, int path)
{
    (void)path;
    return src == dst ? 0 : ((const struct star *)self)->latency_us * 1e-6;
}

static bool always(const void *self)
{
    (void)self;
    return true;
}

static double bisection(const void *self)
{
    (void)self;
    return INFINITY; // what the ports carry
}

static enum dts_surely surely(const void *self)
{
    (void)self;
    return DTS_EXACT;
}

static void longest(const void *self, int *links, double *latency_s)
{
    *links = 0;
    *latency_s = ((const struct star *)self)->latency_us * 1e-6;
}

const struct dts_topology dts_topology_star = {
    .name = "star",
    .summary = "one switch that never blocks",
    .fields = fields,
    .size = sizeof(struct star),
    .prepare = prepare,
    .ports = ports,
    .links = links,
    .capacity = capacity,
    .link_name = link_name,
    .called = "switches",
    .places = places,
    .place_of = place_of,
    .ends = ends,
    .by_place = always,
    .paths = paths,
    .route = route,
    .latency = latency,
    .bisection = bisection,
    .halves = "any half of the ports",
    .surely = surely,
    .longest = longest,
};
