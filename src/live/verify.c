/* verify.c -- whole numbers in, exact sums out. Whole numbers up to 256 are exact in bf16,
 * whose significand has the fewest bits, so that neither the format nor the order of sums
 * matters: at most MOST ranks have something else than 0 in an element. */
#include "live/verify.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "live/values.h"
#include "plan/run.h"

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

/* Among workers of its role; what servers begin with is overwritten. */
static int number_of(const struct dts_live_rank *rank)
{
    return rank->rank - (rank->role->kind == DTS_WORKER ? rank->role->first : 0);
}

void dts_live_fill(struct dts_live_rank *rank)
{
    const struct dts_plan *plan = &rank->role->plan;
    const int number = number_of(rank);
    for (int b = 0; b < plan->buffer_count; b++)
        for (size_t e = 0; e < plan->buffers[b].count; e++)
            if (has_doubles(rank, b))
                ((double *)(void *)rank->buffers[b])[e] = value(number, rank->role->count, e);
            else
                rank->buffers[b][e] = (float)value(number, rank->role->count, e);
}

void dts_live_clear(struct dts_live_rank *rank)
{
    const struct dts_plan *plan = &rank->role->plan;
    for (int b = 0; b < plan->buffer_count; b++)
        memset(rank->buffers[b], 0,
               plan->buffers[b].count * dts_values_real(plan->buffers[b].element_bytes));
}

static bool is_moved(const struct dts_op *op)
{
    return op->kind == DTS_OP_COLLECTIVE && op->collective.shape.kind >= DTS_ALLTOALL;
}

/* The operation's data whose values are known: all ranks of the group, or from servers of the
 * role, hold the sum, or what another rank had. NULL: not of this operation's. */
static const struct dts_span *known(const struct dts_op *op, bool servers)
{
    bool summed = op->kind == DTS_OP_COLLECTIVE && op->collective.shape.kind == DTS_ALLREDUCE &&
                  !op->collective.of_share;
    if (summed || is_moved(op))
        return dts_op_arrives(op);
    bool pulled = servers && op->kind == DTS_OP_EXCHANGE && dts_stream_is_pull(op->stream) &&
                  !op->exchange.send;
    return pulled ? &op->exchange.data : NULL;
}

/* What else the operation may write; NULL: nothing. */
static const struct dts_span *unknown(const struct dts_op *op, bool servers)
{
    if (op->kind == DTS_OP_COLLECTIVE && known(op, servers) == NULL)
        return &op->collective.data;
    return op->kind == DTS_OP_EXCHANGE && !servers && !op->exchange.send ? &op->exchange.data
                                                                         : NULL;
}

static void count(unsigned char **times, const struct dts_span *span, int more)
{
    for (size_t i = 0; span != NULL && i < span->count; i++) {
        unsigned char *at = &times[span->buffer][span->first + i];
        *at = (unsigned char)(*at + more > 2 ? 2 : *at + more);
    }
}

/* How often each element is written in a step: what is summed again is a sum of sums. */
static unsigned char **count_writes(const struct dts_role *role, bool servers)
{
    const struct dts_plan *plan = &role->plan;
    unsigned char **times = dts_alloc((size_t)plan->buffer_count, sizeof(*times));
    for (int b = 0; b < plan->buffer_count; b++)
        times[b] = dts_alloc(plan->buffers[b].count, 1);
    for (int o = 0; o < plan->op_count; o++) {
        count(times, known(&plan->ops[o], servers), 1);
        count(times, unknown(&plan->ops[o], servers), 2);
    }
    return times;
}

static void free_counts(const struct dts_role *role, unsigned char **times)
{
    for (int b = 0; b < role->plan.buffer_count; b++)
        free(times[b]);
    free(times);
}

struct checking {
    const struct dts_live_rank *rank;
    unsigned char **times;
    size_t checked;
    struct dts_error *err;
};

static bool check_element(struct checking *c, const struct dts_op *op, int buffer, size_t e,
                          double want)
{
    const double got = get(c->rank, buffer, e);
    if (got != want)
        return dts_fail(c->err, DTS_SYSTEM,
                        "rank %d: \"%s\" left %g in element %zu, must be %g", c->rank->rank,
                        op->label, got, e, want);
    c->checked++;
    return true;
}

/* Of the rank's group, or of the role. */
static double expected(const struct checking *c, const struct dts_op *op, size_t e)
{
    const int count = c->rank->role->count, number = number_of(c->rank);
    const struct dts_group *group = &op->collective.group;
    double sum = 0;
    if (op->kind != DTS_OP_COLLECTIVE || group->size == count)
        return sum_of(count, e);
    const int first = number - number / group->stride % group->size * group->stride;
    for (int m = 0; m < group->size; m++)
        sum += value(first + m * group->stride, count, e);
    return sum;
}

static bool check_sums(struct checking *c, const struct dts_op *op, const struct dts_span *span)
{
    for (size_t e = span->first; e < span->first + span->count; e++)
        if (c->times[span->buffer][e] == 1 &&
            !check_element(c, op, span->buffer, e, expected(c, op, e)))
            return false;
    return true;
}

