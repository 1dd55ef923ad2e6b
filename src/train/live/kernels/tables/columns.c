/* columns.c -- parts of rows, looked up and updated here, and moved between ranks.
 *
 * Gradients are added in the order of the ranks' samples, which is that of one rank with the
 * same batch.
 */
#include "train/live/kernels/tables/columns.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "kernels/embedding/sparse.h"
#include "plan/run.h"
#include "train/live/kernels/samples.h"
#include "train/model/calls.h"
#include "train/model/tables.h"
#include "train/network/optimizer_rows.h"

struct table {
    int layer;
    size_t rows, width;                  // of the table: values of a whole row
    size_t own;                          // of them on this rank
    size_t words;                        // that a rank looks up in a microbatch
    struct dts_op_call call;             // with the values that are here
    float *columns;                      // [rows, own]; owned, as all below
    int32_t *looked_up;                  // [ranks, words]
    float *values;                       // [ranks, words, own]: rows, then their gradients
    struct dts_sparse sum, list, merged; // of a step, of a microbatch, of both
};

struct dts_live_columns {
    struct table *tables; // owned
    int count, ranks;
};

static struct table *find(const struct dts_live_kernels *k, int layer)
{
    for (int t = 0; k->columns != NULL && t < k->columns->count; t++)
        if (k->columns->tables[t].layer == layer)
            return &k->columns->tables[t];
    return NULL;
}

/* The table of an operation; NULL: it moves no columns. */
static struct table *moved_by(const struct dts_live_kernels *k, const struct dts_op *op)
{
    const bool moves = k->columns != NULL && op->kind == DTS_OP_COLLECTIVE &&
                       op->collective.shape.kind == DTS_ALLTOALL;
    return moves ? find(k, op->collective.made.layer) : NULL;
}

static void add_table(struct dts_live_kernels *k, int layer)
{
    struct dts_live_columns *c = k->columns;
    const struct dts_model *model = &k->point->scenario->model;
    const struct dts_param *param = dts_layer_table(&model->layers[layer]);
    const size_t ranks = (size_t)c->ranks, own = param->sparse_row / ranks;
    const double words = k->point->batch * dts_table_words(&model->layers[layer]);
    struct table t = {
        .layer = layer,
        .rows = param->count / param->sparse_row,
        .width = param->sparse_row,
        .own = own,
        .words = (size_t)words,
        .call = dts_model_call(model, layer),
    };
    t.call.output.size[t.call.output.count - 1] = (int)own;
    t.call.params[0] = t.rows * own;
    t.columns = dts_alloc(t.rows * own, sizeof(*t.columns));
    t.looked_up = dts_alloc(ranks * t.words, sizeof(*t.looked_up));
    t.values = dts_alloc(ranks * t.words * own, sizeof(*t.values));
    c->tables[c->count++] = t;
}

static bool check_layer(const struct dts_live_kernels *k, const struct dts_layer *layer,
                        struct dts_error *err)
{
    const struct dts_optimizer *rule = k->point->scenario->optimizer;
    const char *name = k->point->strategy->name;
    const size_t width = dts_layer_table(layer)->sparse_row;
    if (width % (size_t)k->point->devices > 0)
        return dts_fail(err, DTS_UNSUPPORTED,
                        "live.compute: kernels: %s: ranks have columns of tables, and %d ranks "
                        "do not divide the %zu features of %s evenly",
                        name, k->point->devices, width, layer->name);
    return rule->state_values == 0 ||
           dts_fail(err, DTS_BAD_INPUT,
                    "live.compute: kernels: %s: ranks have columns of tables, and %s needs "
                    "whole rows of %s: optimizer must be sgd",
                    name, rule->name, layer->name);
}

/* A rank has whole parts of all rows that it exchanges. */
static bool check_messages(const struct dts_live_kernels *k, struct dts_error *err)
{
    const struct dts_plan *plan = &k->rank.role->plan;
    for (int o = 0; o < plan->op_count; o++) {
        const struct table *t = moved_by(k, &plan->ops[o]);
        const struct dts_collective *c = &plan->ops[o].collective;
        for (int m = 0; t != NULL && m < c->group.size; m++) {
            size_t count = 0;
            for (int channel = 0; channel < c->channels; channel++)
                count += dts_collective_part(c, k->rank.rank, m, channel).count;
            if (count != t->words * t->own)
                return dts_fail(err, DTS_UNSUPPORTED,
                                "live.compute: kernels: %s: \"%s\": ranks exchange parts of "
                                "unlike size",
                                k->point->strategy->name, plan->ops[o].label);
        }
    }
    return true;
}

bool dts_live_columns_open(struct dts_live_kernels *k, struct dts_error *err)
{
    const struct dts_model *model = &k->point->scenario->model;
    k->columns = dts_alloc(1, sizeof(*k->columns));
    k->columns->ranks = k->point->devices;
    k->columns->tables = dts_alloc((size_t)model->layer_count, sizeof(struct table));
    for (int l = 0; l < model->layer_count; l++) {
        if (dts_layer_table(&model->layers[l]) == NULL)
            continue;
        if (!check_layer(k, &model->layers[l], err))
            return false;
        add_table(k, l);
    }
    return check_messages(k, err);
}

void dts_live_columns_close(struct dts_live_columns *c)
{
    for (int t = 0; c != NULL && t < c->count; t++) {
        struct table *table = &c->tables[t];
        free(table->columns);
        free(table->looked_up);
        free(table->values);
        dts_sparse_free(&table->sum);
        dts_sparse_free(&table->list);
        dts_sparse_free(&table->merged);
    }
    if (c != NULL)
        free(c->tables);
    free(c);
}

