/* heap.h -- events in the order of their times; events of equal times in the order in which
 * they were added.
 */
#ifndef DTS_SIM_HEAP_H
#define DTS_SIM_HEAP_H

#include <stddef.h>
#include <stdint.h>

struct dts_heap_event {
    double at_s;
    uint64_t number; // of the event among all that were added

    /* The caller's: whom the event concerns, and what happens. */
    void (*call)(void *self, int what);
    void *self;
    int member, what;
};

/* Empty: {0}. */
struct dts_heap {
    struct dts_heap_event *events; // owned: dts_heap_free(); the first event on top
    size_t count, room;
    uint64_t added; // how many were added so far
};

/* Adds an event; the heap sets its number. */
void dts_heap_add(struct dts_heap *heap, struct dts_heap_event event);

/* The time of the first event; INFINITY: the heap is empty. */
double dts_heap_next(const struct dts_heap *heap);

/* Takes the first event away. The heap must not be empty. */
struct dts_heap_event dts_heap_take(struct dts_heap *heap);

void dts_heap_free(struct dts_heap *heap); // leaves it empty

#endif
