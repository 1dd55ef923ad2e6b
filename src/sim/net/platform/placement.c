/* placement.c -- where ranks sit: an order of the nodes, and how ranks fill it.
 *
 * The first nodes of the order hold the devices' ranks, node by node; round_robin deals them
 * out instead, one to each node in turn. "random" shuffles all nodes of the machine, as a
 * scheduler on a busy machine hands them out, and keeps the devices of a node together.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/rng.h"
#include "base/text.h"
#include "sim/net/platform/platform.h"

struct kind {
    const char *name;
    bool deals; // one rank to each node in turn
    /* Puts the nodes in order; `order` holds 0 .. nodes - 1. NULL: as they are. Returns how
     * many may be used, or -1. */
    int (*arrange)(const struct dts_platform *platform, const struct dts_placement *placement,
                   int *order, struct dts_error *err);
};

enum { SHUFFLE_NODES = 0x706c }; // the stream of random numbers of this file

static int shuffled(const struct dts_platform *platform, const struct dts_placement *placement,
                    int *order, struct dts_error *err)
{
    (void)err;
    dts_shuffle(order, platform->nodes, placement->seed, SHUFFLE_NODES);
    return platform->nodes;
}

static int listed(const struct dts_platform *platform, const struct dts_placement *placement,
                  int *order, struct dts_error *err)
{
    bool *seen = dts_alloc((size_t)platform->nodes, sizeof(*seen));
    bool right = true;
    for (int i = 0; right && i < placement->node_count; i++) {
        int node = placement->nodes[i];
        if (node < 0 || node >= platform->nodes)
            right = dts_fail(
                err, DTS_BAD_INPUT,
                "%s: placement.nodes[%d]: must be a node of the platform, which has %d, got %d",
                placement->file, i, platform->nodes, node);
        else if (seen[node])
            right =
                dts_fail(err, DTS_BAD_INPUT, "%s: placement.nodes[%d]: node %d is listed twice",
                         placement->file, i, node);
        else
            seen[order[i] = node] = true;
    }
    free(seen);
    return right ? placement->node_count : -1;
}

static const struct kind kinds[] = {
    {"linear", false, NULL},
    {"round_robin", true, NULL},
    {"random", false, shuffled},
    {"listed", false, listed},
    {0},
};

const char *dts_placement_name(int i)
{
    return kinds[i].name;
}

static const struct kind *find(const char *name)
{
    const struct kind *kind = kinds;
    while (kind->name != NULL && strcmp(kind->name, name) != 0)
        kind++;
    return kind->name != NULL ? kind : NULL;
}

/* What is asked for. */
struct ask {
    const struct dts_platform *platform;
    const bool *taken; // by endpoint; NULL: nothing is
    int devices, hosts;
    int apart; // the last so many of the hosts: on nodes of their own
    bool deals;
};

static bool is_taken(const struct ask *ask, int endpoint)
{
    return ask->taken != NULL && ask->taken[endpoint];
}

/* Devices of a node that nobody has. */
static int free_devices(const struct ask *ask, int node)
{
    const int each = ask->platform->devices_per_node;
    int count = 0;
    for (int d = 0; d < each; d++)
        count += !is_taken(ask, node * each + d);
    return count;
}

static bool is_free(const struct ask *ask, int node)
{
    const int each = ask->platform->devices_per_node;
    return free_devices(ask, node) == each &&
           !is_taken(ask, ask->platform->nodes * each + node);
}

/* The nodes that the workers fill come first, then those of dedicated hosts; others are left
 * out. Returns how many workers' nodes there are, or -1: the free ones do not suffice. */
