/* again.c -- which layers of a part run again before backward, for what was not kept. */
#include "train/model/again.h"
#include "base/mem.h"
#include "train/strategy/mesh/stage_private.h"

int dts_stage_last_again(const struct dts_point *point, int first, int last)
{
    const struct dts_model *m = &point->scenario->model;
    if (!point->scenario->stack.kernels.recompute_ends_early)
        return last;
    for (int l = last - 1; l > first; l--) {
        bool read = false;
        for (int r = l + 1; r <= last; r++)
            for (int k = 0; k < m->layers[r].input_count; k++)
                read = read || m->layers[r].inputs[k] == l;
        if (read && m->layers[l].cost.saved_values + m->layers[l].cost.saved_bytes > 0)
            return l;
    }
    return first;
}

struct dts_again *dts_mesh_repeats(const struct dts_point *point,
                                   const struct dts_mesh_division *d,
                                   const struct dts_part_of_model *part, int *count)
{
    const int layers = part->last - part->first + 1;
    struct dts_again *again = dts_alloc(layers > 0 ? (size_t)layers : 0, sizeof(*again));
    *count = 0;
    for (int first = part->first, last; first <= part->last; first = last + 1) {
        last = first;
        if (d->again[first].keeps == DTS_KEEPS_ENDS)
            again[(*count)++] = (struct dts_again){first, first, first, true};
        if (d->again[first].keeps != DTS_KEEPS_ENTRY)
            continue;
        while (last < part->last && d->again[last + 1].unit == d->again[first].unit)
            last++;
        again[(*count)++] =
            (struct dts_again){first, dts_stage_last_again(point, first, last), last, false};
    }
    return again;
}
