/* library.c -- the group of a point as its library sees it, and the rules of each library. */
#include "train/strategy/library.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "plan/coll/choice/choice.h"
#include "plan/coll/choice/pace.h"
#include "train/strategy/build.h"

int dts_library_version(const char *version)
{
    int major = 0, minor = 0;
    if (version == NULL || sscanf(version, "%d.%d", &major, &minor) != 2 || major < 0 ||
        minor < 0 || minor > 99)
        return 0;
    return 100 * major + minor;
}

/* NVLinks of a device that lead to others of the group: on a mesh those of the cycles through
 * all of them. */
static int nvlinks(const struct dts_machine *machine, int devices)
{
    const struct dts_choice_group *site = &machine->site;
    if (site->nvlinks == 0 || site->nvswitch || devices > machine->devices_per_node)
        return site->nvlinks;
    return devices == 2 ? machine->lanes_of_two : machine->orders.cycles;
}

static bool find_group(const struct dts_point *point, const struct dts_members *members,
                       struct dts_choice_group *group, struct dts_error *err)
{
    const int size = members->group.size;
    *group = point->machine->site;
    group->version = dts_library_version(point->scenario->stack.library.version);
    group->nodes = members->nodes;
    group->per_node = size / group->nodes;
    group->nvlinks = nvlinks(point->machine, size);
    if (size < point->devices && group->nics > 1) { // other groups have the other NICs
        const int mine = group->nics * group->per_node / point->machine->devices_per_node;
        group->nics = mine > 1 ? mine : 1;
    }
    if (group->nodes > 1 && group->nics == 0)
        return dts_point_fail(point, err,
                              "%s: algorithm auto asks for the NICs of a node, which an "
                              "imported network does not say: name an algorithm",
                              point->strategy->name);
    return true;
}

/* Over nodes a channel for each of the library's. In a node a switch carries one as well as
 * many; on a mesh each goes another way. */
static int channels_of(const struct dts_point *point, const struct dts_choice_group *group,
                       const struct dts_choice *choice)
{
    if (group->nodes > 1)
        return choice->channels;
    const int orders = point->machine->orders.count;
    return choice->algorithm == DTS_CHOICE_RING && orders > 0 ? orders : 1;
}

static void take(const struct dts_point *point, const struct dts_choice_group *group,
                 double bytes, const struct dts_choice *choice, int channels,
                 struct dts_collective *c)
{
    struct dts_choice_course course;
    c->channels = channels > 0 ? channels : channels_of(point, group, choice);
    dts_choice_course_find(group, c->shape.kind, bytes, choice, c->channels, &course);
    c->algorithm = course.algorithm;
    c->shape.pieces = course.pieces;
    c->pace = course.pace;
    snprintf(c->chosen, sizeof(c->chosen), "%s/%s, %d channel%s",
             dts_choice_algorithm_name(choice->algorithm),
             dts_choice_protocol_name(choice->protocol), c->channels,
             c->channels == 1 ? "" : "s");
    snprintf(c->why, sizeof(c->why), "%s", choice->why);
}

static bool take_nccl(const struct dts_point *point, const struct dts_members *members,
                      double bytes, int channels, struct dts_collective *c,
                      struct dts_error *err)
{
    struct dts_choice_group group;
    struct dts_choice choice;
    if (!find_group(point, members, &group, err))
        return false;
    dts_choice_find(&group, c->shape.kind, fmax(1, bytes), &choice);
    take(point, &group, fmax(1, bytes), &choice, channels, c);
    const char *why;
    if (!dts_coll_fits(c->algorithm, &c->shape, &why)) // a node of more devices than rows take
        return dts_point_fail(point, err, "%s: auto takes %s, which %s", point->strategy->name,
                              c->algorithm->name, why);
    return true;
}

/* A rule: up to so many bytes, exclusive, this row. The last one has no limit. */
struct rule {
    double below;
    const char *row;
};

enum { RULES = 3 };

/* From this many ranks on. */
struct rules {
    int ranks;
    struct rule rules[RULES];
};

// ompi/mca/coll/tuned/coll_tuned_decision_fixed.c, commutative sums
static const struct rules openmpi_4_0[] = {
    {1, {{10e3, "recursive_doubling"}, {INFINITY, "ring"}}},
    {0},
};
static const struct rules openmpi_4_1[] = {
    {1, {{262144, "ring"}, {INFINITY, "halving_doubling"}}},
    {4, {{8192, "recursive_doubling"}, {INFINITY, "halving_doubling"}}},
    {16, {{4096, "recursive_doubling"}, {INFINITY, "halving_doubling"}}},
    {32, {{128, "recursive_doubling"}, {INFINITY, "halving_doubling"}}},
    {64, {{262144, "recursive_doubling"}, {INFINITY, "halving_doubling"}}},
    {128, {{131072, "tree"}, {262144, "recursive_doubling"}, {INFINITY, "halving_doubling"}}},
    {256, {{4096, "tree"}, {INFINITY, "halving_doubling"}}},
    {512, {{2048, "tree"}, {16384, "recursive_doubling"}, {INFINITY, "halving_doubling"}}},
    {4096, {{INFINITY, "halving_doubling"}}},
    {0},
};
// MPIR_CVAR_ALLREDUCE_SHORT_MSG_SIZE
static const struct rules mpich[] = {
    {1, {{2049, "recursive_doubling"}, {INFINITY, "halving_doubling"}}},
    {0},
};
// gloo/allreduce.cc: a ring in segments at all sizes
static const struct rules gloo[] = {{1, {{INFINITY, "ring"}}}, {0}};

