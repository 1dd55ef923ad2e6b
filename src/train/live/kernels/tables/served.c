/* served.c -- which rows are whose. */
#include "train/live/kernels/tables/served.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "train/strategy/build.h"
#include "train/strategy/tables.h"

bool dts_live_served_has(const struct dts_live_served *served, const struct dts_op *op)
{
    return served != NULL && op->bucket >= 0 && op->kind != DTS_OP_CALL &&
           dts_op_leaves(op)->buffer > DTS_WEIGHTS;
}

struct dts_live_rows_part dts_live_served_part(const struct dts_live_served *served,
                                               const struct dts_span *span)
{
    const struct dts_live_table *t = served->tables;
    while (span->first >= t->first + t->count)
        t++;
    const double rows = (double)t->rows, all = (double)t->count;
    const size_t at = span->first - t->first;
    const size_t first = (size_t)(rows * ((double)at / all));
    const size_t end = (size_t)(rows * ((double)(at + span->count) / all));
    return (struct dts_live_rows_part){t, first, end - first};
}

const struct dts_op *dts_live_served_op(const struct dts_plan *plan, int bucket, bool send)
{
    for (int o = 0; o < plan->op_count; o++)
        if (plan->ops[o].kind == DTS_OP_EXCHANGE && plan->ops[o].bucket == bucket &&
            plan->ops[o].exchange.send == send)
            return &plan->ops[o];
    return NULL;
}

struct dts_live_rows_part dts_live_served_bucket(const struct dts_live_served *served,
                                                 const struct dts_plan *plan, int bucket)
{
    const struct dts_op *push = dts_live_served_op(plan, bucket, true);
    return dts_live_served_part(served, &push->exchange.data);
}

void dts_live_served_copy(const struct dts_live_served *served, const struct dts_span *span,
                          float *buffer, float *weights, bool into_buffer)
{
    const size_t end = span->first + span->count;
    for (int i = 0; i < served->layout.count; i++) {
        const struct dts_layout_tensor *t = &served->layout.tensors[i];
        const size_t begin = t->gradient, behind = begin + t->param->count;
        const size_t from = begin > span->first ? begin : span->first;
        const size_t to = behind < end ? behind : end;
        if (t->listed || from >= to)
            continue;
        float *whole = weights + t->offset + (from - begin);
        memcpy(into_buffer ? buffer + from : whole, into_buffer ? whole : buffer + from,
               (to - from) * sizeof(float));
    }
}

/* The tables lie in the buffers as backward finishes them: the last layers first. */
static void find_tables(struct dts_live_kernels *k, const struct dts_table_rule *rule)
{
    struct dts_live_served *s = k->served;
    const struct dts_model *model = &k->point->scenario->model;
    size_t first = 0;
    s->tables = dts_alloc((size_t)model->layer_count, sizeof(*s->tables));
    for (int l = model->layer_count - 1; l >= 0; l--) {
        const struct dts_param *table = dts_layer_table(&model->layers[l]);
        if (!dts_live_listed(k, l))
            continue;
        s->tables[s->table_count++] = (struct dts_live_table){
            .layer = l,
            .rows = table->count / table->sparse_row,
            .width = table->sparse_row,
            .row = dts_live_row_of(table->sparse_row, rule->index_bytes),
            .first = first,
            .count = dts_table_message(rule, k->point, l, s->together),
            .offset = dts_layout_find(&s->layout, l, 0)->offset,
        };
        first += s->tables[s->table_count - 1].count;
    }
}

void dts_live_served_open(struct dts_live_kernels *k, const struct dts_table_rule *rule)
{
    const struct dts_plan *plan = &k->rank.job->roles[0].plan; // a worker's
    struct dts_live_served *s = k->served = dts_alloc(1, sizeof(*s));
    s->together = 1;
    for (int o = 0; o < plan->op_count; o++)
        if (dts_live_served_has(s, &plan->ops[o]) && plan->ops[o].kind == DTS_OP_EXCHANGE)
            s->together = plan->ops[o].exchange.every;
    s->layout = (struct dts_layout){
        .model = &k->point->scenario->model, .lists = true, .but = k->whole_tables};
    dts_layout_add(&s->layout, &(struct dts_layer_range){0});
    find_tables(k, rule);
}

void dts_live_served_close(struct dts_live_served *s)
{
    if (s == NULL)
        return;
    dts_layout_free(&s->layout);
    free(s->tables);
    free(s->asked);
    free(s->begin);
    free(s);
}
