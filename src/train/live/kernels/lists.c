/* lists.c -- lists of rows into messages, and messages into one list. */
#include "train/live/kernels/lists.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "plan/run.h"
#include "train/strategy/tables.h"

static bool is_rows(const struct dts_live_kernels *k, const struct dts_op *op)
{
    return k->gathers && op->kind == DTS_OP_COLLECTIVE &&
           op->collective.shape.kind == DTS_ALLGATHER;
}

/* The layer of the table that is the number-th to be gathered: the last layers come first. */
static int layer_of(const struct dts_model *model, int number)
{
    int l = model->layer_count - 1;
    while (l >= 0 && (dts_layer_table(&model->layers[l]) == NULL || number-- > 0))
        l--;
    return l;
}

static int number_of(const struct dts_live_kernels *k, const struct dts_op *op)
{
    int number = 0;
    for (const struct dts_op *o = k->rank.role->plan.ops; o < op; o++)
        number += is_rows(k, o);
    return number;
}

/* How a row lies in a message. */
struct row {
    size_t number, all; // floats of its number, and in all
};

static struct row row_of(const struct dts_live_kernels *k, int layer)
{
    const struct dts_model *model = &k->point->scenario->model;
    const size_t width = dts_layer_table(&model->layers[layer])->sparse_row;
    const size_t number = (size_t)k->index_bytes / sizeof(float);
    return (struct row){number, number + width};
}

/* A message is what a rank owns of all channels, one behind the other: moves it to or from
 * `values`. */
static void move(const struct dts_live_kernels *k, const struct dts_collective *c, int rank,
                 float *values, bool out)
{
    size_t at = 0;
    for (int channel = 0; channel < c->channels; channel++) {
        const struct dts_span part = dts_collective_share(k->rank.role, c, rank, channel);
        float *there = k->rank.buffers[part.buffer] + part.first;
        memcpy(out ? there : values + at, out ? values + at : there,
               part.count * sizeof(float));
        at += part.count;
    }
}

static size_t room_of(const struct dts_collective *c)
{
    return c->data.count / (size_t)c->group.size;
}

void dts_live_lists_give(struct dts_live_kernels *k, const struct dts_op *op)
{
    if (!is_rows(k, op))
        return;
    const int layer = layer_of(&k->point->scenario->model, number_of(k, op));
    const struct row row = row_of(k, layer);
    const struct dts_sparse *list = dts_network_rows(k->network, layer);
    const size_t room = room_of(&op->collective), rows = room / row.all;
    float *message = dts_alloc(room, sizeof(float));
    for (size_t r = 0; r < rows; r++) {
        const int32_t number = r < list->count ? list->rows[r] : -1;
        memcpy(message + r * row.all, &number, sizeof(number));
        if (r < list->count)
            memcpy(message + r * row.all + row.number, list->values + r * list->features,
                   list->features * sizeof(float));
    }
    move(k, &op->collective, k->rank.rank, message, true);
    free(message);
}

/* The rows of a message as a list, which borrows the arrays. */
static struct dts_sparse list_of(const float *message, size_t rows, const struct row *row,
                                 int32_t *numbers, float *values)
{
    const size_t width = row->all - row->number;
    struct dts_sparse list = {.features = width, .rows = numbers, .values = values};
    for (size_t r = 0; r < rows; r++) {
        memcpy(&numbers[list.count], message + r * row->all, sizeof(*numbers));
        if (numbers[list.count] < 0)
            break;
        memcpy(values + list.count++ * width, message + r * row->all + row->number,
               width * sizeof(float));
    }
    return list;
}

void dts_live_lists_take(struct dts_live_kernels *k, const struct dts_op *op)
{
    if (!is_rows(k, op))
        return;
    const int layer = layer_of(&k->point->scenario->model, number_of(k, op));
    const struct row row = row_of(k, layer);
    const size_t room = room_of(&op->collective), rows = room / row.all;
    float *message = dts_alloc(room, sizeof(float)), *values = dts_alloc(room, sizeof(float));
    int32_t *numbers = dts_alloc(rows + 1, sizeof(*numbers));
    struct dts_sparse sum = {.features = row.all - row.number}, more = {0};
    for (int rank = 0; rank < op->collective.group.size; rank++) {
        move(k, &op->collective, rank, message, false);
        const struct dts_sparse list = list_of(message, rows, &row, numbers, values);
        dts_sparse_merge(&more, &sum, &list, NULL);
        const struct dts_sparse keep = sum;
        sum = more;
        more = keep;
    }
    dts_network_swap_rows(k->network, layer, &sum);
    dts_sparse_free(&sum);
    dts_sparse_free(&more);
    free(numbers);
    free(values);
    free(message);
}

/* A step touches at most its words, and at most all rows. */
static bool check_room(const struct dts_live_kernels *k, struct dts_error *err)
{
    const struct dts_plan *plan = &k->rank.role->plan;
    const struct dts_model *model = &k->point->scenario->model;
    for (int o = 0; o < plan->op_count; o++) {
        if (!is_rows(k, &plan->ops[o]))
            continue;
        const struct dts_layer *layer =
            &model->layers[layer_of(model, number_of(k, &plan->ops[o]))];
        const double height = dts_table_height(layer);
        const double words =
            (double)k->point->batch * k->point->microbatches * dts_table_words(layer);
        const double most = words < height ? words : height;
        const double room = (double)(room_of(&plan->ops[o].collective) /
                                     row_of(k, (int)(layer - model->layers)).all);
        if (room < most)
            return dts_fail(
                err, DTS_BAD_INPUT,
                "live.compute: kernels: %s: messages have room for %.0f rows of %s, "
                "of which a step may touch %.0f: density must be >= %.6g",
                k->point->strategy->name, room, layer->name, most, most / height);
    }
    return true;
}

/* Under kernels all tables are lists, or none is. */
static bool all_travel(const struct dts_model *model, const struct dts_table_rule *rule)
{
    for (int l = 0; l < model->layer_count; l++)
        if (dts_layer_table(&model->layers[l]) != NULL &&
            !dts_table_listed(&model->layers[l], rule))
            return false;
    return true;
}

bool dts_live_lists_check(struct dts_live_kernels *k, struct dts_error *err)
{
    const struct dts_point *point = k->point;
    const struct dts_strategy_kind *kind = point->strategy->kind;
    const char *why = NULL;
    if (kind->tables == NULL || !kind->tables(point).rows || k->rank.job->ranks == 1)
        return true;
    const struct dts_table_rule rule = kind->tables(point);
    if (rule.parts > 1)
        why = "divided tables are predicted only: tables must be \"rows\" or \"dense\"";
    else if (rule.elsewhere)
        why =
            "no server takes rows yet: tables must be \"dense\", or gathered by \"allreduce\"";
    else if (!all_travel(&point->scenario->model, &rule))
        why = "dense_above: some tables would travel whole and others as rows";
    else if (dts_point_wire_bytes(point) != sizeof(float))
        why = "rows travel in fp32: precision must be fp32 or tf32";
    else if (!dts_sparse_has_lists(k->space))
        why = "a GPU has no lists of rows: tables must be \"dense\"";
    if (why != NULL)
        return dts_fail(err, DTS_UNSUPPORTED, "live.compute: kernels: %s: %s",
                        point->strategy->name, why);
    k->gathers = true;
    k->index_bytes = rule.index_bytes;
    return check_room(k, err);
}