static const struct rules *rules_of(const struct dts_library *library)
{
    if (strcmp(library->name, "gloo") == 0)
        return gloo;
    if (strcmp(library->name, "mpich") == 0)
        return mpich;
    return dts_library_version(library->version) < 401 ? openmpi_4_0 : openmpi_4_1;
}

static void take_by_rule(const struct dts_point *point, double bytes, int channels,
                         struct dts_collective *c)
{
    const struct dts_library *library = &point->scenario->stack.library;
    const struct rules *rules = rules_of(library);
    while (rules[1].ranks > 0 && rules[1].ranks <= c->shape.size)
        rules++;
    const struct rule *rule = rules->rules;
    while (bytes >= rule->below)
        rule++;
    // Rules are of all-reduces; of the other kinds all of them have a ring for large data.
    const char *row = c->shape.kind == DTS_ALLREDUCE ? rule->row : "ring";
    c->algorithm = dts_coll_find(row);
    c->channels = channels > 0 ? channels : 1;
    snprintf(c->chosen, sizeof(c->chosen), "%s", row);
    snprintf(c->why, sizeof(c->why), "%s %s, %d ranks: %s for %.4g bytes", library->name,
             library->version, c->shape.size, row, bytes);
}

static struct dts_collective bare(const struct dts_members *members, enum dts_coll_kind kind)
{
    return (struct dts_collective){
        .algorithm = dts_coll_find("ring"),
        .shape = {.kind = kind,
                  .size = members->group.size,
                  .per_node = members->per_node,
                  .shards = 1,
                  .pieces = 1},
        .group = members->group,
        .channels = 1,
    };
}

static bool is_nccl(const struct dts_library *library)
{
    return library->name != NULL && strcmp(library->name, "nccl") == 0;
}

/* Parts have no rules: NCCL and Gloo have a group of sends and receives, in flight together,
 * and MPI libraries go pair by pair with large data. */
static void take_parts(const struct dts_point *point, int channels, struct dts_collective *c)
{
    const struct dts_library *library = &point->scenario->stack.library;
    const bool pairs =
        library->name != NULL && !is_nccl(library) && strcmp(library->name, "gloo") != 0;
    const char *row = c->shape.kind >= DTS_HALO    ? "neighbors"
                      : c->shape.kind == DTS_SHIFT ? "ring"
                      : pairs                      ? "pairwise"
                                                   : "scattered";
    c->algorithm = dts_coll_find(row);
    c->channels = channels > 0 ? channels : 1;
    snprintf(c->chosen, sizeof(c->chosen), "%s", row);
    snprintf(c->why, sizeof(c->why), "%s",
             pairs ? "parts go pair by pair" : "parts go at once");
}

bool dts_library_choose(const struct dts_point *point, const struct dts_members *members,
                        enum dts_coll_kind kind, double bytes, int channels,
                        struct dts_collective *c, struct dts_error *err)
{
    *c = bare(members, kind);
    if (kind >= DTS_ALLTOALL) {
        take_parts(point, channels, c);
        return true;
    }
    if (members->group.size < 2)
        return true;
    if (is_nccl(&point->scenario->stack.library))
        return take_nccl(point, members, bytes, channels, c, err);
    take_by_rule(point, bytes, channels, c);
    return true;
}

bool dts_library_force(const struct dts_point *point, const struct dts_members *members,
                       enum dts_coll_kind kind, double bytes, const struct dts_coll *row,
                       int channels, struct dts_collective *c)
{
    struct dts_choice_group group;
    struct dts_choice choice;
    struct dts_error ignored = {0};
    enum dts_choice_algorithm algorithm;
    if (members->group.size < 2 || kind >= DTS_ALLTOALL ||
        !is_nccl(&point->scenario->stack.library) ||
        !dts_choice_algorithm_of(row, &algorithm) ||
        !find_group(point, members, &group, &ignored) ||
        !dts_choice_force(&group, kind, fmax(1, bytes), algorithm, &choice))
        return false;
    *c = bare(members, kind);
    take(point, &group, fmax(1, bytes), &choice, channels, c);
    return true;
}
