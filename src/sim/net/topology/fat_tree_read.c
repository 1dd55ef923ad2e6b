/* fat_tree_read.c -- a fat tree from JSON, and what follows from its sizes. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "sim/net/topology/fat_tree.h"
#include "sim/net/topology/topology.h"

static const char *const routings[] = {
    "d_mod_k",
    "spread",
    NULL,
};

static const char *routing_name(int i)
{
    return routings[i];
}

const struct dts_field dts_fat_tree_fields[] = {
    {.key = "down",
     .offset = offsetof(struct dts_fat_tree, down_list),
     .type = DTS_OTHER,
     .forms = DTS_FORM_NUMBERS,
     .help = "from the leaves up: ports of a leaf switch, leaves below a switch, ..."},
    {.key = "up",
     .offset = offsetof(struct dts_fat_tree, up_list),
     .type = DTS_OTHER,
     .forms = DTS_FORM_NUMBERS,
     .missing = "[]",
     .help = "from the leaves up: switches above a switch; one fewer than down"},
    {.key = "parallel",
     .offset = offsetof(struct dts_fat_tree, parallel_list),
     .type = DTS_OTHER,
     .forms = DTS_FORM_NUMBERS,
     .missing = "null",
     .help = "cables between two switches, as long as up; default: 1 each"},
    {DTS_KEY(struct dts_fat_tree, link_bytes_per_s), .type = DTS_OTHER,
     .forms = DTS_FORM_NUMBER | DTS_FORM_NUMBERS, .missing = "null",
     .help = "of a cable between switches, each way: a number, or a list as long as up"},
    {DTS_KEY(struct dts_fat_tree, hop_latency_us), .type = DTS_REAL, .min = 0, .max = 1e6,
     .help = "through one switch, in us"},
    {DTS_KEY(struct dts_fat_tree, routing), .type = DTS_STRING, .missing = "\"d_mod_k\"",
     .choice = routing_name,
     .help = "one path by the destination, or traffic spread over many"},
    {DTS_KEY(struct dts_fat_tree, paths), .type = DTS_INT, .min = 1, .max = 4096,
     .missing = "16", .help = "spread: the most paths of a pair"},
    {0},
};

/* A list of sizes into out[0 ..]; *count of them. */
static bool read_sizes(const struct dts_cfg *list, int *out, int most, int *count,
                       struct dts_error *err)
{
    int *sizes;
    size_t length;
    if (!dts_cfg_ints(list, 1, 65536, (size_t)most, &sizes, &length, err))
        return false;
    memcpy(out, sizes, length * sizeof(*out));
    free(sizes);
    *count = (int)length;
    return true;
}

static bool check_length(const struct dts_cfg *list, int count, int wanted,
                         struct dts_error *err)
{
    return count == wanted ||
           dts_cfg_fail(list, NULL, err,
                        "must have %d elements, one fewer than \"down\"; has "
                        "%d",
                        wanted, count);
}

static bool read_rates(struct dts_fat_tree *tree, const struct dts_cfg *at,
                       struct dts_error *err)
{
    struct dts_cfg rates = dts_cfg_member(at, "link_bytes_per_s");
    int between = tree->levels - 1;
    if (between == 0 && !dts_cfg_exists(&rates))
        return true; // one switch has no cables to others
    if (!dts_cfg_is_list(&rates)) {
        double rate;
        if (!dts_cfg_real(&rates, 1e3, 1e15, &rate, err))
            return false;
        for (int level = 1; level <= between; level++)
            tree->bytes_per_s[level] = rate;
        return true;
    }
    double *list;
    size_t count;
    if (!dts_cfg_reals(&rates, 1e3, 1e15, DTS_TREE_LEVELS - 1, &list, &count, err))
        return false;
    memcpy(tree->bytes_per_s + 1, list, count * sizeof(*list));
    free(list);
    return check_length(&rates, (int)count, between, err);
}

static bool read_shape(struct dts_fat_tree *tree, const struct dts_cfg *at,
                       struct dts_error *err)
{
    struct dts_cfg down = dts_cfg_member(at, "down"), up = dts_cfg_member(at, "up");
    struct dts_cfg parallel = dts_cfg_member(at, "parallel");
    int ups, twins;
    if (!read_sizes(&down, tree->down, DTS_TREE_LEVELS, &tree->levels, err) ||
        !read_sizes(&up, tree->up + 1, DTS_TREE_LEVELS - 1, &ups, err))
        return false;
    if (tree->levels == 0)
        return dts_cfg_fail(&down, NULL, err, "must have at least one level");
    if (!check_length(&up, ups, tree->levels - 1, err))
        return false;
    for (int level = 1; level < tree->levels; level++)
        tree->parallel[level] = 1;
    if (!dts_cfg_exists(&parallel))
        return true;
    return read_sizes(&parallel, tree->parallel + 1, DTS_TREE_LEVELS - 1, &twins, err) &&
           check_length(&parallel, twins, tree->levels - 1, err);
}

/* M, W and the numbers of cables. */
static bool count_parts(struct dts_fat_tree *tree, const struct dts_cfg *at,
                        struct dts_error *err)
{
    double below = 1, copies = 1, cables = 0; // whole numbers, checked before they are int
    for (int level = 0; level < tree->levels; level++) {
        below *= tree->down[level];
        if (below > INT_MAX / 4)
            return dts_cfg_fail(at, "down", err, "must have a product below %d", INT_MAX / 4);
        tree->below[level + 1] = (int)below;
    }
    tree->below[0] = tree->copies[1] = 1;
    tree->first_cable[1] = 0;
    for (int level = 1; level < tree->levels; level++) {
        cables += below / tree->below[level] * copies * tree->up[level] * tree->parallel[level];
        copies *= tree->up[level];
        if (cables > INT_MAX / 4 || copies > INT_MAX / 4)
            return dts_cfg_fail(at, "up", err, "must be less: more than %d cables",
                                INT_MAX / 4);
        tree->copies[level + 1] = (int)copies;
        tree->first_cable[level + 1] = (int)cables;
    }
    return dts_topology_check_links(2 * cables, at, "up", err);
}

bool dts_fat_tree_prepare(void *self, int ports, const struct dts_cfg *at,
                          struct dts_error *err)
{
    struct dts_fat_tree *tree = self;
    if (!read_shape(tree, at, err) || !read_rates(tree, at, err) || !count_parts(tree, at, err))
        return false;
    if (tree->below[tree->levels] < ports)
        return dts_cfg_fail(at, "down", err, "must have a product >= %d for all nodes, got %d",
                            ports, tree->below[tree->levels]);
    tree->spread = strcmp(tree->routing, "spread") == 0;
    return true;
}
