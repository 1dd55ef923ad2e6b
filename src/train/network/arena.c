/* arena.c -- offsets for arrays with lifetimes, the largest first. */
#include <stdbool.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/sizes.h"
#include "train/network/arena.h"

static size_t aligned(size_t bytes)
{
    return (bytes + DTS_ARENA_ALIGN - 1) / DTS_ARENA_ALIGN * DTS_ARENA_ALIGN;
}

static int larger_first(const void *left, const void *right)
{
    const struct dts_lease *a = *(struct dts_lease *const *)left;
    const struct dts_lease *b = *(struct dts_lease *const *)right;
    if (a->bytes != b->bytes)
        return a->bytes > b->bytes ? -1 : 1;
    return a < b ? -1 : a > b; // both point into one list
}

static bool meet(const struct dts_lease *a, const struct dts_lease *b)
{
    return a->birth <= b->death && b->birth <= a->death;
}

/* The lowest offset at which the lease is in nobody's way; `placed` are sorted by offset. */
static void find_place(struct dts_lease *lease, struct dts_lease **placed, int count)
{
    lease->offset = 0;
    for (int i = 0; i < count; i++) {
        if (!meet(lease, placed[i]))
            continue;
        if (lease->offset + aligned(lease->bytes) <= placed[i]->offset)
            return; // fits into the hole before it
        const size_t end = placed[i]->offset + aligned(placed[i]->bytes);
        lease->offset = end > lease->offset ? end : lease->offset;
    }
}

size_t dts_arena_place(struct dts_lease *leases, int count)
{
    struct dts_lease **order = dts_alloc((size_t)count + 1, sizeof(struct dts_lease *));
    struct dts_lease **placed = dts_alloc((size_t)count + 1, sizeof(struct dts_lease *));
    size_t size = 0;
    for (int i = 0; i < count; i++)
        order[i] = &leases[i];
    qsort(order, (size_t)count, sizeof(struct dts_lease *), larger_first);
    for (int i = 0; i < count; i++) {
        find_place(order[i], placed, i);
        int at = i;
        for (; at > 0 && placed[at - 1]->offset > order[i]->offset; at--)
            placed[at] = placed[at - 1];
        placed[at] = order[i];
        const size_t end = order[i]->offset + aligned(order[i]->bytes);
        size = end > size ? end : size;
    }
    free(order);
    free(placed);
    return size;
}

static int by_offset(const void *left, const void *right)
{
    const struct dts_lease *a = left, *b = right;
    return a->offset < b->offset ? -1 : a->offset > b->offset;
}

void dts_arena_sort(struct dts_lease *leases, int count)
{
    qsort(leases, (size_t)count, sizeof(*leases), by_offset);
}

static bool within(const struct dts_lease *place, int moment)
{
    return place->birth < moment && moment < place->death;
}

size_t dts_arena_used_between(const struct dts_lease *leases, int count,
                              const struct dts_lease *place)
{
    const size_t end = place->offset + place->bytes;
    size_t used = 0, from = place->offset;
    for (int i = 0; i < count; i++) {
        const struct dts_lease *other = &leases[i];
        if (!within(place, other->birth) && !within(place, other->death))
            continue;
        const size_t to = dts_least(other->offset + other->bytes, end);
        from = other->offset > from ? other->offset : from;
        if (from >= to)
            continue;
        used += to - from;
        from = to;
    }
    return used;
}
