/* beside_time.c -- the clock of work beside the layers' calls. */
#include "exec/beside_time.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/pages.h"
#include "ops/reduce.h"
#include "train/calls.h"

struct trial {
    const struct dts_kernel_timer *timer;
    void *sum, *more; // more: NULL where sum is cleared
    size_t count, bytes;
};

static void flush(void *argument)
{
    const struct trial *t = argument;
    dts_kernel_timer_flush(t->timer, &t->timer->forward,
                           t->more != NULL ? 2 * t->bytes : t->bytes);
    if (t->more != NULL)
        dts_kernel_timer_refresh(t->more, t->bytes);
}

static void run(void *argument)
{
    const struct trial *t = argument;
    if (t->more == NULL)
        memset(t->sum, 0, t->bytes); // as the network does, whose gradients are floats
    else if (t->timer->mixed)
        dts_reduce_add_half(t->timer->half, t->sum, t->more, t->count, t->timer->workers);
    else
        dts_reduce_add(t->sum, t->more, t->count, t->timer->workers);
}

static bool is_clear(const struct dts_op_call *call)
{
    return strcmp(call->op, DTS_CALL_GRADIENT_CLEAR) == 0;
}

bool dts_is_beside(const struct dts_op_call *call)
{
    return is_clear(call) || strcmp(call->op, DTS_CALL_GRADIENT_SUM) == 0;
}

bool dts_beside_time(const struct dts_kernel_timer *timer, const struct dts_op_call *call,
                     int batch, struct dts_kernel_times *out, struct dts_error *err)
{
    const bool clears = is_clear(call), half = timer->mixed && !clears;
    const size_t values = dts_dims_elements(&call->output) * (clears ? 1 : (size_t)batch);
    const size_t bytes = values * (half ? sizeof(uint16_t) : sizeof(float));
    struct trial t = {.timer = timer, .count = values, .bytes = bytes};
    struct dts_meter meter = timer->meter;
    meter.prepare = flush;
    t.sum = dts_pages(bytes);
    t.more = clears ? NULL : dts_pages(bytes);
    const bool good = t.sum != NULL && (clears || t.more != NULL);
    if (good)
        dts_measure_more(&meter, run, &t, &out->forward);
    else
        dts_fail(err, DTS_SYSTEM, "no memory to time %s in", dts_op_call_key(call).chars);
    out->bytes = clears ? bytes : 2 * bytes;
    free(t.sum);
    free(t.more);
    return good;
}
