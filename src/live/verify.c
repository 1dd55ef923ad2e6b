/* verify.c -- whole numbers in, exact sums out. Whole numbers below 2^24 are exact in fp32, so
 * that the order of the sums does not matter. */
#include "live/verify.h"

#include <string.h>

enum { TURNS = 13 }; // values repeat after so many elements: shifted data shows

static float value(int rank, size_t e)
{
    return (float)((rank + 1) * (int)(e % TURNS + 1));
}

/* Over ranks first .. first + count - 1. */
static float sum_of(int first, int count, size_t e)
{
    float ranks = (float)(count * (2 * first + count + 1) / 2);
    return ranks * (float)(e % TURNS + 1);
}

void dts_live_fill(struct dts_live_rank *rank)
{
    const struct dts_plan *plan = &rank->role->plan;
    for (int b = 0; b < plan->buffer_count; b++)
        for (size_t e = 0; e < plan->buffers[b].count; e++)
            rank->buffers[b][e] = value(rank->rank, e);
}

void dts_live_clear(struct dts_live_rank *rank)
{
    const struct dts_plan *plan = &rank->role->plan;
    for (int b = 0; b < plan->buffer_count; b++)
        memset(rank->buffers[b], 0, plan->buffers[b].count * sizeof(float));
}

/* Of the operation's data all ranks of the role hold the sum; NULL: not of this operation's. */
static const struct dts_span *summed(const struct dts_role *role, const struct dts_op *op)
{
    bool whole = op->kind == DTS_OP_COLLECTIVE && op->collective.shape.kind == DTS_ALLREDUCE &&
                 op->collective.group.size == role->count;
    if (whole)
        return &op->collective.data;
    bool pulled =
        op->kind == DTS_OP_EXCHANGE && dts_stream_is_pull(op->stream) && !op->exchange.send;
    return pulled ? &op->exchange.data : NULL;
}

bool dts_live_check(const struct dts_job *job, const struct dts_live_rank *rank,
                    size_t *checked, struct dts_error *err)
{
    const struct dts_role *role = rank->role;
    *checked = 0;
    if (role != &job->roles[0])
        return true;
    for (int o = 0; o < role->plan.op_count; o++) {
        const struct dts_span *span = summed(role, &role->plan.ops[o]);
        for (size_t i = 0; span != NULL && i < span->count; i++) {
            size_t e = span->first + i;
            float got = rank->buffers[span->buffer][e], want = sum_of(0, role->count, e);
            if (got != want)
                return dts_fail(
                    err, DTS_SYSTEM, "rank %d: \"%s\" left %g in element %zu, must be %g",
                    rank->rank, role->plan.ops[o].label, (double)got, e, (double)want);
        }
        *checked += span != NULL ? span->count : 0;
    }
    return true;
}
