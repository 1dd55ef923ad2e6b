/* flows.c -- what time passes for: flows, and lanes whose time runs. Most flows wait for their
 * other side, so those under way are a list of its own.
 */
#include <math.h>

#include "base/mem.h"
#include "sim/fluid/fluid.h"

/* Negative: a comes before b. */
static int order(const struct fluid_flow *a, const struct fluid_flow *b)
{
    const int x[] = {a->sender, a->receiver, a->step, a->channel, a->transport};
    const int y[] = {b->sender, b->receiver, b->step, b->channel, b->transport};
    for (int i = 0; i < 5; i++)
        if (x[i] != y[i])
            return x[i] < y[i] ? -1 : 1;
    return 0;
}

/* The first in a sorted list that does not come before this one. */
static size_t place_of(const struct fluid *f, const struct dts_numbers *sorted,
                       const struct fluid_flow *wanted)
{
    size_t low = 0, high = sorted->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (order(&f->flows[sorted->all[middle]], wanted) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

struct fluid_flow *dts_fluid_add_flow(struct fluid *f, const struct fluid_flow *flow)
{
    size_t number = f->flow_count;
    if (f->free_flows.count > 0)
        number = (size_t)f->free_flows.all[--f->free_flows.count];
    else
        f->flows = dts_grow(f->flows, &f->flow_room, ++f->flow_count, sizeof(*f->flows));
    f->flows[number] = *flow;
    return &f->flows[number];
}

struct fluid_flow *dts_fluid_meet_flow(struct fluid *f, const struct fluid_flow *wanted)
{
    const struct dts_numbers *known = &f->exchanges;
    size_t place = place_of(f, known, wanted);
    if (place < known->count && order(&f->flows[known->all[place]], wanted) == 0)
        return &f->flows[known->all[place]];
    struct fluid_flow *new = dts_fluid_add_flow(f, wanted);
    dts_numbers_insert(&f->exchanges, place, (int)(new - f->flows));
    return new;
}

void dts_fluid_begin_flow(struct fluid *f, const struct fluid_flow *flow)
{
    const int number = (int)(flow - f->flows);
    f->flows[number].repetition_s = f->flows[number].unslowed_s = 1; // of latency
    f->flows[number].bytes_per_s = NAN;
    dts_numbers_insert(&f->going, place_of(f, &f->going, flow), number);
    f->wire_changed = true;
}

void dts_fluid_forget_flow(struct fluid *f, const struct fluid_flow *flow)
{
    if (flow->receiver >= 0)
        dts_numbers_take_out(&f->exchanges, place_of(f, &f->exchanges, flow));
    dts_numbers_add(&f->free_flows, (int)(flow - f->flows));
}

void dts_fluid_time_lane(struct fluid *f, const struct lane *lane)
{
    const int number = (int)(lane - f->lanes);
    size_t place = f->timed.count;
    while (place > 0 && f->timed.all[place - 1] > number)
        place--;
    dts_numbers_insert(&f->timed, place, number);
}
