/* part.c -- shapes of a cut become a model, and slices of its parameters.
 *
 * Weights of linear layers are [outputs, inputs]: columns of the product are rows of the array,
 * one behind the other, and rows of the product a piece of each. Those of convolutions are
 * [outputs, inputs x kernel], which is the same. Where what follows is the
 * attention of rows q k v, a rank has its heads' part of each of the three.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "train/model/calls.h"
#include "train/model/cut/part_private.h"

size_t dts_part_blocks(const struct dts_cut_parter *p, int layer)
{
    for (int l = layer + 1; l < p->whole->layer_count; l++)
        if (dts_cut_reads(p->whole, l, layer) && dts_cut_is_kind(p->whole, l, "attention") &&
            p->whole->layers[l].input_count == 1)
            return 3;
    return 1;
}

/* Rows `here` of `all`, in blocks, of so many values each. */
static struct dts_param_slice rows_of(const struct dts_cut_parter *p, size_t all, size_t here,
                                      size_t blocks, size_t each)
{
    const size_t length = here / blocks * each;
    return (struct dts_param_slice){blocks, length, (size_t)p->rank * length,
                                    all / blocks * each};
}

size_t dts_part_outputs(const struct dts_cut_parter *p, int l, const struct dts_dims *output)
{
    return strncmp(p->whole->layers[l].kind->name, "conv", 4) == 0 ? output->size[0]
                                                                   : dts_dims_features(output);
}

/* Of some experts some of the hidden values: outputs of their first products, [experts, hidden,
 * features], and inputs of the last, [experts, features, hidden]. */
static struct dts_param_slice hidden_of(const struct dts_cut_parter *p, int l, int param)
{
    const struct dts_param *whole = &p->whole->layers[l].params[param];
    const struct dts_op_call *call = &p->cut->layers[l].call;
    const size_t ranks = (size_t)p->cut->ranks, each = whole->count / (size_t)call->experts;
    const size_t experts = (size_t)(call->experts / p->cut->experts);
    const size_t rows = strcmp(whole->name, "down") == 0 ? dts_dims_features(&call->output) : 1;
    const size_t row = each / rows;
    return (struct dts_param_slice){
        experts * rows, row / ranks,
        (size_t)p->expert * experts * each + (size_t)p->rank * (row / ranks), row};
}

static void set_slices(const struct dts_cut_parter *p, int l, struct dts_layer_part *part)
{
    const struct dts_layer *layer = &p->whole->layers[l];
    const struct dts_cut_layer *mine = &p->cut->layers[l];
    const size_t all = dts_part_outputs(p, l, &layer->output);
    const size_t here = dts_part_outputs(p, l, &mine->call.output);
    for (int i = 0; i < layer->param_count; i++) {
        const size_t whole = layer->params[i].count, count = mine->params[i];
        part->whole[i] = whole;
        part->divided[i] = count < whole;
        part->slices[i] = (struct dts_param_slice){1, count, 0, count};
        if (!part->divided[i])
            continue;
        if (mine->way == DTS_CUT_COLUMN)
            part->slices[i] = rows_of(p, all, here, dts_part_blocks(p, l), whole / all);
        else if (mine->way == DTS_CUT_TABLE)
            part->slices[i] =
                (struct dts_param_slice){1, count, (size_t)p->rank * count, count};
        else if (mine->way == DTS_CUT_EXPERTS)
            part->slices[i] = hidden_of(p, l, i);
        else // rows of the product
            part->slices[i] = (struct dts_param_slice){
                all, count / all, (size_t)p->rank * (count / all), whole / all};
    }
}

/* A rank's rows of a table, or classes of a loss, among all. */
static void set_places(const struct dts_cut_parter *p, int l, struct dts_layer_part *part)
{
    const enum dts_cut_way way = p->cut->layers[l].way;
    size_t here = 0;
    if (way == DTS_CUT_TABLE)
        here = part->call.table;
    else if (way == DTS_CUT_CLASSES)
        here = dts_dims_features(&part->call.inputs[0]);
    part->first = (size_t)p->rank * here;
    part->all = (size_t)p->cut->ranks * here;
    part->no_bias = way == DTS_CUT_ROW && p->rank > 0;
}

/* Positions of a sample before those that the rank has of what the layer makes. */
static size_t before_of(const struct dts_cut_parter *p, int l,
                        const struct dts_layer_part *part)
{
    size_t part_number = (size_t)p->context;
    if (p->cut->layers[l].way == DTS_CUT_SEQUENCE)
        part_number = part_number * (size_t)p->cut->ranks + (size_t)p->rank;
    return part_number * dts_dims_positions(&part->call.output);
}

static void set_positions(const struct dts_cut_parter *p, int l, struct dts_layer_part *part)
{
    const size_t before = before_of(p, l, part);
    if (dts_cut_is_kind(p->whole, l, "positional_embedding"))
        part->shift = before * dts_dims_features(&part->call.output);
    if (dts_cut_is_kind(p->whole, l, "rotary"))
        part->first = before;
    if (p->cut->context == 1)
        return;
    part->context = p->context;
    part->contexts = p->cut->context;
    if (!dts_cut_is_kind(p->whole, l, "attention"))
        return;
    part->call.context_ranks = p->cut->context;
    part->call.gathered = p->cut->reach == DTS_CUT_ALL_GATHER;
    for (int i = 0; part->call.gathered && i < part->call.input_count; i++)
        part->call.inputs[i].size[0] = part->call.output.size[0];
}

