/* late.c -- a ring of weights. */
#include "train/network/late.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

void dts_late_open(struct dts_late *late, size_t count, int delay)
{
    *late = (struct dts_late){.count = count, .delay = delay};
    if (delay > 0)
        late->kept = dts_alloc(((size_t)delay + 1) * count, sizeof(*late->kept));
}

void dts_late_close(struct dts_late *late)
{
    free(late->kept);
    *late = (struct dts_late){0};
}

/* The weights before the update of a step. */
static float *of_step(const struct dts_late *late, long step)
{
    return late->kept + (size_t)(step % (late->delay + 1)) * late->count;
}

void dts_late_begin(struct dts_late *late, float *weights, long step)
{
    const size_t bytes = late->count * sizeof(*weights);
    if (late->delay == 0)
        return;
    memcpy(of_step(late, step), weights, bytes);
    memcpy(weights, of_step(late, step > late->delay ? step - late->delay : 0), bytes);
}

void dts_late_end(const struct dts_late *late, float *weights, long step)
{
    if (late->delay > 0)
        memcpy(weights, of_step(late, step), late->count * sizeof(*weights));
}
