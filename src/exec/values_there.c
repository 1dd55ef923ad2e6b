/* values_there.c -- kernels on a queue, and a wait for them. */
#include "exec/values_there.h"

#include "ops/place.h"

/* Kernels are called between begin and finish. */
static const struct dts_place_values *begin(struct dts_space *space, int queue,
                                            struct dts_place *place)
{
    *place = dts_space_queue(space, queue);
    dts_space_enter(space);
    return dts_place_values(place);
}

static void finish(struct dts_space *space, int queue)
{
    dts_space_leave(space);
    dts_space_wait_for(space, queue);
}

void dts_there_narrow(struct dts_space *space, int queue, enum dts_half half, uint16_t *out,
                      float *values, size_t count, bool round)
{
    struct dts_place place;
    const struct dts_place_values *kernels = begin(space, queue, &place);
    kernels->narrow(half, out, values, count, &place);
    if (round)
        kernels->widen(half, values, out, count, &place);
    finish(space, queue);
}

void dts_there_widen(struct dts_space *space, int queue, enum dts_half half, float *out,
                     const uint16_t *x, size_t count)
{
    struct dts_place place;
    begin(space, queue, &place)->widen(half, out, x, count, &place);
    finish(space, queue);
}

void dts_there_round(struct dts_space *space, int queue, enum dts_half half, float *values,
                     size_t count)
{
    struct dts_place place;
    begin(space, queue, &place)->round(half, values, values, count, &place);
    finish(space, queue);
}

void dts_there_copy(struct dts_space *space, int queue, void *to, const void *from,
                    size_t bytes)
{
    struct dts_place place;
    begin(space, queue, &place)->copy(to, from, bytes, &place);
    finish(space, queue);
}

void dts_there_add(struct dts_space *space, int queue, float *sum, const float *more,
                   size_t count)
{
    struct dts_place place;
    begin(space, queue, &place)->add(sum, more, count, &place);
    finish(space, queue);
}

void dts_there_add_widened(struct dts_space *space, int queue, enum dts_half half, float *sum,
                           const uint16_t *more, size_t count)
{
    struct dts_place place;
    begin(space, queue, &place)->add_widened(half, sum, more, count, &place);
    finish(space, queue);
}

void dts_there_add_doubles(struct dts_space *space, int queue, double *sum, const double *more,
                           size_t count)
{
    struct dts_place place;
    begin(space, queue, &place)->add_doubles(sum, more, count, &place);
    finish(space, queue);
}
