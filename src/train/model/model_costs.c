/* model_costs.c -- from the costs of single layers' calls to those of the network.
 *
 * - A layer whose call moves nothing is a view: its output is its input's memory.
 * - A layer learns when it has weights or takes in what a learning layer puts out. Nothing
 * needs the gradient of the model's input: the first convolution only makes that of its
 * weights.
 * - Where an output is taken in k times, k gradients are summed: k - 1 additions, and three
 *   values moved for each. They belong to the layer whose output it is.
 * - A tensor is kept for backward once, however many layers read it, and belongs to the layer
 *   that made it; the model's input to the first layer that keeps it.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "train/model/calls.h"
#include "train/model/model_read.h"

/* What is known of a layer's output, or of the model's input: tensors[DTS_MODEL_ENTRY]. */
struct tensor {
    bool learns;                 // some weight before it: it needs a gradient
    bool kept;                   // for backward
    int memory;                  // the layer in whose output's memory it is
    bool by_products, by_others; // who keeps it: products that may be in 8 bits
    int takers;                  // learning layers that take it in
    double count;                // values
};

static void count_calls(struct dts_model *model)
{
    for (int l = 0; l < model->layer_count; l++) {
        struct dts_layer *layer = &model->layers[l];
        layer->cost = (struct dts_op_cost){.class = DTS_WORK_MEMORY};
        if (layer->kind->cost != NULL) {
            const struct dts_op_call call = dts_model_call(model, l);
            layer->cost = layer->kind->cost(&call);
        }
        layer->view = layer->cost.forward_values <= 0;
    }
}

static void find_learning(const struct dts_model *model, struct tensor *tensors)
{
    for (int i = 0; i < model->layer_count; i++) {
        const struct dts_layer *layer = &model->layers[i];
        struct tensor *t = &tensors[i];
        t->learns = layer->param_count > 0 || layer->tied_to >= 0 || layer->shares >= 0;
        t->count = (double)dts_dims_elements(&layer->output);
        t->memory = layer->view ? tensors[layer->inputs[0]].memory : i;
        for (int k = 0; k < layer->input_count; k++)
            t->learns |= tensors[layer->inputs[k]].learns;
        for (int k = 0; k < layer->input_count && t->learns; k++)
            tensors[layer->inputs[k]].takers++;
    }
}

static bool input_learns(const struct dts_layer *layer, const struct tensor *tensors)
{
    for (int k = 0; k < layer->input_count; k++)
        if (tensors[layer->inputs[k]].learns)
            return true;
    return false;
}

static void cut_backward(struct dts_layer *layer, const struct tensor *tensors,
                         const struct tensor *output)
{
    struct dts_op_cost *cost = &layer->cost;
    if (!output->learns) {
        cost->backward_flops = cost->backward_values = 0;
        cost->saved_values = cost->saved_bytes = 0;
        cost->backward_sum_values = 0;
        cost->saves_input = cost->saves_output = false;
    } else if (!input_learns(layer, tensors)) {
        cost->backward_flops -= cost->input_flops;
        cost->backward_values -= cost->input_values;
        cost->backward_sum_values = 0; // they are for the gradient of the input alone
        cost->input_rows = cost->input_columns = 0;
    }
    if (output->learns && output->takers > 1) {
        layer->fork_values = (output->takers - 1) * output->count;
        cost->backward_flops += layer->fork_values;
        cost->backward_values += 3 * layer->fork_values;
    }
}

/* Layer i keeps a tensor, which may lie in the memory of another. */
static void keep(struct dts_model *model, struct tensor *tensors, int tensor, int i)
{
    int memory = tensors[tensor].memory;
    int owner = memory == DTS_MODEL_ENTRY ? i : memory;
    if (!tensors[memory].kept)
        model->layers[owner].cost.saved_values += tensors[memory].count;
    tensors[memory].kept = true;
}

static bool is_kind(const struct dts_layer *layer, const char *name)
{
    return layer->kind != NULL && strcmp(layer->kind->name, name) == 0;
}

