/* memory.c -- what training a model takes on a device (docs/model.md, "Memory").
 *
 *     weights       parameters x bytes of the precision; in fp16 and bf16 4 more for the fp32
 *                   copy that is updated
 *     gradients     parameters x bytes of the precision; of a sparse table, where nothing is
 *                   exchanged, min(tokens, rows) x (width x bytes + 4 for the row's number)
 *     optimizer     parameters x state values x 4 bytes (8 in fp64)
 *     activations   batch x (what forward keeps + the gradients in flight)
 *
 * In fp8 the weights of products are there in 8 bits, too, in both orders (2 bytes more), and
 * what products alone read is kept in 8 bits.
 *
 * With Adam in fp16 that is 16 bytes a parameter (Rajbhandari et al. 2020, arXiv:1910.02054).
 * Left out: workspaces of convolutions, buffers of communication, the framework's own memory,
 * and what its allocator loses.
 */
#include <math.h>
#include <stdint.h>

#include "train/model/tables.h"

/* Rows of a table that can have a gradient. */
static double rows_at_most(const struct dts_layer *layer, double batch)
{
    return fmin(batch * dts_table_words(layer) + dts_layer_table(layer)->drawn,
                dts_table_height(layer));
}

double dts_model_rows(const struct dts_model *model, double batch, double *values)
{
    double all = 0;
    *values = 0;
    for (int l = 0; l < model->layer_count; l++) {
        const struct dts_layer *layer = &model->layers[l];
        if (dts_layer_table(layer) == NULL)
            continue;
        const double rows = rows_at_most(layer, batch);
        all += rows;
        *values += rows * (double)dts_layer_table(layer)->sparse_row;
    }
    return all;
}

double dts_model_tables(const struct dts_model *model)
{
    double values = 0;
    for (int l = 0; l < model->layer_count; l++)
        if (dts_layer_table(&model->layers[l]) != NULL)
            values += (double)dts_layer_table(&model->layers[l])->count;
    return values;
}

double dts_model_updated(const struct dts_model *model, const struct dts_optimizer *optimizer,
                         const struct dts_samples *samples, double *searched)
{
    const bool whole = samples->exchanged && optimizer->state_values == 0;
    double values = model->parameters;
    *searched = 0;
    for (int l = 0; l < model->layer_count; l++) {
        const struct dts_layer *layer = &model->layers[l];
        const struct dts_param *table = dts_layer_table(layer);
        if (table == NULL)
            continue;
        if (samples->exchanged && dts_table_listed(layer, &samples->tables)) {
            values -= (double)table->count;
            if (!samples->tables.elsewhere)
                values += (double)table->sparse_row *
                          dts_table_rows(layer, &samples->tables, samples->step) /
                          fmax(1, samples->tables.parts);
            continue;
        }
        *searched += samples->exchanged && !whole ? (double)table->count : 0;
        if (!whole)
            values += rows_at_most(layer, samples->step) * (double)table->sparse_row -
                      (double)table->count;
    }
    return values;
}

const struct dts_layer *dts_model_sparse(const struct dts_model *model)
{
    for (int l = 0; l < model->layer_count; l++)
        if (dts_layer_table(&model->layers[l]) != NULL)
            return &model->layers[l];
    return NULL;
}

bool dts_model_batch_norm(const struct dts_model *model)
{
    for (int l = 0; l < model->layer_count; l++)
        if (model->layers[l].cost.sums > 0)
            return true;
    return false;
}

struct dts_memory dts_model_memory(const struct dts_model *model,
                                   const struct dts_optimizer *optimizer,
                                   enum dts_precision precision, double batch, bool sparse)
{
    double bytes = (double)dts_precision_bytes(precision);
    double state_bytes = bytes > 4 ? bytes : 4, copy_bytes = bytes < 4 ? 4 : 0;
    double rows_values = 0, rows = dts_model_rows(model, batch, &rows_values);
    const double dense = model->parameters - dts_model_tables(model);
    struct dts_memory memory = {
        .weights = model->parameters * (bytes + copy_bytes),
        .gradients = sparse ? (dense + rows_values) * bytes + rows * (double)sizeof(int32_t)
                            : model->parameters * bytes,
        .optimizer = model->parameters * optimizer->state_values * state_bytes,
        .activations = batch * ((model->saved_values + model->working_values) * bytes +
                                model->saved_bytes),
    };
    if (precision == DTS_FP8) {
        memory.weights += 2 * model->eight_parameters;
        memory.activations += batch * model->eight_bytes;
    }
    memory.total = memory.weights + memory.gradients + memory.optimizer + memory.activations;
    return memory;
}