/* What member m of the rank's group had in `from`, unless something else is written there. */
static bool check_from(struct checking *c, const struct dts_op *op, int m,
                       const struct dts_span *from, size_t first)
{
    const struct dts_group *group = &op->collective.group;
    const struct dts_span *result = dts_op_arrives(op);
    const int in_role = c->rank->rank - c->rank->role->first;
    const int member = in_role / group->stride % group->size;
    const int rank = in_role + (m - member) * group->stride;
    const bool in_place = result == &op->collective.data;
    for (size_t i = 0; i < from->count; i++)
        if (c->times[result->buffer][first + i] == 1 &&
            c->times[from->buffer][from->first + i] == in_place &&
            !check_element(c, op, result->buffer, first + i,
                           value(rank, c->rank->role->count, from->first + i)))
            return false;
    return true;
}

/* Edges of the neighbours; at an end a member keeps its own. */
static bool check_halo(struct checking *c, const struct dts_op *op, int member)
{
    const struct dts_collective *x = &op->collective;
    const int chunks = x->algorithm->chunks(&x->shape);
    for (int channel = 0; channel < x->channels; channel++)
        for (int chunk = 0; chunk < chunks; chunk++) {
            const bool behind = x->shape.kind == DTS_HALO_BEFORE || chunk == 1;
            const int from = behind ? member + 1 : member - 1;
            const bool there = from >= 0 && from < x->group.size;
            size_t first, count;
            dts_coll_span(x->data.count, x->channels, channel, 1, &first, &count);
            struct dts_span edge = {x->data.buffer, 0, 0};
            dts_coll_span(count, chunks, chunk, 1, &edge.first, &edge.count);
            edge.first += x->data.first + first;
            if (!check_from(c, op, there ? from : member, &edge, edge.first))
                return false;
        }
    return true;
}

static bool check_moved(struct checking *c, const struct dts_op *op)
{
    const struct dts_collective *x = &op->collective;
    const int in_role = c->rank->rank - c->rank->role->first;
    const int member = in_role / x->group.stride % x->group.size;
    if (x->shape.kind >= DTS_HALO)
        return check_halo(c, op, member);
    if (x->shape.kind == DTS_SHIFT)
        return check_from(c, op, (member + x->group.size - 1) % x->group.size, &x->data,
                          dts_op_arrives(op)->first);
    for (int channel = 0; channel < x->channels; channel++)
        for (int m = 0; m < x->group.size; m++) {
            const struct dts_span part = dts_collective_part(x, m, member, channel);
            if (!check_from(c, op, m, &part, part.first))
                return false;
        }
    return true;
}

bool dts_live_check(const struct dts_job *job, const struct dts_live_rank *rank,
                    size_t *checked, struct dts_error *err)
{
    const struct dts_role *role = rank->role;
    bool right = true;
    *checked = 0;
    const bool servers = dts_job_has_servers(job);
    if (role->kind != DTS_WORKER)
        return true;
    struct checking c = {rank, count_writes(role, servers), 0, err};
    for (int o = 0; right && o < role->plan.op_count; o++) {
        const struct dts_op *op = &role->plan.ops[o];
        const struct dts_span *span = known(op, servers);
        if (is_moved(op))
            right = check_moved(&c, op);
        else if (span != NULL)
            right = check_sums(&c, op, span);
    }
    free_counts(role, c.times);
    *checked = c.checked;
    return right;
}

/* In a step, in the mean over so many from that one on. */
static struct dts_traffic planned(const struct dts_live_rank *rank, long first, int steps)
{
    struct dts_traffic mean = {0, 0};
    for (int s = 0; s < steps; s++) {
        struct dts_traffic one;
        dts_rank_traffic(rank->role, rank->rank, true,
                         first == DTS_ANY_STEP ? DTS_ANY_STEP : first + s, &one);
        mean.messages += one.messages;
        mean.bytes += one.bytes;
    }
    mean.messages /= steps;
    mean.bytes /= steps;
    return mean;
}

void dts_live_mean_sent(const struct dts_live *live, const struct dts_live_rank *rank,
                        struct dts_traffic *sent)
{
    const int period = dts_job_period(live->job);
    const long settled = dts_job_settled(live->job);
    if (period > 1 || settled > 0)
        *sent = planned(rank, settled, period);
}

bool dts_live_check_sent(const struct dts_live *live, const struct dts_live_rank *rank,
                         const struct dts_live_times *times, struct dts_traffic *sent,
                         struct dts_error *err)
{
    const bool alike = live->every_op || (dts_job_period(live->job) == 1 &&
                                          dts_job_settled(live->job) <= live->first_step);
    const struct dts_traffic plan = planned(
        rank, live->every_op ? DTS_ANY_STEP : live->first_step, alike ? 1 : live->steps);
    *sent = (struct dts_traffic){times->sent_messages / live->steps,
                                 times->sent_bytes / live->steps};
    const bool same = !(sent->messages < plan.messages || sent->messages > plan.messages ||
                        sent->bytes < plan.bytes || sent->bytes > plan.bytes);
    return same ||
           dts_fail(err, DTS_SYSTEM,
                    "rank %d: sent %.17g messages of %.17g bytes in a step, the plan has "
                    "%.17g of %.17g",
                    rank->rank, sent->messages, sent->bytes, plan.messages, plan.bytes);
}
