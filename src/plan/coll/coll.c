/* coll.c -- the table of collective algorithms, and what they all have in common. */
#include "plan/coll/coll.h"

#include <assert.h>
#include <limits.h>
#include <math.h>
#include <string.h>

extern const struct dts_coll dts_coll_ring;
extern const struct dts_coll dts_coll_halving_doubling;
extern const struct dts_coll dts_coll_binary_blocks;
extern const struct dts_coll dts_coll_tree;
extern const struct dts_coll dts_coll_double_tree;
extern const struct dts_coll dts_coll_hierarchical;
extern const struct dts_coll dts_coll_recursive_doubling;
extern const struct dts_coll dts_coll_tree_of_nodes;
extern const struct dts_coll dts_coll_nvls;
extern const struct dts_coll dts_coll_nvls_tree;
extern const struct dts_coll dts_coll_pairwise;
extern const struct dts_coll dts_coll_scattered;
extern const struct dts_coll dts_coll_sharp;
extern const struct dts_coll dts_coll_mpi;
extern const struct dts_coll dts_coll_neighbors;

const struct dts_coll *const dts_colls[] = {
    &dts_coll_ring,
    &dts_coll_halving_doubling,
    &dts_coll_binary_blocks,
    &dts_coll_tree,
    &dts_coll_double_tree,
    &dts_coll_hierarchical,
    &dts_coll_recursive_doubling,
    &dts_coll_tree_of_nodes,
    &dts_coll_nvls,
    &dts_coll_nvls_tree,
    &dts_coll_pairwise,
    &dts_coll_scattered,
    &dts_coll_sharp,
    &dts_coll_mpi,
    &dts_coll_neighbors,
    // ends the table
    NULL,
};

const struct dts_coll *dts_coll_find(const char *name)
{
    for (int i = 0; dts_colls[i] != NULL; i++)
        if (strcmp(dts_colls[i]->name, name) == 0)
            return dts_colls[i];
    return NULL;
}

const char *dts_coll_name(int i)
{
    return dts_colls[i] != NULL ? dts_colls[i]->name : NULL;
}

static const char *unsound(const struct dts_coll_shape *shape)
{
    if (shape->size < 1)
        return "needs a member";
    if (shape->pieces < 1)
        return "needs at least one piece";
    if (shape->per_node < 1 || shape->size % shape->per_node != 0)
        return "needs the same number of members on each node";
    if (shape->shards < 1 || shape->per_node % shape->shards != 0)
        return "needs shards that divide the members of a node";
    if ((double)shape->size * shape->pieces > INT_MAX / 4)
        return "has too many pieces for so many members";
    return NULL;
}

const char *dts_coll_lacks(const struct dts_coll *coll, enum dts_coll_kind kind)
{
    static const char *const clauses[DTS_COLL_KINDS] = {
        [DTS_ALLREDUCE] = "does no all-reduce",
        [DTS_REDUCE_SCATTER] = "does no reduce-scatter",
        [DTS_ALLGATHER] = "does no all-gather",
        [DTS_BROADCAST] = "does no broadcast",
        [DTS_ALLTOALL] = "does no all-to-all (\"pairwise\" and \"scattered\" do)",
        [DTS_SHIFT] = "does no shift (\"ring\" does)",
        [DTS_HALO] = "does no halo (\"neighbors\" does)",
        [DTS_HALO_BEHIND] = "does no halo (\"neighbors\" does)",
        [DTS_HALO_BEFORE] = "does no halo (\"neighbors\" does)",
    };
    const unsigned kinds = coll->kinds != 0 ? coll->kinds : (1u << DTS_ALLTOALL) - 1;
    return kinds >> kind & 1 ? NULL : clauses[kind];
}

bool dts_coll_fits(const struct dts_coll *coll, const struct dts_coll_shape *shape,
                   const char **why)
{
    *why = unsound(shape);
    if (*why == NULL)
        *why = dts_coll_lacks(coll, shape->kind);
    return *why == NULL && (coll->fits == NULL || coll->fits(shape, why));
}

void dts_coll_span(size_t elements, int chunks, int first, int count, size_t *span_first,
                   size_t *span_count)
{
    assert(first >= 0 && count >= 0 && count <= chunks - first);
    size_t each = elements / (size_t)chunks, larger = elements % (size_t)chunks;
    size_t begin = (size_t)first, end = begin + (size_t)count;

    *span_first = begin * each + (begin < larger ? begin : larger);
    *span_count = end * each + (end < larger ? end : larger) - *span_first;
}

double dts_coll_bus_factor(enum dts_coll_kind kind, int size)
{
    static const double factors[DTS_COLL_KINDS] = {
        [DTS_ALLREDUCE] = 2,
        [DTS_REDUCE_SCATTER] = 1,
        [DTS_ALLGATHER] = 1,
        [DTS_ALLTOALL] = 1,
    };
    if (size < 2)
        return 0;
    if (kind == DTS_HALO)
        return size > 2 ? 1 : 0.5;
    const bool whole = kind == DTS_BROADCAST || kind >= DTS_SHIFT;
    return whole ? 1 : factors[kind] * (size - 1) / size;
}

void dts_coll_share(const struct dts_coll *coll, const struct dts_coll_shape *shape, int member,
                    int *first, int *count)
{
    *count = coll->chunks(shape) / shape->size;
    *first = member * *count;
}

/* Both the node and the place in it go on by their part of k, cyclic. */
static int from_on(const struct dts_coll_shape *shape, int member, int nodes, int places)
{
    const int each = shape->per_node;
    const int node = (member / each + nodes) % (shape->size / each);
    return node * each + (member % each + places) % each;
}

int dts_coll_ahead(const struct dts_coll_shape *shape, int member, int k)
{
    return from_on(shape, member, k / shape->per_node, k % shape->per_node);
}

int dts_coll_behind(const struct dts_coll_shape *shape, int member, int k)
{
    const int each = shape->per_node;
    return from_on(shape, member, shape->size / each - k / each, each - k % each);
}

int dts_coll_part(const struct dts_coll_shape *shape, int from, int to)
{
    const int each = shape->per_node, nodes = shape->size / each;
    const int ahead = (to / each - from / each + nodes) % nodes;
    return ahead * each + (to % each - from % each + each) % each;
}

int dts_coll_common_multiple(int a, int b)
{
    if (b == 1 || a == b || a % b == 0) // nearly always; it is asked for each message
        return a;
    int divisor = a, rest = b;
    while (rest != 0) {
        int next = divisor % rest;
        divisor = rest;
        rest = next;
    }
    return a / divisor * b;
}

int dts_coll_pieces(double bytes, double piece_bytes)
{
    enum { MOST = 64 };
    double pieces = ceil(bytes / piece_bytes);
    return pieces < 1 ? 1 : pieces > MOST ? MOST : (int)pieces;
}