/* Of values of a tensor of which ranks have a part of the last size that they divide. */
static struct dts_op_places places_of(const struct dts_cut_parter *p,
                                      const struct dts_dims *here, const struct dts_dims *whole)
{
    struct dts_op_places places = {0};
    size_t row = 1, whole_row = 1;
    for (int d = here->count - 1; d >= 0 && places.row == 0; d--) {
        row *= here->size[d];
        whole_row *= whole->size[d];
        if (here->size[d] < whole->size[d])
            places = (struct dts_op_places){(size_t)p->rank * row, row, whole_row};
    }
    return places;
}

/* Heads of attention, of tensor and context ranks; values of dropout. */
static void set_draws(const struct dts_cut_parter *p, int l, struct dts_layer_part *part)
{
    const struct dts_op_call *call = &part->call;
    const bool values = p->cut->layers[l].way == DTS_CUT_VALUES;
    const size_t n = dts_dims_elements(&call->output);
    const size_t before = before_of(p, l, part);
    const int parts = p->cut->reach == DTS_CUT_ALL_TO_ALL ? p->cut->context : 1;
    if (dts_cut_is_kind(p->whole, l, "attention"))
        part->first = (size_t)((values ? p->rank : 0) * parts + (parts > 1 ? p->context : 0)) *
                      (size_t)call->heads;
    if (!dts_cut_is_kind(p->whole, l, "dropout"))
        return;
    if (!values && before > 0)
        part->drawn = (struct dts_op_places){before * dts_dims_features(&call->output), n, n};
    if (!values)
        return;
    part->drawn = places_of(p, &call->output, &p->whole->layers[l].output);
    if (p->cut->context > 1)
        part->drawn.first += before * part->drawn.whole_row;
}

/* Do tensor ranks exchange something behind backward? */
static bool brings(const struct dts_cut_layer *layer)
{
    for (int i = 0; i < layer->exchange_count[DTS_CUT_AFTER_BACKWARD]; i++)
        if (layer->exchange[DTS_CUT_AFTER_BACKWARD][i].among == DTS_CUT_TENSOR)
            return true;
    return false;
}

/* Parts of sums, and positions that ranks divide between products. */
static void set_sums(const struct dts_cut_parter *p, int l, struct dts_layer_part *part)
{
    const struct dts_cut_layer *mine = &p->cut->layers[l];
    part->splits = dts_part_splits(p, l);
    part->brings = part->splits && brings(mine);
    part->gathers = part->splits && p->cut->sequence;
    part->scatters = dts_part_scatters(p, l);
    for (int i = 0; i < mine->summed_params; i++)
        part->summed[i] = true;
}

/* Of a mixture with a part of the experts, or of their hidden values. */
static void set_experts(const struct dts_cut_parter *p, int l, struct dts_layer_part *part)
{
    if (p->cut->layers[l].way != DTS_CUT_EXPERTS)
        return;
    part->call.expert_ranks = p->cut->experts > 1 ? p->cut->experts : 0;
    for (int i = 0; i < p->whole->layers[l].param_count; i++) {
        part->call.params[i] = p->cut->layers[l].params[i];
        part->apart[i] = p->cut->experts > 1 && i >= p->cut->layers[l].expert_params;
    }
}

bool dts_cut_part(const struct dts_cut *cut, const struct dts_model *whole,
                  const struct dts_cut_rank *rank, struct dts_model **out,
                  struct dts_error *err)
{
    const struct dts_cut_parter p = {cut,          whole,         rank->tensor,
                                     rank->expert, rank->context, err};
    const size_t layers = (size_t)whole->layer_count;
    *out = NULL;
    for (int l = 0; l < whole->layer_count; l++)
        if (!dts_part_check(&p, l))
            return false;
    struct dts_model *part = dts_alloc(1, sizeof(*part));
    struct dts_layer_part *parts = dts_alloc(layers, sizeof(*parts));
    *part = *whole;
    part->layers = dts_alloc(layers, sizeof(*part->layers));
    memcpy(part->layers, whole->layers, layers * sizeof(*part->layers));
    for (int l = 0; l < whole->layer_count; l++) {
        struct dts_layer *layer = &part->layers[l];
        parts[l].call = cut->layers[l].call;
        set_slices(&p, l, &parts[l]);
        set_experts(&p, l, &parts[l]);
        set_places(&p, l, &parts[l]);
        set_positions(&p, l, &parts[l]);
        set_draws(&p, l, &parts[l]);
        set_sums(&p, l, &parts[l]);
        layer->part = &parts[l];
        layer->output = parts[l].call.output;
        if (parts[l].scatters)
            layer->output.size[0] /= (size_t)cut->ranks;
        for (int i = 0; i < layer->param_count; i++)
            layer->params[i].count = cut->layers[l].params[i];
    }
    *out = part;
    return true;
}

void dts_cut_part_free(struct dts_model *part)
{
    if (part == NULL)
        return;
    free((struct dts_layer_part *)part->layers[0].part); // all are one array
    free(part->layers);
    free(part);
}
