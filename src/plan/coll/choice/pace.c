/* pace.c -- hops and pieces of each row, and what they share of the library's time. */
#include "plan/coll/choice/pace.h"

#include <math.h>

#include "plan/coll/choice/graph.h"
#include "plan/coll/choice/versions.h"

/* The library takes a path between nodes for one of InfiniBand: what a path takes longer, a hop
 * takes longer. 2.7 us: a hop of a ring with protocol LL, since 2.7. */
static const double path_s = 2.7e-6;

enum { MOST_PIECES = 32 };
static const double least_piece = 2048;

/* What a call does here: messages one after another on the longest way, of which a piece takes
 * all. */
struct way {
    double hops, between;           // all, and those between nodes
    double paths;                   // between nodes that a byte of the library's takes
    bool in_turn;                   // all hops are within nodes, or all between them, at a time
    double fill;                    // pieces that are not yet or no more under way at all hops
    double bus_within, bus_between; // bytes on a device's links and on its NICs, of a byte
};

static int ceil_log2(int n)
{
    return n > 1 ? 32 - __builtin_clz((unsigned)(n - 1)) : 0;
}

static struct way ring_way(const struct dts_choice_group *g, enum dts_coll_kind kind)
{
    const int size = g->nodes * g->per_node;
    const int hops = (kind == DTS_ALLREDUCE ? 2 : 1) * (size - 1);
    const int between = g->nodes > 1 ? (hops + g->per_node - 1) / g->per_node : 0;
    const double bus = dts_coll_bus_factor(kind, size);
    return (struct way){.hops = hops,
                        .between = between,
                        .paths = between,
                        .fill = kind == DTS_BROADCAST ? hops - 1 : 0,
                        .bus_within = bus,
                        .bus_between = bus};
}

/* A piece fills each way alone, both together carry twice as much. */
static struct way tree_way(const struct dts_choice_group *g, bool star)
{
    const int inside = star ? g->per_node > 1 : g->per_node - 1, height = ceil_log2(g->nodes);
    return (struct way){.hops = 2 * (inside + height),
                        .between = 2 * height,
                        .paths = 2 * height,
                        .in_turn = true,
                        .fill = inside + height - 1,
                        .bus_within = star ? 2. * (g->per_node - 1) / g->per_node : 2,
                        .bus_between = g->nodes > 2 ? 2 : 1};
}

static struct way nvls_way(const struct dts_choice_group *g, enum dts_coll_kind kind)
{
    const int steps = kind == DTS_ALLREDUCE ? 2 : 1;
    return (struct way){.hops = steps, .bus_within = steps * (g->per_node - 1.) / g->per_node};
}

/* Data goes up to the switches and comes back, as far as one path leads. */
static struct way sharp_way(const struct dts_choice_group *g)
{
    struct way way = tree_way(g, true);
    way.paths = 1;
    return way;
}

/* Every step takes as long as its slowest hop, and where several channels leave a node by
 * different devices, some hop of each step is one between nodes. The library's channels do not
 * wait for one another, so all steps share its latency evenly; but a hop between nodes takes
 * its path at the least where the others do not take it, too. */
static void set_latency(double latency_s, const struct way *way, int pieces, int channels,
                        struct dts_coll_pace *pace)
{
    const bool in_turn = way->in_turn || channels == 1;
    const double steps = way->hops + pieces - 1;
    const double far = way->between == 0 ? 0 : in_turn ? way->between + pieces - 1 : steps;
    const double hop_s = steps > 0 ? latency_s / steps : 0;
    const double path = far > 0 ? way->paths / far : 0;
    const double far_s = fmax(hop_s, fmin(path * path_s, far > 0 ? latency_s / far : 0));
    pace->hop_s[0] = steps > far ? (latency_s - far * far_s) / (steps - far) : hop_s;
    pace->hop_s[1] = fmax(0, far_s - path * path_s);
    pace->path[1] = path;
}

/* Before 2.5 the library had no formula, but latencies for its threshold between trees and
 * rings; its bandwidths are those of 2.5, but for LL, of which half is data. */
static void price_old(const struct dts_choice_group *group, enum dts_coll_kind kind,
                      double bytes, struct dts_choice *choice)
{
    struct dts_choice_group newer = *group;
    newer.version = 205;
    dts_choice_price(&newer, kind, bytes, choice);
    const double part = kind == DTS_ALLREDUCE ? 1 : 0.5; // of the ways of an all-reduce
    choice->latency_s = part * dts_choice_old_latency_s(group, choice->algorithm);
    if (choice->protocol == DTS_CHOICE_LL) {
        struct dts_choice simple = *choice;
        simple.protocol = DTS_CHOICE_SIMPLE;
        dts_choice_price(&newer, kind, bytes, &simple);
        choice->bytes_per_s = simple.bytes_per_s / 2;
    }
}

