/* alarms.c -- a heap of times; of equal ones, the one that was set first. */
#include "sim/alarms.h"

#include <math.h>
#include <stdbool.h>

#include "base/mem.h"

static bool rings_before(const struct dts_alarm *a, const struct dts_alarm *b)
{
    return a->at_s < b->at_s || (a->at_s == b->at_s && a->order < b->order);
}

void dts_alarm_set(struct dts_alarms *a, double at_s, int member, int letter)
{
    struct dts_alarm alarm = {at_s, a->set++, member, letter};
    int place = a->count++;
    a->heap = dts_grow(a->heap, &a->room, (size_t)a->count, sizeof(*a->heap));
    for (; place > 0 && rings_before(&alarm, &a->heap[(place - 1) / 2]);
         place = (place - 1) / 2)
        a->heap[place] = a->heap[(place - 1) / 2];
    a->heap[place] = alarm;
}

double dts_alarm_next(const struct dts_alarms *a)
{
    return a->count > 0 ? a->heap[0].at_s : INFINITY;
}

struct dts_alarm dts_alarm_take(struct dts_alarms *a)
{
    struct dts_alarm first = a->heap[0], last = a->heap[--a->count];
    int place = 0;
    for (;;) {
        int below = 2 * place + 1;
        if (below + 1 < a->count && rings_before(&a->heap[below + 1], &a->heap[below]))
            below++;
        if (below >= a->count || !rings_before(&a->heap[below], &last))
            break;
        a->heap[place] = a->heap[below];
        place = below;
    }
    a->heap[place] = last;
    return first;
}