static int choose(const struct ask *ask, int *order, int usable)
{
    const int each = ask->platform->devices_per_node;
    const int nodes = ask->devices / each + (ask->devices % each > 0);
    int at = 0, kept = 0, devices = 0;
    for (; at < usable && (ask->deals ? kept < nodes : devices < ask->devices); at++) {
        const int count = free_devices(ask, order[at]);
        if (ask->deals ? !is_free(ask, order[at]) : count == 0)
            continue;
        devices += count;
        order[kept++] = order[at];
    }
    const int workers = kept;
    for (; at < usable && kept < workers + ask->apart; at++)
        if (is_free(ask, order[at]))
            order[kept++] = order[at];
    return devices >= ask->devices && kept == workers + ask->apart ? workers : -1;
}

static void fill(const struct ask *ask, const int *order, int workers, int *endpoints)
{
    const int each = ask->platform->devices_per_node;
    int rank = 0;
    for (int i = 0; ask->deals && rank < ask->devices; i++, rank++)
        endpoints[rank] = order[i % workers] * each + i / workers;
    for (int i = 0; i < workers; i++)
        for (int d = order[i] * each; d < (order[i] + 1) * each && rank < ask->devices; d++)
            if (!is_taken(ask, d))
                endpoints[rank++] = d;
    for (int host = 0; host < ask->hosts; host++) {
        const int beside = ask->hosts - ask->apart;
        const int node = host < beside ? order[host % workers] : order[workers + host - beside];
        endpoints[ask->devices + host] = ask->platform->nodes * each + node;
    }
}

static bool fail_taken(const struct ask *ask, const struct dts_placement *placement,
                       struct dts_error *err)
{
    int devices = 0, nodes = 0;
    if (placement->nodes != NULL && find(placement->kind)->arrange == listed)
        return dts_fail(err, DTS_BAD_INPUT,
                        "%s: placement.nodes: needs %d device%s, and other jobs leave fewer of "
                        "these nodes",
                        placement->file, ask->devices, dts_plural(ask->devices));
    for (int n = 0; n < ask->platform->nodes; n++) {
        devices += free_devices(ask, n);
        nodes += is_free(ask, n);
    }
    return dts_fail(
        err, DTS_BAD_INPUT,
        "%s: needs %d device%s%s, but beside other jobs %s has %d left, and %d free "
        "node%s",
        placement->file, ask->devices, dts_plural(ask->devices),
        ask->apart > 0 ? ", and nodes for servers" : "", ask->platform->name, devices, nodes,
        dts_plural(nodes));
}

bool dts_place(const struct dts_platform *platform, const struct dts_placement *placement,
               int devices, int hosts, int apart, int **endpoints, struct dts_error *err)
{
    assert(devices >= 1 && apart >= 0 && hosts >= apart);
    const struct kind *kind = find(placement->kind);
    int each = platform->devices_per_node;
    int workers = devices / each + (devices % each > 0);
    long long needed = (long long)workers + apart;
    if (kind == NULL)
        return dts_fail(err, DTS_BAD_INPUT, "%s: placement.kind: there is no \"%s\"",
                        placement->file, placement->kind);
    if (needed > platform->nodes)
        return dts_fail(err, DTS_BAD_INPUT, "%s: platform has %d node%s, the job needs %lld",
                        dts_doc_name(platform->doc), platform->nodes,
                        dts_plural(platform->nodes), needed);
    int *order = dts_alloc((size_t)platform->nodes, sizeof(*order));
    for (int i = 0; i < platform->nodes; i++)
        order[i] = i;
    int usable = platform->nodes;
    if (kind->arrange != NULL)
        usable = kind->arrange(platform, placement, order, err);
    bool fits = usable >= needed;
    if (usable >= 0 && !fits)
        dts_fail(err, DTS_BAD_INPUT, "%s: placement.nodes: lists %d, the job needs %lld",
                 placement->file, usable, needed);
    const struct ask ask = {platform, placement->taken, devices, hosts, apart, kind->deals};
    if (fits && (workers = choose(&ask, order, usable)) < 0)
        fits = fail_taken(&ask, placement, err);
    if (fits) {
        *endpoints = dts_alloc((size_t)devices + (size_t)hosts, sizeof(**endpoints));
        fill(&ask, order, workers, *endpoints);
    }
    free(order);
    return fits;
}
