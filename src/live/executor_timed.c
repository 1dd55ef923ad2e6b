/* executor_timed.c -- kernels are replayed by waiting for as long as they were predicted to
 * take; or, to check sums, by nothing.
 *
 * A server's weights become the sum of the gradients: enough to see that every message arrived.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/os/clock.h"
#include "live/executor.h"
#include "live/timed_wait.h"
#include "live/values.h"

static bool open_timed(const struct dts_executor_rank *rank, void **self, struct dts_error *err)
{
    (void)err;
    *self = dts_alloc(1, sizeof(*rank));
    memcpy(*self, rank, sizeof(*rank));
    return true;
}

/* Weights that leave a server are those of the bucket that was summed before. */
static void update(const struct dts_executor_rank *rank, int bucket)
{
    const struct dts_plan *plan = &rank->role->plan;
    const struct dts_span *sum = NULL, *weights = NULL;
    for (int o = 0; o < plan->op_count; o++)
        if (plan->ops[o].kind == DTS_OP_EXCHANGE && plan->ops[o].bucket == bucket) {
            const struct dts_exchange *x = &plan->ops[o].exchange;
            *(x->send ? &weights : &sum) = &x->data;
        }
    if (sum == NULL || weights == NULL)
        return;
    const size_t bytes = dts_values_real(plan->buffers[sum->buffer].element_bytes);
    memcpy((char *)rank->buffers[weights->buffer] + weights->first * bytes,
           (const char *)rank->buffers[sum->buffer] + sum->first * bytes, sum->count * bytes);
}

static double call(void *self, const struct dts_op *op, int step, double due_s)
{
    (void)step;
    if (op->call.pass == DTS_AGGREGATE)
        update(self, op->bucket);
    const double end_s = dts_timed_wait(&(struct dts_sleeper){0}, due_s, op->call.seconds);
    return op->call.pass == DTS_AGGREGATE ? fmax(end_s, dts_now_s()) : end_s;
}

static double call_instant(void *self, const struct dts_op *op, int step, double due_s)
{
    (void)step;
    if (op->call.pass == DTS_AGGREGATE)
        update(self, op->bucket);
    return fmax(due_s, dts_now_s());
}

const struct dts_executor dts_executor_timed = {
    .name = "timed",
    .summary = "waits for the time that each kernel was predicted to take",
    .open = open_timed,
    .call = call,
    .close = free,
};

const struct dts_executor dts_executor_instant = {
    .name = "instant",
    .summary = "computes nothing, waits for nothing",
    .open = open_timed,
    .call = call_instant,
    .close = free,
};
