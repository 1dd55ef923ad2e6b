/* events.c -- events of the engine `exact`, on SimGrid's clock. */
#include "sim/exact/events.h"

#include <math.h>

#include <simgrid/engine.h>

void dts_exact_call_at(struct dts_heap *events, double at_s, void (*call)(void *self, int what),
                       void *self, int what)
{
    dts_heap_add(events, (struct dts_heap_event){.at_s = fmax(at_s, simgrid_get_clock()),
                                                 .call = call,
                                                 .self = self,
                                                 .what = what});
}

bool dts_exact_call_due(struct dts_heap *events)
{
    double now = simgrid_get_clock();
    bool called = false;
    while (dts_heap_next(events) <= now) {
        struct dts_heap_event event = dts_heap_take(events);
        event.call(event.self, event.what);
        called = true;
    }
    return called;
}
