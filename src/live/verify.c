/* verify.c -- whole numbers in, exact sums out. Whole numbers up to 256 are exact in bf16,
 * whose significand has the fewest bits, so that neither the format nor the order of sums
 * matters: at most MOST ranks have something else than 0 in an element. */
#include "live/verify.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "live/values.h"

enum { TURNS = 13, MOST = 19 }; // values are 1 to 13, which repeat: shifted data shows

/* Every so manieth rank counts in an element. */
static size_t stride_of(int ranks)
{
    return ((size_t)ranks + MOST - 1) / MOST;
}

static double value(int rank, int ranks, size_t e)
{
    const size_t stride = stride_of(ranks), at = (size_t)rank + e;
    return at % stride == 0 ? (double)(1 + (at / stride + (size_t)rank) % TURNS) : 0;
}

static double sum_of(int ranks, size_t e)
{
    const size_t stride = stride_of(ranks);
    double sum = 0;
    for (size_t r = (stride - e % stride) % stride; r < (size_t)ranks; r += stride)
        sum += value((int)r, ranks, e);
    return sum;
}

static bool has_doubles(const struct dts_live_rank *rank, int buffer)
{
    return rank->role->plan.buffers[buffer].element_bytes == sizeof(double);
}

static double get(const struct dts_live_rank *rank, int buffer, size_t e)
{
    const void *values = rank->buffers[buffer];
    return has_doubles(rank, buffer) ? ((const double *)values)[e]
                                     : (double)((const float *)values)[e];
}

void dts_live_fill(struct dts_live_rank *rank)
{
    const struct dts_plan *plan = &rank->role->plan;
    for (int b = 0; b < plan->buffer_count; b++)
        for (size_t e = 0; e < plan->buffers[b].count; e++)
            if (has_doubles(rank, b))
                ((double *)(void *)rank->buffers[b])[e] =
                    value(rank->rank, rank->role->count, e);
            else
                rank->buffers[b][e] = (float)value(rank->rank, rank->role->count, e);
}

void dts_live_clear(struct dts_live_rank *rank)
{
    const struct dts_plan *plan = &rank->role->plan;
    for (int b = 0; b < plan->buffer_count; b++)
        memset(rank->buffers[b], 0,
               plan->buffers[b].count * dts_values_real(plan->buffers[b].element_bytes));
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

/* How often each element is summed in a step: what is summed again is a sum of sums. */
static unsigned char **count_sums(const struct dts_role *role)
{
    const struct dts_plan *plan = &role->plan;
    unsigned char **times = dts_alloc((size_t)plan->buffer_count, sizeof(*times));
    for (int b = 0; b < plan->buffer_count; b++)
        times[b] = dts_alloc(plan->buffers[b].count, 1);
    for (int o = 0; o < plan->op_count; o++) {
        const struct dts_span *span = summed(role, &plan->ops[o]);
        for (size_t i = 0; span != NULL && i < span->count; i++)
            if (times[span->buffer][span->first + i] < 2)
                times[span->buffer][span->first + i]++;
    }
    return times;
}

static void free_counts(const struct dts_role *role, unsigned char **times)
{
    for (int b = 0; b < role->plan.buffer_count; b++)
        free(times[b]);
    free(times);
}

static bool check_span(const struct dts_live_rank *rank, const struct dts_op *op,
                       const struct dts_span *span, const unsigned char *times, size_t *checked,
                       struct dts_error *err)
{
    for (size_t e = span->first; e < span->first + span->count; e++) {
        double got = get(rank, span->buffer, e), want = sum_of(rank->role->count, e);
        if (times[e] > 1)
            continue;
        if (got != want)
            return dts_fail(err, DTS_SYSTEM,
                            "rank %d: \"%s\" left %g in element %zu, must be %g", rank->rank,
                            op->label, got, e, want);
        ++*checked;
    }
    return true;
}

bool dts_live_check(const struct dts_job *job, const struct dts_live_rank *rank,
                    size_t *checked, struct dts_error *err)
{
    const struct dts_role *role = rank->role;
    bool right = true;
    *checked = 0;
    if (role->kind != DTS_WORKER || job->roles[0].count < dts_job_workers(job))
        return true;
    unsigned char **times = count_sums(role);
    for (int o = 0; right && o < role->plan.op_count; o++) {
        const struct dts_op *op = &role->plan.ops[o];
        const struct dts_span *span = summed(role, op);
        if (span != NULL)
            right = check_span(rank, op, span, times[span->buffer], checked, err);
    }
    free_counts(role, times);
    return right;
}
