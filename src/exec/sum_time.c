/* sum_time.c -- the clock of a sum of gradients. */
#include "exec/sum_time.h"

#include <stdint.h>
#include <stdlib.h>

#include "ops/reduce.h"

struct trial {
    const struct dts_kernel_timer *timer;
    void *sum, *more; // zeros
    size_t count, bytes;
};

static void flush(void *argument)
{
    const struct trial *t = argument;
    dts_kernel_timer_flush(t->timer, 2 * t->bytes);
    dts_kernel_timer_refresh(t->more, t->bytes);
}

static void add(void *argument)
{
    const struct trial *t = argument;
    if (t->timer->mixed)
        dts_reduce_add_half(t->timer->half, t->sum, t->more, t->count, t->timer->workers);
    else
        dts_reduce_add(t->sum, t->more, t->count, t->timer->workers);
}

bool dts_sum_time(const struct dts_kernel_timer *timer, size_t count,
                  struct dts_kernel_times *out, struct dts_error *err)
{
    const size_t bytes = count * (timer->mixed ? sizeof(uint16_t) : sizeof(float));
    struct trial t = {.timer = timer, .count = count, .bytes = bytes};
    struct dts_meter meter = timer->meter;
    meter.prepare = flush;
    t.sum = dts_kernel_timer_array(bytes);
    t.more = dts_kernel_timer_array(bytes);
    const bool good = t.sum != NULL && t.more != NULL;
    if (good)
        dts_measure_more(&meter, add, &t, &out->forward);
    else
        dts_fail(err, DTS_SYSTEM, "no memory to time a sum of %zu values in", count);
    out->bytes = 2 * bytes;
    free(t.sum);
    free(t.more);
    return good;
}