/* What the library reaches. Before 2.28 its tuner was far from that for sums in switches. */
static void price(const struct dts_choice_group *group, enum dts_coll_kind kind, double bytes,
                  struct dts_choice *choice)
{
    struct dts_choice_group priced = *group;
    const bool nvls =
        choice->algorithm == DTS_CHOICE_NVLS || choice->algorithm == DTS_CHOICE_NVLS_TREE;
    priced.nic_latency_s = 0; // what a plugin tells is for the choice alone
    if (nvls && group->version < 228)
        priced.version = 228;
    if (group->version < 205)
        price_old(&priced, kind, bytes, choice);
    else
        dts_choice_price(&priced, kind, bytes, choice);
}

/* Sums in switches are slower at some sizes, as trees with Simple are: measured on 1 to 8 nodes
 * with 8 H100 (docs/collectives.md), the library expects no such thing. */
static double nvls_part(const struct dts_choice_version *version, double bytes)
{
    const int at = bytes < 64 ? 0 : (int)log2(bytes / 64);
    if (version->share == NULL || at > version->shares)
        return 1;
    return at == version->shares ? 0.95 : version->share[DTS_CHOICE_SIMPLE][at];
}

static void set_share(const struct dts_choice_group *group, double bytes,
                      const struct dts_choice *priced, const struct way *way, int pieces,
                      struct dts_coll_pace *pace)
{
    const struct dts_choice_version *version = dts_choice_version_find(group->version);
    const double links = 1e9 * version->nvlink[group->gpu] * group->nvlinks;
    const double channels = priced->channels * priced->channel_bytes_per_s;
    const double fills = (way->fill + pieces) / pieces;
    double within = channels, bus = way->bus_within, between_bus = way->bus_between, part = 1;
    if (priced->algorithm == DTS_CHOICE_NVLS || priced->algorithm == DTS_CHOICE_NVLS_TREE) {
        within = links;
        part = nvls_part(version, bytes);
    }
    if (priced->algorithm == DTS_CHOICE_SHARP && links > 0)
        within = links;
    if (priced->algorithm == DTS_CHOICE_TREE) // whose bus both are in the formula
        bus = between_bus = 2;
    pace->share[0] = pace->share[1] = 1;
    if (within > 0)
        pace->share[0] = fills * part * priced->bytes_per_s * bus / within;
    // The ends of chains have idle links, which the library does not gain from.
    if (priced->algorithm == DTS_CHOICE_TREE && group->nodes > 1 && group->per_node > 1)
        pace->share[0] *= (group->per_node - 1.) / group->per_node;
    if (channels > 0)
        pace->share[1] = fills * part * priced->bytes_per_s * between_bus / channels;
}

static struct way way_of(const struct dts_choice_group *group, enum dts_coll_kind kind,
                         enum dts_choice_algorithm algorithm)
{
    switch (algorithm) {
    case DTS_CHOICE_TREE:
        return tree_way(group, false);
    case DTS_CHOICE_NVLS_TREE:
        return tree_way(group, true);
    case DTS_CHOICE_SHARP:
        return sharp_way(group);
    case DTS_CHOICE_NVLS:
        return nvls_way(group, kind);
    default:
        return ring_way(group, kind);
    }
}

/* Parallel trees for one device a node run as a ring, with their latency. */
static const char *row_of(enum dts_choice_algorithm algorithm)
{
    static const char *const rows[DTS_CHOICE_ALGORITHMS] = {
        [DTS_CHOICE_TREE] = "tree_of_nodes", [DTS_CHOICE_RING] = "ring",
        [DTS_CHOICE_NVLS] = "nvls",          [DTS_CHOICE_NVLS_TREE] = "nvls_tree",
        [DTS_CHOICE_SHARP] = "sharp",        [DTS_CHOICE_PAT] = "ring",
    };
    return rows[algorithm];
}

bool dts_choice_algorithm_of(const struct dts_coll *row, enum dts_choice_algorithm *algorithm)
{
    for (int a = 0; a < DTS_CHOICE_PAT; a++)
        if (row == dts_coll_find(row_of((enum dts_choice_algorithm)a))) {
            *algorithm = (enum dts_choice_algorithm)a;
            return true;
        }
    return false;
}

void dts_choice_course_find(const struct dts_choice_group *group, enum dts_coll_kind kind,
                            double bytes, const struct dts_choice *choice, int channels,
                            struct dts_choice_course *course)
{
    struct dts_choice priced = *choice;
    struct dts_choice_group known = *group;
    if (known.version < 205)
        known.version = 205;
    price(group, kind, bytes, &priced);

    const struct way way = way_of(group, kind, choice->algorithm);
    const double part = bytes / channels / (choice->algorithm == DTS_CHOICE_RING ? 1 : 2);
    *course = (struct dts_choice_course){.algorithm = dts_coll_find(row_of(choice->algorithm)),
                                         .pieces = 1};
    if (way.fill > 0)
        course->pieces = (int)fmax(1, fmin(MOST_PIECES, part / least_piece));
    set_latency(priced.latency_s, &way, course->pieces, channels, &course->pace);
    set_share(&known, bytes, &priced, &way, course->pieces, &course->pace);
}
