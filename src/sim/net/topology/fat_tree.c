/* fat_tree.c -- fat trees of any depth, as parallel ports generalized fat trees
 * (Zahavi 2010, PGFT): the trees of SimGrid's FAT_TREE zone, with the same routes.
 *
 *     "down": [18, 18, 36]   a leaf switch has 18 ports, a switch above it 18 leaves, a top 36
 *     "up": [18, 18]         a leaf switch has cables to 18 switches, each of those to 18 tops
 *     "parallel": [1, 1]     cables between two switches
 *
 * is SimGrid's "3;18,18,36;1,18,18;1,1,1": the cables of the ports themselves are the NICs'.
 *
 * Levels: leaf switches are level 1. Below a switch of level l are M[l] ports; W[l] switches of
 * level l have the same ports below them. Switch `copy` of those above port n is n / M[l] *
 * W[l]
 * + copy, and choosing `turn` on the way up leads to copy + W[l] * turn of level l + 1. The way
 * down is given by where one turned on the way up.
 *
 * Links: the cables of level 1 to 2, of 2 to 3, ... upwards; then as many downwards.
 */
#include <limits.h>
#include <math.h>
#include <stdio.h>

#include "base/rng.h"
#include "sim/net/topology/fat_tree.h"
#include "sim/net/topology/topology.h"

static int ports(const void *self)
{
    const struct dts_fat_tree *tree = self;
    return tree->below[tree->levels];
}

static int links(const void *self)
{
    const struct dts_fat_tree *tree = self;
    return 2 * tree->first_cable[tree->levels];
}

static int switches(const struct dts_fat_tree *tree, int level)
{
    return tree->below[tree->levels] / tree->below[level] * tree->copies[level];
}

/* The level below a cable. */
static int level_of(const struct dts_fat_tree *tree, int cable)
{
    int level = 1;
    while (cable >= tree->first_cable[level + 1])
        level++;
    return level;
}

static int cable_of(const struct dts_fat_tree *tree, int link)
{
    return link % tree->first_cable[tree->levels];
}

static double capacity(const void *self, int link)
{
    const struct dts_fat_tree *tree = self;
    return tree->bytes_per_s[level_of(tree, cable_of(tree, link))];
}

/* Both ends of a cable, as numbers of switches of their level. */
static void cable_ends(const struct dts_fat_tree *tree, int cable, int level, int *lower,
                       int *upper)
{
    int number = (cable - tree->first_cable[level]) / tree->parallel[level];
    int turn = number % tree->up[level];
    *lower = number / tree->up[level];
    int copy = *lower % tree->copies[level];
    int family = *lower / tree->copies[level] / tree->down[level]; // one level higher
    *upper = family * tree->copies[level + 1] + copy + tree->copies[level] * turn;
}

static void link_name(const void *self, int link, char *name, size_t room)
{
    const struct dts_fat_tree *tree = self;
    int cable = cable_of(tree, link), level = level_of(tree, cable), lower, upper;
    cable_ends(tree, cable, level, &lower, &upper);
    snprintf(name, room, "level%d.%d-%d.%d.%s", level, lower, upper,
             (cable - tree->first_cable[level]) % tree->parallel[level],
             link == cable ? "up" : "down");
}

static int first_place(const struct dts_fat_tree *tree, int level)
{
    int first = 0;
    for (int l = 1; l < level; l++)
        first += switches(tree, l);
    return first;
}

static int places(const void *self)
{
    const struct dts_fat_tree *tree = self;
    return first_place(tree, tree->levels + 1);
}

static int place_of(const void *self, int port)
{
    const struct dts_fat_tree *tree = self;
    return port / tree->below[1];
}

static void ends(const void *self, int link, int *from, int *to)
{
    const struct dts_fat_tree *tree = self;
    int cable = cable_of(tree, link), level = level_of(tree, cable);
    bool up = link == cable;
    cable_ends(tree, cable, level, up ? from : to, up ? to : from);
    *from += first_place(tree, up ? level : level + 1);
    *to += first_place(tree, up ? level + 1 : level);
}

/* The level of the lowest switch that has both ports below it. */
static int meeting_level(const struct dts_fat_tree *tree, int src, int dst)
{
    int level = 1;
    while (src / tree->below[level] != dst / tree->below[level])
        level++;
    return level;
}

/* In how many ways one can go up to a level. */
static int ways_to(const struct dts_fat_tree *tree, int level)
{
    int ways = 1;
    for (int l = 1; l < level && ways < INT_MAX / 65536; l++)
        ways *= tree->up[l] * tree->parallel[l];
    return ways;
}

