/* double_tree.c -- two binary trees, each for half of the data (Sanders, Speck and Traff
 * 2009, doi:10.1016/j.parco.2009.09.001).
 *
 * Member 0 is above the roots of both trees. The other N = n - 1 members stand in the first
 * tree at the positions 1 .. N, at which the number of trailing zero bits is the height; in the
 * second one in mirrored order, so that who has children in one tree has none in the other. An
 * odd N leaves its last member as a leaf in both. With 7 members:
 *
 *              0                      0
 *              |                      |
 *              4                      3
 *            /   \                  /   \
 *           2     6                5     1
 *          / \   /                / \   /
 *         1   3 5                6   4 2
 *
 * Half t is cut into P pieces. Piece p passes the edge above a position in step first + 2 p on
 * the way down, where `first` follows from a colouring of all edges with two colours, even and
 * odd steps: the two edges above a member differ, and so do the two below it. So in a step a
 * member receives at most one message and sends at most one. The way up is the way down played
 * backwards. With T the last `first`, below 2 log2(n), and a crossbar with latency alpha and
 * bandwidth B, S bytes take
 *
 *     broadcast       (T + 2 P - 1) (alpha + S/(2 P B))
 *     all-reduce      2 (T + P) alpha + 2 (T + 2 P - 1) S/(2 P B)
 *     reduce-scatter  the way up, then a binomial scatter
 *     all-gather      a binomial gather, then the way down
 *
 * that is, 2 S/B for an all-reduce of large data. In the all-reduce both ways are in use at
 * once, in a lane each, and a member may send two messages in a step.
 *
 * The colouring: let the two edges above the same position in the two trees differ. Then those
 * above a position and its mirror image must be alike, and colours follow from the root: above
 * even positions by the rule of even_first(), above an odd one as above its image, which is
 * even.
 */
#include "plan/coll/binomial.h"
#include "plan/coll/coll.h"

static int low_bit(int position)
{
    return position & -position;
}

static int height_of(int nodes)
{
    return 31 - __builtin_clz((unsigned)nodes);
}

static int root_of(int nodes)
{
    return 1 << height_of(nodes);
}

/* The position above; 0 above the root. */
static int above(int nodes, int position)
{
    int bit = low_bit(position);
    if (position & 2 * bit || position + bit > nodes)
        return position - bit;
    return position + bit;
}

static int left_below(int position)
{
    return position - low_bit(position) / 2;
}

/* The right child: the highest position that exists; 0 for none. */
static int right_below(int nodes, int position)
{
    for (int bit = low_bit(position) / 2; bit > 0; bit /= 2)
        if (position + bit <= nodes)
            return position + bit;
    return 0;
}

/* How many bits are set, in parallel: what the compiler has for every machine is a call. */
static int ones(unsigned bits)
{
    bits -= bits >> 1 & 0x55555555u;
    bits = (bits & 0x33333333u) + (bits >> 2 & 0x33333333u);
    bits = (bits + (bits >> 4)) & 0x0f0f0f0fu;
    return (int)(bits * 0x01010101u >> 24);
}

/* The step of the first piece on the edge above an even position; its parity is the colour.
 *
 * On the way to the root, bit g of the position says where height g is passed: 1 to the left, 0
 * to the right, where no such position may exist: those bits are above all in which the
 * position differs from the last one. One side costs a step, the other two. */
static int even_first(int nodes, int position)
{
    unsigned bits = (unsigned)position, below_root = (unsigned)root_of(nodes) * 2 - 1;
    unsigned path = below_root & ~(2 * (bits & -bits) - 1);
    unsigned differ = bits ^ (unsigned)nodes, exist = 0;
    if (differ != 0)
        exist = ~0u >> __builtin_clz(differ);
    int left = ones(bits & path), right = ones(~bits & path & exist);
    return left + right + (nodes / 2 % 2 == 1 ? right : left);
}

static int colour(int nodes, int position)
{
    int paired = nodes - nodes % 2; // positions that have an image
    if (position > paired)          // the last leaf takes what its sibling leaves
        return nodes == 1 ? 0 : 1 - colour(nodes, left_below(paired));
    return even_first(nodes, position % 2 == 0 ? position : paired + 1 - position) % 2;
}

/* The step of the first piece on the edge above a position of the first tree. In the second it
 * is one step later. */
static int first_step(int nodes, int position)
{
    if (position % 2 == 0)
        return even_first(nodes, position);
    int parent = above(nodes, position);
    if (parent == 0)
        return 0;
    int before = even_first(nodes, parent);
    return before + (colour(nodes, position) == before % 2 ? 2 : 1);
}

/* The last first step of both trees. */
static int last_first(int nodes)
{
    int height = height_of(nodes);
    return 1 + 2 * height - (height > 0 && nodes / 2 % 2 == 0);
}

static bool shares(const struct dts_coll_shape *shape)
{
    return shape->kind == DTS_REDUCE_SCATTER || shape->kind == DTS_ALLGATHER;
}

static int chunks(const struct dts_coll_shape *shape)
{
    return shares(shape) ? dts_coll_common_multiple(shape->size, 2 * shape->pieces)
                         : 2 * shape->pieces;
}

/* Steps of one way. */
static int way(const struct dts_coll_shape *shape)
{
    return last_first(shape->size - 1) + 2 * shape->pieces - 1;
}

/* When the way down of an all-reduce begins: the first piece is at the top. */
static int turn_of(const struct dts_coll_shape *shape)
{
    return last_first(shape->size - 1) + 1;
}

