/* dates.c -- a queue of dates in which each lane and each message is at most once. */
#include <math.h>

#include "sim/flow/queue.h"

static int *place_of(struct dts_flow *f, int who)
{
    return who >= 0 ? &f->dates.place_of_lane[who] : &f->messages[~who].place;
}

void dts_flow_date_set(struct dts_flow *f, int who, double at_s)
{
    const struct dts_flow_entry date = {at_s, f->dates.set++, who};
    const int place = *place_of(f, who);
    if (place == DTS_FLOW_NONE)
        dts_flow_queue_add(&f->dates.queue, f, place_of, date);
    else
        dts_flow_queue_settle(&f->dates.queue, f, place_of, place, date);
}

void dts_flow_date_clear(struct dts_flow *f, int who)
{
    if (*place_of(f, who) == DTS_FLOW_NONE)
        return;
    dts_flow_queue_remove(&f->dates.queue, f, place_of, who);
    *place_of(f, who) = DTS_FLOW_NONE;
}

double dts_flow_date_next(const struct dts_flow *f)
{
    return f->dates.queue.count > 0 ? f->dates.queue.heap[0].at : INFINITY;
}

bool dts_flow_dates_due(struct dts_flow *f)
{
    bool any = false;
    for (; dts_flow_date_next(f) <= f->until_s; any = true) {
        const int who = f->dates.queue.heap[0].who;
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
