/* build_layers.c -- one layer of a step: a call, or halves around a collective.
 *
 * The halves have the seconds of the whole in proportion to the values that they move. Each
 * layer and pass has its own place in the buffer of sums, which all microbatches use in turn.
 */
#include "train/strategy/build_layers.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "train/model/tables.h"

bool dts_build_synchronizes(const struct dts_point *point)
{
    return point->scenario->synchronized && point->devices > 1;
}

static const struct dts_op_cost *cost_of(const struct dts_point *point, int layer)
{
    return &point->scenario->model.layers[layer].cost;
}

/* The part of a pass, by values moved, that comes before the sums; 0: it has none. */
static double share_of(const struct dts_point *point, enum dts_pass pass, int layer)
{
    const struct dts_op_cost *cost = cost_of(point, layer);
    const bool forward = pass == DTS_FORWARD;
    const double before = forward ? cost->forward_sum_values : cost->backward_sum_values;
    return before > 0 ? before / (forward ? cost->forward_values : cost->backward_values) : 0;
}

static bool has_halves(const struct dts_layer_ops *ops, enum dts_pass pass, int layer)
{
    return ops->statistics != NULL && share_of(ops->point, pass, layer) > 0;
}

static struct dts_span *sums_of(const struct dts_layer_ops *ops, enum dts_pass pass, int layer)
{
    return &ops->sums[2 * layer + (pass == DTS_BACKWARD)];
}

static bool has_rows(const struct dts_layer_ops *ops, int layer)
{
    return ops->rows != NULL &&
           dts_layer_table(&ops->point->scenario->model.layers[layer]) != NULL;
}

/* Rows that a layer looks up for one microbatch, at least a value for each device. */
static size_t rows_values(const struct dts_layer_ops *ops, int layer)
{
    const struct dts_layer *table = &ops->point->scenario->model.layers[layer];
    const size_t values = (size_t)ops->point->batch * dts_dims_elements(&table->output);
    const size_t least = (size_t)ops->point->devices;
    return values > least ? values : least;
}

static void add_rows_buffer(struct dts_layer_ops *ops)
{
    size_t most = 0;
    for (int l = 0; l < ops->point->scenario->model.layer_count; l++)
        if (has_rows(ops, l) && rows_values(ops, l) > most)
            most = rows_values(ops, l);
    if (most > 0)
        ops->rows_buffer = dts_plan_buffer(
            ops->plan, most, dts_precision_bytes(ops->point->scenario->precision));
}

void dts_layer_ops_begin(struct dts_layer_ops *ops)
{
    const int layers = ops->point->scenario->model.layer_count;
    size_t count = 0;
    ops->sums = dts_alloc(2 * (size_t)layers, sizeof(*ops->sums));
    for (int i = 0; i < 2 * layers; i++) {
        const enum dts_pass pass = i % 2 == 0 ? DTS_FORWARD : DTS_BACKWARD;
        if (!has_halves(ops, pass, i / 2))
            continue;
        ops->sums[i] =
            (struct dts_span){ops->plan->buffer_count, count, cost_of(ops->point, i / 2)->sums};
        count += ops->sums[i].count;
    }
    if (count > 0)
        dts_plan_buffer(ops->plan, count, sizeof(double));
    add_rows_buffer(ops);
}

void dts_layer_ops_end(struct dts_layer_ops *ops)
{
    free(ops->sums);
    ops->sums = NULL;
}

int dts_layer_ops_count(const struct dts_point *point)
{
    const int layers = point->scenario->model.layer_count;
    int halves = 0; // each has a collective and a call more
    for (int l = 0; l < layers && dts_build_synchronizes(point); l++)
        halves +=
            (share_of(point, DTS_FORWARD, l) > 0) + (share_of(point, DTS_BACKWARD, l) > 0);
    return (2 * layers + halves) * dts_build_call_count(point) + halves;
}

/* "forward conv1", "sum backward bn1 #3", "backward bn1: rest #3" */
static void name(const struct dts_layer_ops *ops, const struct dts_call *call,
                 const char *before, const char *after, int microbatch, char label[64])
{
    char part[16] = "";
    if (ops->point->microbatches > 1)
        snprintf(part, sizeof(part), " #%d", microbatch);
    snprintf(label, 64, "%s%s %.*s%s%s", before, dts_pass_name(call->pass),
             call->part == DTS_OP_WHOLE ? 30 : 24,
             ops->point->scenario->model.layers[call->layer].name, after, part);
}

static int add_call(const struct dts_layer_ops *ops, enum dts_pass pass, int layer,
                    enum dts_op_part part, int microbatch)
{
    static const char *const after[] = {
        [DTS_OP_WHOLE] = "",
        [DTS_OP_SUMS] = ": sums",
        [DTS_OP_REST] = ": rest",
    };
    const struct dts_model_seconds *seconds = ops->point->seconds;
    const double share = share_of(ops->point, pass, layer);
    struct dts_call call = {
        .pass = pass,
        .layer = layer,
        .seconds = pass == DTS_FORWARD ? seconds->forward[layer] : seconds->backward[layer],
        .part = part,
        .microbatch = microbatch,
    };
    if (part != DTS_OP_WHOLE) {
        call.seconds *= part == DTS_OP_SUMS ? share : 1 - share;
        call.sums = *sums_of(ops, pass, layer);
    }
    char label[64];
    name(ops, &call, "", after[part], microbatch, label);
    return dts_build_call(ops->point, ops->plan, label, call);
}

static void add_rows(const struct dts_layer_ops *ops, enum dts_pass pass, int layer,
                     int microbatch)
{
    const struct dts_call seen = {.pass = pass, .layer = layer};
    struct dts_collective collective = *ops->rows;
    char label[64];
    collective.data = (struct dts_span){ops->rows_buffer, 0, rows_values(ops, layer)};
    collective.made = (struct dts_between){
        .backward = pass == DTS_BACKWARD, .before = pass == DTS_BACKWARD, .layer = layer};
    name(ops, &seen, "all-to-all ", "", microbatch, label);
    dts_plan_collective(ops->plan, DTS_COMPUTE, label, collective);
}

int dts_layer_ops_first(const struct dts_layer_ops *ops, enum dts_pass pass, int layer,
                        int microbatch)
{
    const bool halves = has_halves(ops, pass, layer);
    if (pass == DTS_BACKWARD && has_rows(ops, layer))
        add_rows(ops, pass, layer, microbatch);
    return add_call(ops, pass, layer, halves ? DTS_OP_SUMS : DTS_OP_WHOLE, microbatch);
}

int dts_layer_ops_rest(const struct dts_layer_ops *ops, enum dts_pass pass, int layer,
                       int microbatch)
{
    if (pass == DTS_FORWARD && has_rows(ops, layer))
        add_rows(ops, pass, layer, microbatch);
    if (!has_halves(ops, pass, layer))
        return -1;
    const struct dts_call seen = {.pass = pass, .layer = layer, .part = DTS_OP_REST};
    struct dts_collective collective = *ops->statistics;
    char label[64];
    collective.data = *sums_of(ops, pass, layer);
    name(ops, &seen, "sum ", "", microbatch, label);
    dts_plan_collective(ops->plan, DTS_COMPUTE, label, collective);
    return add_call(ops, pass, layer, DTS_OP_REST, microbatch);
}
