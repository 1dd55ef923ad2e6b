/* values_there.c -- kernels on a queue, and a wait for them. */
#include "train/network/values_there.h"

#include "kernels/place.h"
#include "kernels/reduce/reduce.h"

/* Kernels are called between begin and finish. */
static struct dts_place begin(struct dts_space *space, int queue)
{
    const struct dts_place place = dts_space_queue(space, queue);
    dts_space_enter(space);
    return place;
}

static void finish(struct dts_space *space, int queue)
{
    dts_space_leave(space);
    dts_space_wait_for(space, queue);
}

void dts_there_narrow(struct dts_space *space, int queue, enum dts_half half, uint16_t *out,
                      float *values, size_t count, bool round)
{
    const struct dts_place place = begin(space, queue);
    dts_reduce_narrow(half, out, values, count, &place);
    if (round)
        dts_reduce_widen(half, values, out, count, &place);
    finish(space, queue);
}

void dts_there_widen(struct dts_space *space, int queue, enum dts_half half, float *out,
                     const uint16_t *x, size_t count)
{
    const struct dts_place place = begin(space, queue);
    dts_reduce_widen(half, out, x, count, &place);
    finish(space, queue);
}

void dts_there_round(struct dts_space *space, int queue, enum dts_half half, float *values,
                     size_t count)
{
    const struct dts_place place = begin(space, queue);
    dts_reduce_round(half, values, values, count, &place);
    finish(space, queue);
}

void dts_there_copy(struct dts_space *space, int queue, void *to, const void *from,
                    size_t bytes)
{
    const struct dts_place place = begin(space, queue);
    dts_place_copy(to, from, bytes, &place);
    finish(space, queue);
}

void dts_there_add(struct dts_space *space, int queue, float *sum, const float *more,
                   size_t count)
{
    const struct dts_place place = begin(space, queue);
    dts_reduce_add(sum, more, count, &place);
    finish(space, queue);
}

void dts_there_add_widened(struct dts_space *space, int queue, enum dts_half half, float *sum,
                           const uint16_t *more, size_t count)
{
    const struct dts_place place = begin(space, queue);
    dts_reduce_add_widened(half, sum, more, count, &place);
    finish(space, queue);
}

void dts_there_add_doubles(struct dts_space *space, int queue, double *sum, const double *more,
                           size_t count)
{
    const struct dts_place place = begin(space, queue);
    dts_reduce_add_doubles(sum, more, count, &place);
    finish(space, queue);
}
