/* worker.c -- lists of rows into messages to servers, and rows that come back into tables. */
#include "train/live/kernels/tables/worker.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "train/live/kernels/tables/gathered.h"
#include "train/live/kernels/tables/served.h"
#include "train/strategy/build.h"

/* The messages of a worker in the exchange of a bucket with servers; to be freed. */
static struct dts_message *messages_of(const struct dts_live_kernels *k,
                                       const struct dts_op *op, int rank, int *count)
{
    struct dts_message *messages =
        dts_alloc((size_t)op->exchange.peer_count + 1, sizeof(*messages));
    *count = dts_exchange_messages(k->rank.role, &op->exchange, rank, messages);
    return messages;
}

/* Where the workers of a node have gathered the rows of a bucket; NULL: each pushes its own. */
static const struct dts_op *gathering(const struct dts_live_kernels *k, int bucket)
{
    const struct dts_plan *plan = &k->rank.role->plan;
    for (int o = 0; o < plan->op_count; o++)
        if (plan->ops[o].kind == DTS_OP_COLLECTIVE && plan->ops[o].bucket == bucket &&
            plan->ops[o].collective.shape.kind == DTS_ALLGATHER)
            return &plan->ops[o];
    return NULL;
}

static void push(const struct dts_live_kernels *k, const struct dts_op *op)
{
    const struct dts_op *gather = gathering(k, op->bucket);
    const struct dts_live_table *table =
        dts_live_served_bucket(k->served, &k->rank.role->plan, op->bucket).table;
    const struct dts_sparse *rows = dts_network_rows(k->network, table->layer);
    struct dts_sparse sum = {0};
    int count;
    struct dts_message *messages = messages_of(k, op, k->rank.rank, &count);
    if (gather != NULL && count > 0)
        sum = dts_live_gathered_sum(k, &gather->collective, &table->row);
    for (int i = 0; i < count; i++) {
        const struct dts_span *span = &messages[i].data;
        const struct dts_live_rows_part part = dts_live_served_part(k->served, span);
        dts_live_rows_put(&table->row, k->rank.buffers[span->buffer] + span->first, span->count,
                          gather != NULL ? &sum : rows, part.first, part.first + part.count);
    }
    dts_sparse_free(&sum);
    free(messages);
}

void dts_live_worker_give(struct dts_live_kernels *k, const struct dts_op *op)
{
    if (k->server != NULL || !dts_live_served_has(k->served, op))
        return;
    if (op->kind == DTS_OP_EXCHANGE && op->exchange.send)
        push(k, op);
    if (op->kind != DTS_OP_COLLECTIVE || op->collective.shape.kind != DTS_ALLGATHER)
        return;
    const struct dts_live_rows_part part =
        dts_live_served_bucket(k->served, &k->rank.role->plan, op->bucket);
    dts_live_gathered_give(k, &op->collective, &part.table->row,
                           dts_network_rows(k->network, part.table->layer), part.first,
                           part.first + part.count);
}

/* The rows of a message become rows of the table. */
static void take_rows(const struct dts_live_kernels *k, const struct dts_span *span)
{
    const struct dts_live_table *table = dts_live_served_part(k->served, span).table;
    float *weights = dts_network_weights(k->network) + table->offset;
    struct dts_sparse list = dts_live_rows_read(
        &table->row, k->rank.buffers[span->buffer] + span->first, span->count);
    for (size_t r = 0; r < list.count; r++)
        memcpy(weights + (size_t)list.rows[r] * table->width, list.values + r * table->width,
               table->width * sizeof(*weights));
    dts_sparse_free(&list);
}

/* What came back to this worker, or to the one that pulls for its node. */
static void pull(const struct dts_live_kernels *k, const struct dts_op *op)
{
    const int leader = k->rank.rank / k->served->together * k->served->together;
    int count;
    struct dts_message *messages = messages_of(k, op, leader, &count);
    for (int i = 0; i < count; i++)
        if (dts_live_served_has(k->served, op))
            take_rows(k, &messages[i].data);
        else
            dts_live_served_copy(k->served, &messages[i].data, k->rank.buffers[DTS_WEIGHTS],
                                 dts_network_weights(k->network), false);
    free(messages);
}

void dts_live_worker_take(struct dts_live_kernels *k, const struct dts_op *op)
{
    if (k->served == NULL || k->server != NULL || op->bucket < 0)
        return;
    const bool alone = k->served->together == 1;
    const bool here = op->kind == DTS_OP_EXCHANGE && !op->exchange.send && alone;
    const bool spread =
        op->kind == DTS_OP_COLLECTIVE && op->collective.shape.kind == DTS_BROADCAST;
    if (here || spread)
        pull(k, dts_live_served_op(&k->rank.role->plan, op->bucket, false));
}
