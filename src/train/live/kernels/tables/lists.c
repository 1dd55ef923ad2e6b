/* lists.c -- lists of rows into messages, and messages into one list. */
#include "train/live/kernels/tables/lists.h"

#include <stdint.h>

#include "base/mem.h"
#include "train/live/kernels/tables/columns.h"
#include "train/live/kernels/tables/gathered.h"
#include "train/live/kernels/tables/served.h"
#include "train/strategy/tables.h"

static bool is_rows(const struct dts_live_kernels *k, const struct dts_op *op)
{
    return k->gathers && op->kind == DTS_OP_COLLECTIVE &&
           op->collective.shape.kind == DTS_ALLGATHER;
}

/* The last layers are gathered first. */
int dts_live_lists_layer(const struct dts_live_kernels *k, const struct dts_op *op)
{
    int number = 0, l = k->point->scenario->model.layer_count - 1;
    if (!is_rows(k, op))
        return -1;
    for (const struct dts_op *o = k->rank.role->plan.ops; o < op; o++)
        number += is_rows(k, o);
    while (l >= 0 && (!dts_live_listed(k, l) || number-- > 0))
        l--;
    return l;
}

static struct dts_live_row row_of(const struct dts_live_kernels *k, int layer)
{
    const struct dts_model *model = &k->point->scenario->model;
    return dts_live_row_of(dts_layer_table(&model->layers[layer])->sparse_row, k->index_bytes);
}

void dts_live_lists_give(struct dts_live_kernels *k, const struct dts_op *op)
{
    const int layer = dts_live_lists_layer(k, op);
    if (layer < 0)
        return;
    const struct dts_live_row row = row_of(k, layer);
    dts_live_gathered_give(k, &op->collective, &row, dts_network_rows(k->network, layer), 0,
                           SIZE_MAX);
}

void dts_live_lists_take(struct dts_live_kernels *k, const struct dts_op *op)
{
    const int layer = dts_live_lists_layer(k, op);
    if (layer < 0)
        return;
    const struct dts_live_row row = row_of(k, layer);
    struct dts_sparse sum = dts_live_gathered_sum(k, &op->collective, &row);
    dts_network_swap_rows(k->network, layer, &sum);
    dts_sparse_free(&sum);
}

/* Finds the tables that travel whole, where others are rows; false: all travel whole. */
static bool find_whole(struct dts_live_kernels *k, const struct dts_table_rule *rule)
{
    const struct dts_model *model = &k->point->scenario->model;
    bool *whole = dts_alloc((size_t)model->layer_count, sizeof(*whole));
    int rows = 0;
    for (int l = 0; l < model->layer_count; l++) {
        whole[l] = !dts_table_listed(&model->layers[l], rule);
        rows += !whole[l];
    }
    k->whole_tables = whole;
    return rows > 0;
}

bool dts_live_lists_check(struct dts_live_kernels *k, struct dts_error *err)
{
    const struct dts_point *point = k->point;
    const struct dts_strategy_kind *kind = point->strategy->kind;
    const char *why = NULL;
    if (kind->tables == NULL || !kind->tables(point).rows || k->rank.job->ranks == 1)
        return true;
    const struct dts_table_rule rule = kind->tables(point);
    if (!find_whole(k, &rule))
        return true;
    if (dts_point_wire_bytes(point) != sizeof(float))
        why = "rows travel in fp32: precision must be fp32 or tf32";
    else if (!dts_sparse_has_lists(k->space))
        why = "a GPU has no lists of rows: tables must be \"dense\"";
    if (why != NULL)
        return dts_fail(err, DTS_UNSUPPORTED, "live.compute: kernels: %s: %s",
                        point->strategy->name, why);
    if (rule.parts > 1)
        return dts_live_columns_open(k, err);
    k->gathers = !rule.elsewhere;
    k->index_bytes = rule.index_bytes;
    if (rule.elsewhere)
        dts_live_served_open(k, &rule);
    return true;
}

bool dts_live_lists_fit(const struct dts_live_kernels *k, struct dts_error *err)
{
    const struct dts_model *model = &k->point->scenario->model;
    const bool known = k->gathers || k->served != NULL || k->columns != NULL;
    size_t count;
    for (int l = 0; known && l < model->layer_count; l++)
        if (dts_live_listed(k, l) && dts_network_words(k->network, l, &count) == NULL)
            return dts_fail(err, DTS_UNSUPPORTED,
                            "live.compute: kernels: %s: ranks must know the words of table %s, "
                            "and they are not the network's input: tables must be \"dense\"",
                            k->point->strategy->name, model->layers[l].name);
    return true;
}
