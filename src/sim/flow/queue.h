/* queue.h -- the first of many, where each of them knows its place, so that it can be moved or
 * taken out: dates (dates.c), and messages of a link by what its clock shows (clock.c).
 *
 * In this header, so that the compiler sees what `place` does: a message costs several moves.
 */
#ifndef DTS_SIM_FLOW_QUEUE_H
#define DTS_SIM_FLOW_QUEUE_H

#include <stdint.h>

#include "base/mem.h"
#include "sim/flow/flow.h"

/* Where the number of its place is kept. */
typedef int *dts_flow_place_fn(struct dts_flow *flow, int who);

static inline bool dts_flow_entry_before(const struct dts_flow_entry *a,
                                         const struct dts_flow_entry *b)
{
    return a->at < b->at || (a->at == b->at && a->order < b->order);
}

/* Put an entry where a place is free: up while it is before its parent, down while a child is
 * before it. */
static inline void dts_flow_queue_settle(struct dts_flow_queue *q, struct dts_flow *f,
                                         dts_flow_place_fn *place_of, int place,
                                         struct dts_flow_entry entry)
{
    enum { CHILDREN = 4 };
    struct dts_flow_entry *heap = q->heap;
    for (int parent; place > 0; place = parent) {
        parent = (place - 1) / CHILDREN;
        if (!dts_flow_entry_before(&entry, &heap[parent]))
            break;
        heap[place] = heap[parent];
        *place_of(f, heap[place].who) = place;
    }
    for (int least; (least = CHILDREN * place + 1) < q->count; place = least) {
        const int end = least + CHILDREN;
        for (int c = least + 1; c < end && c < q->count; c++)
            if (dts_flow_entry_before(&heap[c], &heap[least]))
                least = c;
        if (!dts_flow_entry_before(&heap[least], &entry))
            break;
        heap[place] = heap[least];
        *place_of(f, heap[place].who) = place;
    }
    heap[place] = entry;
    *place_of(f, entry.who) = place;
}

/* Add an entry that is not there yet. */
static inline void dts_flow_queue_add(struct dts_flow_queue *q, struct dts_flow *f,
                                      dts_flow_place_fn *place_of, struct dts_flow_entry entry)
{
    q->heap = dts_grow(q->heap, &q->room, (size_t)q->count + 1, sizeof(*q->heap));
    q->count++;
    dts_flow_queue_settle(q, f, place_of, q->count - 1, entry);
}

/* Take out who is there. Its place stays as it was. */
static inline void dts_flow_queue_remove(struct dts_flow_queue *q, struct dts_flow *f,
                                         dts_flow_place_fn *place_of, int who)
{
    const int place = *place_of(f, who);
    const struct dts_flow_entry last = q->heap[--q->count];
    if (place < q->count)
        dts_flow_queue_settle(q, f, place_of, place, last);
}

#endif
