/* kernel_timer.c -- caches as a step leaves them, on any device. */
#include "train/timing/kernel_timer.h"

#include <math.h>
#include <stdint.h>

#include "base/os/clock.h"
#include "base/os/pages.h"

/* What the processor computes before a run; see the header. */
static const double least_awake_s = 5e-5, most_awake_s = 2e-3, share_awake = 0.25;

bool dts_kernel_timer_make(struct dts_kernel_timer *timer, const struct dts_meter *meter,
                           struct dts_space *space, enum dts_precision precision,
                           struct dts_error *err)
{
    struct dts_space_facts facts;
    dts_space_facts(space, &facts);
    *timer = (struct dts_kernel_timer){.meter = *meter, .space = space};
    timer->mixed = dts_precision_is_half(precision, &timer->half);
    timer->flush_bytes = facts.cache_bytes > 0 ? 2 * (size_t)facts.cache_bytes : 64u << 20;
    timer->weights_bytes = timer->values_bytes = SIZE_MAX;
    timer->forward = timer->backward = (struct dts_gap){INFINITY, DTS_FORGOTTEN_S};
    timer->before_update =
        (struct dts_gap){0, 0}; // what passes then is forgotten with all else
    timer->reuse = (struct dts_reuse){1, 1};
    timer->pace = dts_space_pace(space);
    timer->meter.pace = timer->pace.take_s != NULL ? &timer->pace : NULL;
    return dts_space_get(space, timer->flush_bytes, &timer->flush, err);
}

static size_t bytes_of(const struct dts_kernel_timer *timer, const struct dts_gap *gap)
{
    return (size_t)fmin(gap->bytes, (double)timer->flush_bytes);
}

bool dts_kernel_timer_forgets(const struct dts_kernel_timer *timer, const struct dts_gap *gap)
{
    return bytes_of(timer, gap) == timer->flush_bytes;
}

void dts_kernel_timer_flush(const struct dts_kernel_timer *timer, const struct dts_gap *gap)
{
    const size_t count = bytes_of(timer, gap);
    const double begin_s = dts_now_s();
    dts_space_touch(timer->space, timer->flush, count);
    dts_space_wait(timer->space);
    dts_kernel_timer_ready(timer, begin_s);
    while (dts_space_tires(timer->space) && dts_now_s() < begin_s + gap->seconds)
        dts_space_busy(timer->space);
}

/* What passes behind the last flush until the run. */
static double later_s(const struct dts_kernel_timer *timer)
{
    return least_awake_s + timer->pace.took_s;
}

void dts_kernel_timer_flush_last(const struct dts_kernel_timer *timer,
                                 const struct dts_gap *gap)
{
    const double seconds = fmax(gap->seconds - later_s(timer), 0);
    const struct dts_gap until_then = {gap->bytes, seconds};
    dts_kernel_timer_flush(timer, &until_then);
}

bool dts_kernel_timer_is_closer(const struct dts_kernel_timer *timer, const struct dts_gap *gap)
{
    return gap->seconds < later_s(timer) / 2;
}

void dts_kernel_timer_ready(const struct dts_kernel_timer *timer, double since_s)
{
    if (!dts_space_tires(timer->space))
        return;
    const double begin_s = dts_now_s();
    const double awake_s =
        fmin(fmax(share_awake * (begin_s - since_s), least_awake_s), most_awake_s);
    while (dts_now_s() < begin_s + awake_s)
        dts_space_busy(timer->space);
}

bool dts_kernel_timer_get(const struct dts_kernel_timer *timer, enum dts_kind_of_memory kind,
                          size_t bytes, void **there, struct dts_error *err)
{
    const size_t whole = kind != DTS_OF_VALUES ? timer->weights_bytes : timer->values_bytes;
    const bool large = whole >= dts_large_pages(1);
    return dts_space_get(timer->space, large ? dts_large_pages(bytes) : bytes, there, err);
}

void dts_kernel_timer_refresh(const struct dts_kernel_timer *timer, void *fresh, size_t bytes)
{
    if (fresh == NULL || bytes == 0)
        return;
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
