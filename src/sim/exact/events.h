/* events.h -- what the engine `exact` does at simulated times beside SimGrid's own events. */
#ifndef DTS_SIM_EXACT_EVENTS_H
#define DTS_SIM_EXACT_EVENTS_H

#include <stdbool.h>

#include "sim/heap.h"

/* Calls call(self, what) at a simulated time; at once, if that is in the past. */
void dts_exact_call_at(struct dts_heap *events, double at_s, void (*call)(void *self, int what),
                       void *self, int what);

/* Carries out the events that are due. Returns false when none was. */
bool dts_exact_call_due(struct dts_heap *events);

#endif
