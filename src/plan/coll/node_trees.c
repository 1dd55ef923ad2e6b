/* node_trees.c -- who is above whom, and when a piece crosses the edge between them. */
#include "plan/coll/node_trees.h"

#include <stddef.h>

enum { TREES = 2 };

struct trees {
    int nodes, per_node, pieces;
    bool star;
};

static struct trees trees_of(const struct dts_coll_shape *shape, bool star)
{
    return (struct trees){shape->size / shape->per_node, shape->per_node, shape->pieces, star};
}

/* Where node v stands in a tree; its own inverse but for shifted trees. */
static int place_of(const struct trees *t, int tree, int node)
{
    if (tree == 0)
        return node;
    return t->nodes % 2 == 0 ? t->nodes - 1 - node : (node + t->nodes - 1) % t->nodes;
}

static int node_at(const struct trees *t, int tree, int place)
{
    if (tree == 0)
        return place;
    return t->nodes % 2 == 0 ? t->nodes - 1 - place : (place + 1) % t->nodes;
}

/* The height of the place below place 0, which is above all: log2 of the largest power of two.
 */
static int top(const struct trees *t)
{
    return 31 - __builtin_clz((unsigned)(t->nodes - 1));
}

static int height(int place)
{
    return __builtin_ctz((unsigned)place);
}

/* Of a place that is not 0. */
static int above(const struct trees *t, int place)
{
    const int bit = place & -place, up = (place ^ bit) | (bit << 1);
    return up < t->nodes ? up : place ^ bit;
}

/* The places below; returns how many. */
static int below(const struct trees *t, int place, int *places)
{
    if (t->nodes == 1)
        return 0;
    if (place == 0) {
        places[0] = 1 << top(t);
        return 1;
    }
    int count = 0, bit = (place & -place) / 2;
    if (bit == 0)
        return 0;
    places[count++] = place - bit;
    while (bit > 0 && place + bit >= t->nodes)
        bit /= 2;
    if (bit > 0)
        places[count++] = place + bit;
    return count;
}

/* Edges from a member that is farthest from its head. */
static int inner(const struct trees *t)
{
    return t->star ? t->per_node > 1 : t->per_node - 1;
}

/* Edges on the longest way from a head up to the root: between nodes. */
static int tree_height(const struct trees *t)
{
    return t->nodes > 1 ? top(t) + 1 : 0;
}

/* The step in which the first piece crosses the edge above member d of a node, and above the
 * head of the node at a place: on the way up, on the way down. */
static int starts_inside(const struct trees *t, int d, bool up)
{
    const int first_down = inner(t) + 2 * tree_height(t);
    if (t->star)
        return up ? 0 : first_down;
    return up ? t->per_node - 1 - d : first_down + d - 1;
}

static int starts_between(const struct trees *t, int place, bool up)
{
    const int first = inner(t);
    if (up)
        return first + height(place);
    return first + tree_height(t) + top(t) - height(place);
}

/* The step in which the first piece crosses the last edges. */
static int last_start(const struct trees *t)
{
    return 2 * (inner(t) + tree_height(t)) - 1;
}

int dts_node_trees_steps(const struct dts_coll_shape *shape, bool star)
{
    const struct trees t = trees_of(shape, star);
    return shape->size > 1 ? last_start(&t) + t.pieces : 0;
}

int dts_node_trees_chunks(const struct dts_coll_shape *shape)
{
    return TREES * shape->pieces;
}

struct list {
    const struct trees *of;
    int tree, step;
    struct dts_coll_message *messages;
    int count;
};

/* What crosses the edge to a peer in this step, if anything does. */
static void add(struct list *list, int peer, bool peer_above, bool up, int start)
{
    const int pieces = list->of->pieces, piece = list->step - start;
    const bool send = peer_above == up;
    if (piece < 0 || piece >= pieces)
        return;
    list->messages[list->count++] = (struct dts_coll_message){
        .peer = peer,
        .first = list->tree * pieces + piece,
        .count = 1,
        .send = send,
        .add = up && !send,
        .lane = TREES * list->tree + !up,
    };
}

/* Both ways. */
static void add_inside(struct list *list, int peer, bool peer_above, int lower)
{
    add(list, peer, peer_above, true, starts_inside(list->of, lower, true));
    add(list, peer, peer_above, false, starts_inside(list->of, lower, false));
}

static void add_between(struct list *list, int place, bool peer_above, int lower)
{
    const int peer = node_at(list->of, list->tree, place) * list->of->per_node;
    add(list, peer, peer_above, true, starts_between(list->of, lower, true));
    add(list, peer, peer_above, false, starts_between(list->of, lower, false));
}

static void add_tree(struct list *list, int member)
{
    const struct trees *t = list->of;
    const int d = member % t->per_node, head = member - d;
    if (d > 0)
        add_inside(list, t->star ? head : member - 1, true, d);
    const int first_below = d + 1, end = t->star && d == 0 ? t->per_node : d + 2;
    for (int b = first_below; b < end && b < t->per_node && !(t->star && d > 0); b++)
        add_inside(list, head + b, false, b);
    if (d > 0 || t->nodes == 1)
        return;
    const int place = place_of(t, list->tree, head / t->per_node);
    if (place > 0)
        add_between(list, above(t, place), true, place);
    int places[2];
    const int count = below(t, place, places);
    for (int b = 0; b < count; b++)
        add_between(list, places[b], false, places[b]);
}

int dts_node_trees_step(const struct dts_coll_shape *shape, bool star, int member, int i,
                        struct dts_coll_message *messages)
{
    const struct trees t = trees_of(shape, star);
    struct list list = {.of = &t, .step = i, .messages = messages};
    for (list.tree = 0; list.tree < TREES; list.tree++)
        add_tree(&list, member);
    return list.count;
}

/* Edges whose first step is in [*from, *to] are in use in step i. */
static void in_use(const struct trees *t, int i, int *from, int *to)
{
    const int last = last_start(t);
    *from = i < t->pieces ? 0 : i - t->pieces + 1;
    *to = i < last ? i : last;
}

int dts_node_trees_like(const struct dts_coll_shape *shape, bool star, int i)
{
    const struct trees t = trees_of(shape, star);
    const int last = last_start(&t);
    return i > last && i < t.pieces ? last : i;
}

uint64_t dts_node_trees_state(const struct dts_coll_shape *shape, bool star, int i)
{
    const struct trees t = trees_of(shape, star);
    int from, to;
    in_use(&t, i, &from, &to);
    return (uint64_t)from * (uint64_t)(last_start(&t) + 1) + (uint64_t)to + 1;
}

bool dts_star_trees_fits(const struct dts_coll_shape *shape, const char **why)
{
    enum { MOST = 14 }; // messages of a head: 4 for each member and 12 between nodes
    *why = shape->kind != DTS_ALLREDUCE ? "does all-reduces alone"
                                        : "takes at most 14 members on a node";
    return shape->kind == DTS_ALLREDUCE && shape->per_node <= MOST;
}

int dts_star_trees_steps(const struct dts_coll_shape *shape)
{
    return dts_node_trees_steps(shape, true);
}

int dts_star_trees_step(const struct dts_coll_shape *shape, int member, int i,
                        struct dts_coll_message *messages)
{
    return dts_node_trees_step(shape, true, member, i, messages);
}

int dts_star_trees_like(const struct dts_coll_shape *shape, int i)
{
    return dts_node_trees_like(shape, true, i);
}

uint64_t dts_star_trees_state(const struct dts_coll_shape *shape, int i)
{
    return dts_node_trees_state(shape, true, i);
}
