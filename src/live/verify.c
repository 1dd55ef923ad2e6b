/* verify.c -- whole numbers in, exact sums out. Whole numbers up to 256 are exact in bf16,
 * whose significand has the fewest bits, so that neither the format nor the order of sums
 * matters: at most MOST ranks have something else than 0 in an element. */
#include "live/verify.h"

#include <string.h>

enum { TURNS = 13, MOST = 19 }; // values are 1 to 13, which repeat: shifted data shows

/* Every so manieth rank counts in an element. */
static size_t stride_of(int ranks)
{
    return ((size_t)ranks + MOST - 1) / MOST;
}

static float value(int rank, int ranks, size_t e)
{
    const size_t stride = stride_of(ranks), at = (size_t)rank + e;
    return at % stride == 0 ? (float)(1 + (at / stride + (size_t)rank) % TURNS) : 0;
}

static float sum_of(int ranks, size_t e)
{
    const size_t stride = stride_of(ranks);
    float sum = 0;
    for (size_t r = (stride - e % stride) % stride; r < (size_t)ranks; r += stride)
        sum += value((int)r, ranks, e);
    return sum;
}

void dts_live_fill(struct dts_live_rank *rank)
{
    const struct dts_plan *plan = &rank->role->plan;
    for (int b = 0; b < plan->buffer_count; b++)
        for (size_t e = 0; e < plan->buffers[b].count; e++)
            rank->buffers[b][e] = value(rank->rank, rank->role->count, e);
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
            float got = rank->buffers[span->buffer][e], want = sum_of(role->count, e);
            if (got != want)
                return dts_fail(
                    err, DTS_SYSTEM, "rank %d: \"%s\" left %g in element %zu, must be %g",
                    rank->rank, role->plan.ops[o].label, (double)got, e, (double)want);
        }
        *checked += span != NULL ? span->count : 0;
    }
    return true;
}
