/* dates.c -- a heap of dates in which each lane and each message is at most once. */
#include <math.h>

#include "base/mem.h"
#include "sim/flow/flow.h"

enum { CHILDREN = 4 };

static bool before(const struct dts_flow_date *a, const struct dts_flow_date *b)
{
    return a->at_s < b->at_s || (a->at_s == b->at_s && a->order < b->order);
}

static int *place_of(struct dts_flow *f, int who)
{
    return who >= 0 ? &f->dates.place_of_lane[who] : &f->messages[~who].place;
}

static void put(struct dts_flow *f, int place, struct dts_flow_date date)
{
    f->dates.heap[place] = date;
    *place_of(f, date.who) = place;
}

/* Put a date where a place is free: up while it is before its parent, down while a child is
 * before it. */
static void settle_at(struct dts_flow *f, int place, struct dts_flow_date date)
{
    const struct dts_flow_date *heap = f->dates.heap;
    const int count = f->dates.count;
    for (; place > 0 && before(&date, &heap[(place - 1) / CHILDREN]);
         place = (place - 1) / CHILDREN)
        put(f, place, heap[(place - 1) / CHILDREN]);
    for (;;) {
        const int first = CHILDREN * place + 1;
        int least = first;
        if (first >= count)
            break;
        for (int c = first + 1; c < first + CHILDREN && c < count; c++)
            if (before(&heap[c], &heap[least]))
                least = c;
        if (!before(&heap[least], &date))
            break;
        put(f, place, heap[least]);
        place = least;
    }
    put(f, place, date);
}

void dts_flow_date_set(struct dts_flow *f, int who, double at_s)
{
    struct dts_flow_dates *d = &f->dates;
    int place = *place_of(f, who);
    const struct dts_flow_date date = {at_s, d->set++, who};
    if (place == DTS_FLOW_NONE) {
        place = d->count++;
        d->heap = dts_grow(d->heap, &d->room, (size_t)d->count, sizeof(*d->heap));
    }
    settle_at(f, place, date);
}

void dts_flow_date_clear(struct dts_flow *f, int who)
{
    struct dts_flow_dates *d = &f->dates;
    const int place = *place_of(f, who);
    if (place == DTS_FLOW_NONE)
        return;
    *place_of(f, who) = DTS_FLOW_NONE;
    const struct dts_flow_date last = d->heap[--d->count];
    if (place < d->count)
        settle_at(f, place, last);
}

double dts_flow_date_next(const struct dts_flow *f)
{
    return f->dates.count > 0 ? f->dates.heap[0].at_s : INFINITY;
}

bool dts_flow_dates_due(struct dts_flow *f)
{
    bool any = false;
    for (; dts_flow_date_next(f) <= f->until_s; any = true) {
        const int who = f->dates.heap[0].who;
        dts_flow_date_clear(f, who);
        if (who >= 0 && f->lanes[who].server != NULL)
            dts_flow_serve_due(f, who);
        else if (who >= 0)
            dts_flow_lane_wake(f, who);
        else
            dts_flow_message_due(f, ~who);
        dts_flow_lanes_go_on(f);
    }
    return any;
}