/* Software leaves the product before a loss, with the vocabulary or the classes, in 16 bits. */
static void find_eight(struct dts_model *model)
{
    for (int i = 0; i < model->layer_count; i++) {
        struct dts_layer *layer = &model->layers[i];
        layer->eight = is_kind(layer, "linear") || is_kind(layer, "moe");
        const int from = layer->inputs[0];
        const bool loss =
            is_kind(layer, "softmax_cross_entropy") || is_kind(layer, "mean_squared_error");
        if (loss && from >= 0)
            model->layers[from].eight = false;
    }
}

/* Who keeps the tensors that layer i reads and makes. A mixture keeps its own. */
static void note_eight(const struct dts_layer *layer, struct tensor *tensors, int i)
{
    const bool product = layer->eight && is_kind(layer, "linear");
    for (int k = 0; k < layer->input_count && layer->cost.saves_input; k++) {
        struct tensor *t = &tensors[tensors[layer->inputs[k]].memory];
        t->by_products |= product;
        t->by_others |= !product;
    }
    if (layer->cost.saves_output)
        tensors[tensors[i].memory].by_others = true;
}

static void add_eight(struct dts_model *model, const struct tensor *tensors)
{
    for (int i = 0; i < model->layer_count; i++)
        if (tensors[i].by_products)
            model->layers[i].eight_bytes =
                tensors[i].by_others ? tensors[i].count : -tensors[i].count;
}

/* The gradients of a layer's output and inputs, beside what it and those before it keep: the
 * most of this above what all layers keep. */
static double find_working(const struct dts_model *model, const struct tensor *tensors)
{
    double kept = 0, most = 0;
    for (int i = 0; i < model->layer_count; i++) {
        const struct dts_layer *layer = &model->layers[i];
        kept += layer->cost.saved_values;
        double needed = tensors[i].learns ? kept + tensors[i].count : kept;
        for (int k = 0; k < layer->input_count; k++)
            if (tensors[layer->inputs[k]].learns)
                needed += tensors[layer->inputs[k]].count;
        most = needed > most ? needed : most;
    }
    return most - kept;
}

void dts_model_find_costs(struct dts_model *model)
{
    struct tensor *all = dts_alloc((size_t)model->layer_count + 1, sizeof(*all));
    struct tensor *tensors = all + 1; // the model's input comes before the layers
    tensors[DTS_MODEL_ENTRY].memory = DTS_MODEL_ENTRY;
    tensors[DTS_MODEL_ENTRY].count = (double)dts_dims_elements(&model->input);
    count_calls(model);
    find_eight(model);
    find_learning(model, tensors);

    for (int i = 0; i < model->layer_count; i++) {
        struct dts_layer *layer = &model->layers[i];
        cut_backward(layer, tensors, &tensors[i]);
        for (int k = 0; k < layer->input_count && layer->cost.saves_input; k++)
            keep(model, tensors, layer->inputs[k], i);
        if (layer->cost.saves_output)
            keep(model, tensors, i, i);
        note_eight(layer, tensors, i);
    }
    add_eight(model, tensors);
    for (int i = 0; i < model->layer_count; i++) {
        const struct dts_layer *layer = &model->layers[i];
        for (int p = 0; p < layer->param_count; p++)
            model->parameters += (double)layer->params[p].count;
        model->forward_flops += layer->cost.forward_flops;
        model->backward_flops += layer->cost.backward_flops;
        model->product_flops += layer->cost.product_flops;
        model->repeated_flops += layer->cost.repeated_flops;
        model->saved_values += layer->cost.saved_values;
        model->saved_bytes += layer->cost.saved_bytes;
        model->eight_bytes += layer->eight_bytes;
        for (int p = 0; p < layer->param_count && layer->eight; p++)
            model->eight_parameters += (double)layer->params[p].count;
    }
    if (strcmp(model->sample, "sequence") == 0)
        model->tokens = (double)model->input.size[0];
    model->working_values = find_working(model, tensors);
    free(all);
}
