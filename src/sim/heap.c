/* heap.c -- a binary heap of events. */
#include "sim/heap.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/mem.h"

static bool before(const struct dts_heap_event *a, const struct dts_heap_event *b)
{
    return a->at_s < b->at_s || (a->at_s == b->at_s && a->number < b->number);
}

void dts_heap_add(struct dts_heap *h, struct dts_heap_event event)
{
    size_t place = h->count++;
    event.number = h->added++;
    h->events = dts_grow(h->events, &h->room, h->count, sizeof(*h->events));
    for (; place > 0 && before(&event, &h->events[(place - 1) / 2]); place = (place - 1) / 2)
        h->events[place] = h->events[(place - 1) / 2];
    h->events[place] = event;
}

double dts_heap_next(const struct dts_heap *h)
{
    return h->count > 0 ? h->events[0].at_s : INFINITY;
}

struct dts_heap_event dts_heap_take(struct dts_heap *h)
{
    struct dts_heap_event first = h->events[0], last = h->events[--h->count];
    size_t place = 0;
    for (;;) {
        size_t below = 2 * place + 1;
        if (below + 1 < h->count && before(&h->events[below + 1], &h->events[below]))
            below++;
        if (below >= h->count || !before(&h->events[below], &last))
            break;
        h->events[place] = h->events[below];
        place = below;
    }
    h->events[place] = last;
    return first;
}

void dts_heap_free(struct dts_heap *h)
{
    free(h->events);
    *h = (struct dts_heap){0};
}