static int steps(const struct dts_coll_shape *shape)
{
    if (shape->size == 1)
        return 0;
    if (shape->kind == DTS_ALLREDUCE)
        return turn_of(shape) + way(shape);
    return way(shape) + (shares(shape) ? dts_binomial_dimensions(shape->size) : 0);
}

/* The member at a position, and the position of a member; the same for both. */
static int mirrored(int nodes, int tree, int position)
{
    int paired = nodes - nodes % 2;
    return tree == 1 && position >= 1 && position <= paired ? paired + 1 - position : position;
}

/* An edge of a tree as one of its ends sees it. */
struct edge {
    int tree, peer;
    bool is_child; // this end is the lower one
    int first;     // step of the first piece on the way down
};

/* The message on an edge in a step of the way down or up. */
static int pass(const struct dts_coll_shape *shape, const struct edge *edge, bool down, int i,
                struct dts_coll_message *message)
{
    int since = i - (down ? edge->first : last_first(shape->size - 1) - edge->first);
    if (since < 0 || since % 2 != 0 || since / 2 >= shape->pieces)
        return 0;
    int each = chunks(shape) / (2 * shape->pieces);
    bool send = edge->is_child != down;
    *message = (struct dts_coll_message){
        .peer = edge->peer,
        .first = (edge->tree * shape->pieces + since / 2) * each,
        .count = each,
        .send = send,
        .add = !send && !down,
        .lane = down,
    };
    return 1;
}

static int add_edge(int nodes, int tree, int lower, bool is_child, struct edge *edges,
                    int count)
{
    if (lower == 0)
        return count;
    edges[count] = (struct edge){
        .tree = tree,
        .peer = mirrored(nodes, tree, is_child ? above(nodes, lower) : lower),
        .is_child = is_child,
        .first = first_step(nodes, lower) + tree,
    };
    return count + 1;
}

/* The edges of a member in both trees, at most 6. */
static int edges_of(int nodes, int member, struct edge *edges)
{
    int count = 0;
    for (int tree = 0; tree < 2; tree++) {
        int position = mirrored(nodes, tree, member);
        if (member == 0) {
            count = add_edge(nodes, tree, root_of(nodes), false, edges, count);
            continue;
        }
        count = add_edge(nodes, tree, position, true, edges, count);
        if (position % 2 == 0) {
            count = add_edge(nodes, tree, left_below(position), false, edges, count);
            count = add_edge(nodes, tree, right_below(nodes, position), false, edges, count);
        }
    }
    return count;
}

/* The two ways: in an all-reduce at once, else the one that there is. */
static int step(const struct dts_coll_shape *shape, int member, int i,
                struct dts_coll_message *messages)
{
    int n = shape->size, k = shares(shape) ? dts_binomial_dimensions(n) : 0;
    if (shape->kind == DTS_REDUCE_SCATTER && i >= way(shape))
        return dts_binomial_deal(n, member, k - 1 - (i - way(shape)), true, chunks(shape) / n,
                                 messages);
    if (shape->kind == DTS_ALLGATHER && i < k)
        return dts_binomial_deal(n, member, i, false, chunks(shape) / n, messages);

    bool up = shape->kind == DTS_ALLREDUCE || shape->kind == DTS_REDUCE_SCATTER;
    bool down = shape->kind != DTS_REDUCE_SCATTER;
    int before = shape->kind == DTS_ALLREDUCE   ? turn_of(shape)
                 : shape->kind == DTS_ALLGATHER ? k
                                                : 0;
    struct edge edges[6];
    int edge_count = edges_of(n - 1, member, edges), count = 0;
    for (int e = 0; e < edge_count; e++) {
        if (up)
            count += pass(shape, &edges[e], false, i, messages + count);
        if (down)
            count += pass(shape, &edges[e], true, i - before, messages + count);
    }
    return count;
}

/* Of the edges of one way, those whose first steps are from a number on up to another are in
 * use in step i, and only every second of these. */
static uint64_t in_use(const struct dts_coll_shape *shape, int i)
{
    int last = last_first(shape->size - 1), lowest = i - 2 * shape->pieces + 1;
    int from = lowest > 0 ? lowest : 0, to = i < last ? i : last;
    from += (i - from) % 2 != 0;
    to -= (i - to) % 2 != 0;
    return from > to ? 0 : (uint64_t)(from << 8 | to) + 1;
}

static int like(const struct dts_coll_shape *shape, int i)
{
    int k = dts_binomial_dimensions(shape->size);
    bool both = shape->kind == DTS_ALLREDUCE;
    int begin = shape->kind == DTS_ALLGATHER ? k : 0;
    if (i < begin || (!both && i >= begin + way(shape)))
        return i;
    int j = i - begin;
    int turn = both ? turn_of(shape) : 0; // else there is one way
    while (j >= 2 && in_use(shape, j) == in_use(shape, j - 2) &&
           in_use(shape, j - turn) == in_use(shape, j - turn - 2))
        j -= 2;
    return j + begin;
}

/* Going up, first steps count from the last one backwards. */
static uint64_t state(const struct dts_coll_shape *shape, int i)
{
    if (shape->kind != DTS_ALLREDUCE)
        return 0;
    return 1 + (in_use(shape, i) << 20 | in_use(shape, i - turn_of(shape)));
}

const struct dts_coll dts_coll_double_tree = {
    .name = "double_tree",
    .summary = "two binary trees in pieces: few steps and nearly the least data",
    .pipelined = true,
    .chunks = chunks,
    .steps = steps,
    .step = step,
    .like = like,
    .state = state,
};
