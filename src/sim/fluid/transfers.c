/* transfers.c -- which transfers there are. Most of them wait for their other side: what
 * time passes for, those under way, is a list of its own.
 */
#include <math.h>

#include "base/mem.h"
#include "sim/fluid/fluid.h"

/* Negative: a comes before b. */
static int order(const struct transfer *a, const struct transfer *b)
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
                       const struct transfer *wanted)
{
    size_t low = 0, high = sorted->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (order(&f->transfers[sorted->all[middle]], wanted) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

struct transfer *dts_fluid_add_transfer(struct fluid *f, const struct transfer *transfer)
{
    size_t number = f->transfer_count;
    if (f->free_transfers.count > 0)
        number = (size_t)f->free_transfers.all[--f->free_transfers.count];
    else
        f->transfers = dts_grow(f->transfers, &f->transfer_room, ++f->transfer_count,
                                sizeof(*f->transfers));
    f->transfers[number] = *transfer;
    return &f->transfers[number];
}

struct transfer *dts_fluid_meet_transfer(struct fluid *f, const struct transfer *wanted)
{
    const struct dts_numbers *known = &f->exchanges;
    size_t place = place_of(f, known, wanted);
    if (place < known->count && order(&f->transfers[known->all[place]], wanted) == 0)
        return &f->transfers[known->all[place]];
    struct transfer *new = dts_fluid_add_transfer(f, wanted);
    dts_numbers_insert(&f->exchanges, place, (int)(new - f->transfers));
    return new;
}

void dts_fluid_begin_transfer(struct fluid *f, const struct transfer *transfer)
{
    const int number = (int)(transfer - f->transfers);
    f->transfers[number].unslowed_s = 1; // of latency
    f->transfers[number].bytes_per_s = NAN;
    dts_numbers_insert(&f->going, place_of(f, &f->going, transfer), number);
    f->wire_changed = true;
}

void dts_fluid_forget_transfer(struct fluid *f, const struct transfer *transfer)
{
    if (transfer->receiver >= 0)
        dts_numbers_take_out(&f->exchanges, place_of(f, &f->exchanges, transfer));
    dts_numbers_add(&f->free_transfers, (int)(transfer - f->transfers));
}