static int paths(const void *self, int src, int dst)
{
    const struct dts_fat_tree *tree = self;
    if (!tree->spread)
        return 1;
    int ways = ways_to(tree, meeting_level(tree, src, dst));
    return ways < tree->paths ? ways : tree->paths;
}

/* Number of the way up for a path of many: all of them, or evenly spaced from a random one. Its
 * lowest digit is the turn at a leaf: where the spacing is a multiple of these turns, all paths
 * would leave the leaf by one cable, so each path is also moved by its number. */
static int way_of(const struct dts_fat_tree *tree, int src, int dst, int path)
{
    int ways = ways_to(tree, meeting_level(tree, src, dst));
    if (ways <= tree->paths)
        return path;
    uint64_t first = dts_random((uint64_t)src, (uint64_t)dst, 0);
    uint64_t spacing = (uint64_t)ways / (uint64_t)tree->paths;
    uint64_t step = (uint64_t)path * (uint64_t)ways / (uint64_t)tree->paths;
    return (int)((first % (uint64_t)ways + step + (uint64_t)path % spacing) % (uint64_t)ways);
}

static int cable_at(const struct dts_fat_tree *tree, int level, int port, int copy, int turn,
                    int twin)
{
    int lower = port / tree->below[level] * tree->copies[level] + copy;
    return tree->first_cable[level] + (lower * tree->up[level] + turn) * tree->parallel[level] +
           twin;
}

static int route(const void *self, int src, int dst, int path, int *links)
{
    const struct dts_fat_tree *tree = self;
    int top = meeting_level(tree, src, dst), copy = 0, count = 2 * (top - 1);
    int way = tree->spread ? way_of(tree, src, dst, path) : 0;
    for (int level = 1; level < top; level++) {
        int choices = tree->up[level] * tree->parallel[level];
        int choice = (tree->spread ? way : dst / tree->copies[level]) % choices;
        int turn = choice % tree->up[level], twin = choice / tree->up[level];
        int twin_down = tree->spread ? twin : src % tree->parallel[level];
        links[level - 1] = cable_at(tree, level, src, copy, turn, twin);
        links[count - level] =
            tree->first_cable[tree->levels] + cable_at(tree, level, dst, copy, turn, twin_down);
        copy += tree->copies[level] * turn;
        way /= choices;
    }
    return count;
}

static double latency(const void *self, int src, int dst, int path)
{
    (void)path;
    const struct dts_fat_tree *tree = self;
    if (src == dst)
        return 0;
    return (2 * meeting_level(tree, src, dst) - 1) * tree->hop_latency_us * 1e-6;
}

static bool by_place(const void *self)
{
    return ((const struct dts_fat_tree *)self)->spread; // else by the number of the port
}

/* Half of the subtrees of the top against the others, at the level that carries least. Of an
 * odd number it is half of the cables, as if one subtree could be cut in two. */
static double bisection(const void *self)
{
    const struct dts_fat_tree *tree = self;
    double least = INFINITY; // one switch never blocks
    for (int level = 1; level < tree->levels; level++) {
        int cables = tree->first_cable[level + 1] - tree->first_cable[level];
        least = fmin(least, cables * tree->bytes_per_s[level]);
    }
    return least / 2;
}

/* Each port has its part of the cables of every level up to the top, whatever the halves. */
static enum dts_surely surely(const void *self)
{
    const struct dts_fat_tree *tree = self;
    return tree->levels == 1 || tree->down[tree->levels - 1] % 2 == 0 ? DTS_EXACT
                                                                      : DTS_AT_LEAST;
}

static void longest(const void *self, int *links, double *latency_s)
{
    const struct dts_fat_tree *tree = self;
    int level = tree->levels; // where the first port and the last one meet
    while (level > 1 && tree->below[level] == tree->below[level - 1])
        level--;
    *links = 2 * (level - 1);
    *latency_s = (*links + 1) * tree->hop_latency_us * 1e-6;
}

const struct dts_topology dts_topology_fat_tree = {
    .name = "fat_tree",
    .summary = "a fat tree of any depth, tapered or not",
    .fields = dts_fat_tree_fields,
    .size = sizeof(struct dts_fat_tree),
    .prepare = dts_fat_tree_prepare,
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
    .halves = "half of the top's subtrees against the others, at the level that carries least",
    .surely = surely,
    .longest = longest,
};
