/* clock.c -- alarms of the engine `exact`: a binary heap. */
#include "sim/exact/clock.h"

#include <math.h>

#include <simgrid/engine.h>

#include "base/mem.h"

static bool before(const struct dts_alarm *a, const struct dts_alarm *b)
{
    return a->at_s < b->at_s || (a->at_s == b->at_s && a->number < b->number);
}

static void swap(struct dts_alarm *a, struct dts_alarm *b)
{
    struct dts_alarm kept = *a;
    *a = *b;
    *b = kept;
}

static void push(struct dts_clock *clock, struct dts_alarm alarm)
{
    clock->heap = dts_grow(clock->heap, &clock->room, clock->count + 1, sizeof(*clock->heap));
    size_t at = clock->count++;
    clock->heap[at] = alarm;
    for (; at > 0 && before(&clock->heap[at], &clock->heap[(at - 1) / 2]); at = (at - 1) / 2)
        swap(&clock->heap[at], &clock->heap[(at - 1) / 2]);
}

static struct dts_alarm pop(struct dts_clock *clock)
{
    struct dts_alarm *heap = clock->heap, first = heap[0];
    heap[0] = heap[--clock->count];
    for (size_t at = 0, child = 1; child < clock->count; at = child, child = 2 * at + 1) {
        if (child + 1 < clock->count && before(&heap[child + 1], &heap[child]))
            child++;
        if (!before(&heap[child], &heap[at]))
            break;
        swap(&heap[at], &heap[child]);
    }
    return first;
}

double dts_clock_next(const struct dts_clock *clock)
{
    return clock->count > 0 ? clock->heap[0].at_s : INFINITY;
}

bool dts_clock_ring(struct dts_clock *clock)
{
    double now = simgrid_get_clock();
    bool rang = false;
    while (dts_clock_next(clock) <= now) {
        struct dts_alarm alarm = pop(clock);
        alarm.ring(alarm.self, alarm.which);
        rang = true;
    }
    return rang;
}

void dts_clock_set(struct dts_clock *clock, double at_s, void (*ring)(void *self, int which),
                   void *self, int which)
{
    push(clock, (struct dts_alarm){.at_s = fmax(at_s, simgrid_get_clock()),
                                   .number = clock->next++,
                                   .ring = ring,
                                   .self = self,
                                   .which = which});
}
