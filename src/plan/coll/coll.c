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
extern const struct dts_coll dts_coll_sharp;
extern const struct dts_coll dts_coll_mpi;

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
    &dts_coll_sharp,
    &dts_coll_mpi,
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

bool dts_coll_fits(const struct dts_coll *coll, const struct dts_coll_shape *shape,
                   const char **why)
{
    *why = unsound(shape);
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
    };
    if (size < 2)
        return 0;
    return kind == DTS_BROADCAST ? 1 : factors[kind] * (size - 1) / size;
}

void dts_coll_share(const struct dts_coll *coll, const struct dts_coll_shape *shape, int member,
                    int *first, int *count)
{
    *count = coll->chunks(shape) / shape->size;
    *first = member * *count;
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
