/* kernel_timer.c -- caches as a step leaves them, on any device. */
#include "exec/kernel_timer.h"

#include <math.h>
#include <stdint.h>

#include "base/clock.h"

bool dts_kernel_timer_make(struct dts_kernel_timer *timer, const struct dts_meter *meter,
                           struct dts_space *space, enum dts_precision precision,
                           struct dts_error *err)
{
    struct dts_space_facts facts;
    dts_space_facts(space, &facts);
    *timer = (struct dts_kernel_timer){.meter = *meter, .space = space};
    timer->mixed = dts_precision_is_half(precision, &timer->half);
    timer->flush_bytes = facts.cache_bytes > 0 ? 2 * (size_t)facts.cache_bytes : 64u << 20;
    timer->around_bytes = SIZE_MAX;
    timer->forward = timer->backward = (struct dts_gap){1, DTS_FORGOTTEN_S};
    timer->pace = dts_space_pace(space);
    timer->meter.pace = timer->pace.take_s != NULL ? &timer->pace : NULL;
    return dts_space_get(space, timer->flush_bytes, &timer->flush, err);
}

void dts_kernel_timer_flush(const struct dts_kernel_timer *timer, const struct dts_gap *gap,
                            size_t own_bytes)
{
    const size_t rest = timer->around_bytes > own_bytes ? timer->around_bytes - own_bytes : 0;
    const size_t count = (size_t)fmin(gap->share * (double)rest, (double)timer->flush_bytes);
    const double begin_s = dts_now_s();
    dts_space_touch(timer->space, timer->flush, count);
    dts_space_wait(timer->space);
    while (dts_now_s() < begin_s + gap->seconds)
        continue; // a sleep would let the clock of the processor fall
}

void dts_kernel_timer_refresh(const struct dts_kernel_timer *timer, void *fresh, size_t bytes)
{
    if (fresh != NULL)
        dts_space_touch(timer->space, fresh, bytes);
    dts_space_wait(timer->space);
}

void dts_kernel_timer_free(struct dts_kernel_timer *timer)
{
    if (timer->space != NULL)
        dts_space_give_back(timer->space, timer->flush);
    *timer = (struct dts_kernel_timer){.flush = NULL};
}

bool dts_kernel_timer_works(const struct dts_kernel_timer *timer, struct dts_error *err)
{
    const struct dts_error trouble = dts_space_trouble(timer->space);
    return trouble.cause == DTS_NO_ERROR || dts_fail(err, trouble.cause, "%s", trouble.text);
}
