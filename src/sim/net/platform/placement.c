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

static void fill(const struct dts_platform *platform, const int *order, int workers, bool deals,
                 int devices, int hosts, int apart, int *endpoints)
{
    int each = platform->devices_per_node;
    for (int rank = 0; rank < devices; rank++) {
        int node = deals ? order[rank % workers] : order[rank / each];
        endpoints[rank] = node * each + (deals ? rank / workers : rank % each);
    }
    for (int host = 0; host < hosts; host++) {
        const int beside = hosts - apart;
        int node = host < beside ? order[host % workers] : order[workers + host - beside];
        endpoints[devices + host] = platform->nodes * each + node;
    }
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
    if (fits) {
        *endpoints = dts_alloc((size_t)devices + (size_t)hosts, sizeof(**endpoints));
        fill(platform, order, workers, kind->deals, devices, hosts, apart, *endpoints);
    }
    free(order);
    return fits;
}
