/* beside_time.c -- the clock of work beside the layers' calls. */
#include "train/timing/beside_time.h"

#include <stdint.h>
#include <string.h>

#include "base/os/clock.h"
#include "kernels/reduce/reduce.h"
#include "train/model/calls.h"

struct trial {
    const struct dts_kernel_timer *timer;
    void *sum, *more; // more: NULL where sum is cleared
    size_t count, bytes;
};

static void flush(void *argument)
{
    const struct trial *t = argument;
    dts_kernel_timer_flush_last(t->timer, &t->timer->forward);
    const double since_s = dts_now_s();
    dts_kernel_timer_refresh(t->timer, t->more, t->bytes);
    dts_kernel_timer_ready(t->timer, since_s);
}

static void run(void *argument)
{
    const struct trial *t = argument;
    struct dts_space *space = t->timer->space;
    const struct dts_place *place = dts_space_place(space);
    dts_space_enter(space);
    if (t->more == NULL)
        dts_space_clear(space, t->sum,
                        t->bytes); // as the network's gradients, which are floats
    else if (t->timer->mixed)
        dts_reduce_add_half(t->timer->half, t->sum, t->more, t->count, place);
    else
        dts_reduce_add(t->sum, t->more, t->count, place);
    dts_space_leave(space);
    dts_space_wait(space);
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
    meter.between = dts_kernel_timer_is_closer(timer, &timer->forward) ? run : NULL;
    const bool good =
        dts_kernel_timer_get(timer, clears ? DTS_OF_GRADIENTS : DTS_OF_VALUES, bytes, &t.sum,
                             err) &&
        (clears || dts_kernel_timer_get(timer, DTS_OF_VALUES, bytes, &t.more, err));
    if (good)
        dts_measure_more(&meter, run, &t, &out->forward);
    out->bytes = clears ? bytes : 2 * bytes;
    dts_space_give_back(timer->space, t.sum);
    dts_space_give_back(timer->space, t.more);
    return good && dts_kernel_timer_works(timer, err);
}
