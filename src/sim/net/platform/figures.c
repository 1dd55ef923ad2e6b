/* figures.c -- a machine in a few numbers. */
#include "sim/net/platform/figures.h"

#include <math.h>
#include <string.h>

#include "sim/net/platform/net.h"

static int ports_of(const struct dts_parts *of)
{
    return of->nodes * (of->rails->planes ? 1 : of->nics);
}

/* What is known of halves of the nodes: those of the ports, where NICs of a node are not in
 * places apart and a node is at each port. */
static enum dts_surely surely_of_nodes(const struct dts_parts *of)
{
    const enum dts_surely surely = of->topology->surely(of->topology_self);
    const bool apart = of->nics > 1 && strcmp(of->rails->name, "by_rail") == 0;
    if (of->topology->ports(of->topology_self) != ports_of(of))
        return DTS_ONE_CUT;
    return apart && surely == DTS_EXACT ? DTS_AT_LEAST : surely;
}

static void bisect(const struct dts_parts *of, struct dts_platform_figures *figures)
{
    const int planes = of->rails->planes ? of->nics : 1;
    const double links = planes * of->topology->bisection(of->topology_self);
    const double nics = of->nodes / 2 * figures->node_injection_bytes_per_s;
    const bool least = of->topology->surely(of->topology_self) != DTS_ONE_CUT;
    figures->bisection_bytes_per_s = fmin(links, nics);
    figures->halves = nics <= links ? NULL : of->topology->halves;
    if (nics <= links)
        figures->surely = least ? DTS_EXACT : DTS_ONE_CUT;
    else
        figures->surely = surely_of_nodes(of);
}

/* From a device out to its NIC, and in from the NIC where that arrives, the slowest pair. */
static double within_nodes(const struct dts_parts_net *net)
{
    const struct dts_parts *of = &net->of;
    const bool staged = net->limits[DTS_BETWEEN].staged;
    double longest = 0;
    for (int from = 0; from < of->devices; from++) {
        const int out = of->fabric->nic_of(of->fabric_self, from);
        for (int to = 0; to < of->devices; to++) {
            const int in = of->rails->planes ? out : of->fabric->nic_of(of->fabric_self, to);
            const int first = of->devices + 1; // port of the first NIC
            longest =
                fmax(longest, of->fabric->latency(of->fabric_self, from, first + out, staged) +
                                  of->fabric->latency(of->fabric_self, first + in, to, staged));
        }
    }
    return longest;
}

/* One node: from device to device. */
static double within_one(const struct dts_parts *of)
{
    double longest = 0;
    for (int from = 0; from < of->devices; from++)
        for (int to = 0; to < of->devices; to++)
            if (from != to)
                longest = fmax(longest, of->fabric->latency(of->fabric_self, from, to, false));
    return longest;
}

static void walk(const struct dts_parts_net *net, struct dts_platform_figures *figures)
{
    const struct dts_parts *of = &net->of;
    figures->latency_s = within_one(of);
    if (of->nodes == 1)
        return;
    double switches_s;
    of->topology->longest(of->topology_self, &figures->switch_hops, &switches_s);
    figures->hops = figures->switch_hops + 2; // the cables of the NICs
    figures->latency_s =
        fmax(figures->latency_s, within_nodes(net) + 2 * of->nic_latency_s + switches_s);
}

bool dts_platform_figures(const struct dts_platform *platform,
                          struct dts_platform_figures *figures)
{
    if (platform->node.nics == 0)
        return false;
    const struct dts_parts_net *net = platform->net.self;
    const struct dts_parts *of = &net->of;
    const int planes = of->rails->planes ? of->nics : 1;
    *figures = (struct dts_platform_figures){
        .nodes = of->nodes,
        .devices = of->nodes * of->devices,
        .nics = of->nics,
        .topology = of->topology->name,
        .called = of->topology->called,
        .switches = (long long)planes * of->topology->places(of->topology_self),
        .links = (long long)planes * of->topology->links(of->topology_self),
        .node_injection_bytes_per_s = of->nics * of->nic_bytes_per_s,
    };
    figures->injection_bytes_per_s = of->nodes * figures->node_injection_bytes_per_s;
    bisect(of, figures);
    walk(net, figures);
    return true;
}
