/* served.c -- which rows are whose. */
#include "train/live/kernels/tables/served.h"

#include <math.h>
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

/* The most rows of a part that a step touches: its words, and all rows. */
static size_t most_rows(const struct dts_live_kernels *k, const struct dts_live_rows_part *part)
{
    const struct dts_layer *layer = &k->point->scenario->model.layers[part->table->layer];
    const double words = (double)k->point->batch * k->point->microbatches *
                         dts_table_words(layer) * k->served->together;
    return words < (double)part->count ? (size_t)words : part->count;
}

/* The density with which a message has room for so many rows, as the rule counts those of
 * workers that push as one. */
static double density_for(const struct dts_live_kernels *k,
                          const struct dts_live_rows_part *part, size_t floats, size_t rows)
{
    const double share = (double)floats / (double)part->table->count;
    const double all = (double)rows / share / (double)part->table->rows;
    return all < 1 ? 1 - pow(1 - all, 1.0 / k->served->together) : all;
}

static bool check_message(const struct dts_live_kernels *k, const struct dts_span *span,
                          struct dts_error *err)
{
    const struct dts_live_rows_part part = dts_live_served_part(k->served, span);
    const size_t room = span->count / part.table->row.all, most = most_rows(k, &part);
    const double density = density_for(k, &part, span->count, most);
    const char *name = k->point->strategy->name;
    const char *table = k->point->scenario->model.layers[part.table->layer].name;
    if (room >= most)
        return true;
    if (density <= 1)
        return dts_fail(err, DTS_BAD_INPUT,
                        "live.compute: kernels: %s: messages to a server have room for %zu "
                        "rows of %s, of which a step may touch %zu: density must be >= %.6g",
                        name, room, table, most, density);
    return dts_fail(
        err, DTS_BAD_INPUT,
        "live.compute: kernels: %s: messages to a server have room for %zu rows of "
        "%s, of which a step may touch %zu: servers must be fewer, or part_bytes larger",
        name, room, table, most);
}

/* As the worker pushes them; a worker that leaves this to its neighbour has no message. */
static bool check_room(const struct dts_live_kernels *k, struct dts_error *err)
{
    const struct dts_role *role = k->rank.role;
    bool good = true;
    for (int o = 0; good && o < role->plan.op_count; o++) {
        const struct dts_op *op = &role->plan.ops[o];
        if (!dts_live_served_has(k->served, op) || op->kind != DTS_OP_EXCHANGE)
            continue;
        const int peers = op->exchange.peer_count;
        struct dts_message *messages = dts_alloc((size_t)peers + 1, sizeof(*messages));
        const int count = dts_exchange_messages(role, &op->exchange, k->rank.rank, messages);
        for (int i = 0; good && i < count; i++)
            good = check_message(k, &messages[i].data, err);
        free(messages);
    }
    return good;
}

bool dts_live_served_open(struct dts_live_kernels *k, const struct dts_table_rule *rule,
                          struct dts_error *err)
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
    return check_room(k, err);
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