/* Between `count` whole rows and a rank's part of each, one behind the other. */
static void move_columns(const struct table *t, int rank, size_t count, float *rows,
                         float *parts, bool out)
{
    for (size_t i = 0; i < count; i++) {
        float *row = rows + i * t->width + (size_t)rank * t->own, *part = parts + i * t->own;
        memcpy(out ? part : row, out ? row : part, t->own * sizeof(float));
    }
}

static float *whole_table(const struct dts_live_kernels *k, const struct table *t)
{
    return dts_network_weights(k->network) + dts_network_offset(k->network, t->layer, 0);
}

void dts_live_columns_divide(struct dts_live_kernels *k)
{
    for (int i = 0; k->columns != NULL && i < k->columns->count; i++) {
        struct table *t = &k->columns->tables[i];
        move_columns(t, k->rank.rank, t->rows, whole_table(k, t), t->columns, true);
    }
}

void dts_live_columns_join(struct dts_live_kernels *k)
{
    for (int i = 0; k->columns != NULL && i < k->columns->count; i++) {
        struct table *t = &k->columns->tables[i];
        float *whole = whole_table(k, t);
        memset(whole, 0, t->rows * t->width * sizeof(*whole));
        move_columns(t, k->rank.rank, t->rows, whole, t->columns, false);
        dts_wire_merge(k->wire, whole, t->rows * t->width * sizeof(*whole));
    }
}

void dts_live_columns_begin(struct dts_live_kernels *k, long step, int microbatch)
{
    struct dts_live_columns *c = k->columns;
    for (int r = 0; c != NULL && r < c->ranks; r++) {
        dts_live_samples(k, k->network, r, step, microbatch);
        for (int i = 0; i < c->count; i++) {
            struct table *t = &c->tables[i];
            size_t count;
            const int32_t *words = dts_network_words(k->network, t->layer, &count);
            memcpy(t->looked_up + (size_t)r * t->words, words, count * sizeof(*words));
        }
    }
    for (int i = 0; c != NULL && microbatch == 0 && i < c->count; i++)
        c->tables[i].sum.count = 0;
}

bool dts_live_columns_forward(struct dts_live_kernels *k, int layer)
{
    const struct table *t = find(k, layer);
    for (size_t i = 0; t != NULL && i < (size_t)k->columns->ranks * t->words; i++) {
        const size_t row = (size_t)(uint32_t)t->looked_up[i] % t->rows;
        memcpy(t->values + i * t->own, t->columns + row * t->own, t->own * sizeof(float));
    }
    return t != NULL;
}

bool dts_live_columns_backward(struct dts_live_kernels *k, int layer)
{
    struct table *t = find(k, layer);
    if (t == NULL)
        return false;
    struct dts_workers *workers = dts_network_workers(k->network);
    const struct dts_arrays arrays = {
        .batch = k->point->batch * k->columns->ranks, .x = {t->looked_up}, .dy = t->values};
    dts_sparse_gradient(&t->list, &t->call, &arrays, workers);
    dts_sparse_merge(&t->merged, &t->sum, &t->list, workers);
    const struct dts_sparse keep = t->sum;
    t->sum = t->merged;
    t->merged = keep;
    return true;
}

/* Between what is a member's, or from it, and its part of the buffer. */
static void move_message(struct dts_live_kernels *k, const struct dts_op *op,
                         const struct table *t, int member, bool give)
{
    const struct dts_collective *c = &op->collective;
    float *values = t->values + (size_t)member * t->words * t->own;
    for (int channel = 0; channel < c->channels; channel++) {
        const struct dts_span part =
            give ? dts_collective_part(c, k->rank.rank, member, channel)
                 : dts_collective_part(c, member, k->rank.rank, channel);
        float *there = k->rank.buffers[part.buffer] + part.first;
        memcpy(give ? there : values, give ? values : there, part.count * sizeof(float));
        values += part.count;
    }
}

/* The layer's output, or its gradient: whole rows of the rank's own samples. */
static float *rows_of(struct dts_live_kernels *k, const struct table *t, bool backward)
{
    const struct dts_network_exchanged x =
        dts_network_exchanged(k->network, t->layer, backward, backward);
    return backward ? (float *)x.from : x.to; // which it leaves as it is
}

static void move(struct dts_live_kernels *k, const struct dts_op *op, bool give)
{
    const struct table *t = moved_by(k, op);
    if (t == NULL)
        return;
    const bool backward = op->collective.made.backward, rows = give == backward;
    float *own = rows ? rows_of(k, t, backward) : NULL;
    for (int m = 0; m < k->columns->ranks; m++) {
        float *values = t->values + (size_t)m * t->words * t->own;
        if (rows && give)
            move_columns(t, m, t->words, own, values, true);
        move_message(k, op, t, m, give);
        if (rows && !give)
            move_columns(t, m, t->words, own, values, false);
    }
}

void dts_live_columns_give(struct dts_live_kernels *k, const struct dts_op *op)
{
    move(k, op, true);
}

void dts_live_columns_take(struct dts_live_kernels *k, const struct dts_op *op)
{
    move(k, op, false);
}

void dts_live_columns_update(struct dts_live_kernels *k,
                             const struct dts_update_settings *settings)
{
    struct dts_update_settings plain = *settings;
    plain.decay = 0; // as of all tables (train/network/optimizer.h)
    for (int i = 0; k->columns != NULL && i < k->columns->count; i++) {
        struct table *t = &k->columns->tables[i];
        const struct dts_rows_update to = {
            .update = dts_update_find(k->point->scenario->optimizer->name),
            .settings = &plain,
            .weights = t->columns,
            .count = t->rows * t->own,
            .row = t->own,
        };
        dts_rows_update(&to, &t->sum, NULL, dts_network_workers(k->network));
    }
}
