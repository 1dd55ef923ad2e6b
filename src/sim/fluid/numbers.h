/* numbers.h -- a list of numbers that grows. Empty: {0}. */
#ifndef DTS_SIM_FLUID_NUMBERS_H
#define DTS_SIM_FLUID_NUMBERS_H

#include <string.h>

#include "base/mem.h"

struct dts_numbers {
    int *all; // owned
    size_t count, room;
};

static inline void dts_numbers_insert(struct dts_numbers *n, size_t place, int number)
{
    n->all = dts_grow(n->all, &n->room, n->count + 1, sizeof(*n->all));
    memmove(&n->all[place + 1], &n->all[place], (n->count++ - place) * sizeof(*n->all));
    n->all[place] = number;
}

static inline void dts_numbers_add(struct dts_numbers *n, int number)
{
    if (n->count == n->room)
        n->all = dts_grow(n->all, &n->room, n->count + 1, sizeof(*n->all));
    n->all[n->count++] = number;
}

static inline void dts_numbers_take_out(struct dts_numbers *n, size_t place)
{
    memmove(&n->all[place], &n->all[place + 1], (--n->count - place) * sizeof(*n->all));
}

/* Of any numbers, those that are there first of all. */
static inline void dts_numbers_set_count(struct dts_numbers *n, size_t count)
{
    n->all = dts_grow(n->all, &n->room, count, sizeof(*n->all));
    n->count = count;
}

#endif
