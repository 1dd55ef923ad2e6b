/* part.c -- shapes of a cut become a model, and slices of its parameters.
 *
 * Weights of linear layers are [outputs, inputs]: columns of the product are rows of the array,
 * one behind the other, and rows of the product a piece of each. Where what follows is the
 * attention of rows q k v, a rank has its heads' part of each of the three.
 */
#include "train/model/cut/part.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "train/model/calls.h"

struct parter {
    const struct dts_cut *cut;
    const struct dts_model *whole;
    int rank, expert, context;
    struct dts_error *err;
};

static bool is_kind(const struct parter *p, int layer, const char *kind)
{
    return strcmp(p->whole->layers[layer].kind->name, kind) == 0;
}

static bool reads(const struct dts_model *m, int layer, int tensor)
{
    for (int i = 0; i < m->layers[layer].input_count; i++)
        if (m->layers[layer].inputs[i] == tensor)
            return true;
    return false;
}

static bool refuse(const struct parter *p, int layer, const char *why)
{
    return dts_fail(p->err, DTS_UNSUPPORTED,
                    "live.compute: kernels: %s: layer %s: tensor ranks %s", p->whole->name,
                    p->whole->layers[layer].name, why);
}

/* How many parts of its outputs each rank has a part of: 3 for the rows q k v of attention. */
static size_t blocks_of(const struct parter *p, int layer)
{
    for (int l = layer + 1; l < p->whole->layer_count; l++)
        if (reads(p->whole, l, layer) && is_kind(p, l, "attention") &&
            p->whole->layers[l].input_count == 1)
            return 3;
    return 1;
}

/* Rows `here` of `all`, in blocks, of so many values each. */
static struct dts_param_slice rows_of(const struct parter *p, size_t all, size_t here,
                                      size_t blocks, size_t each)
{
    const size_t length = here / blocks * each;
    return (struct dts_param_slice){blocks, length, (size_t)p->rank * length,
                                    all / blocks * each};
}

static void set_slices(const struct parter *p, int l, struct dts_layer_part *part)
{
    const struct dts_layer *layer = &p->whole->layers[l];
    const struct dts_cut_layer *mine = &p->cut->layers[l];
    const size_t all = dts_dims_features(&layer->output);
    const size_t here = dts_dims_features(&mine->call.output);
    for (int i = 0; i < layer->param_count; i++) {
        const size_t whole = layer->params[i].count, count = mine->params[i];
        part->whole[i] = whole;
        part->divided[i] = count < whole;
        part->slices[i] = (struct dts_param_slice){1, count, 0, count};
        if (!part->divided[i])
            continue;
        if (mine->way == DTS_CUT_COLUMN)
            part->slices[i] = rows_of(p, all, here, blocks_of(p, l), whole / all);
        else if (mine->way == DTS_CUT_TABLE || mine->way == DTS_CUT_EXPERTS)
            part->slices[i] = (struct dts_param_slice){
                1, count, (size_t)(mine->way == DTS_CUT_TABLE ? p->rank : p->expert) * count,
                count};
        else // rows of the product
            part->slices[i] = (struct dts_param_slice){
                all, count / all, (size_t)p->rank * (count / all), whole / all};
    }
}

/* A tensor whose gradient ranks add up must not have parts that all of them have whole. */
static bool check_readers(const struct parter *p, int layer)
{
    const int tensor = p->whole->layers[layer].inputs[0];
    for (int l = tensor + 1; tensor >= 0 && l < p->whole->layer_count; l++)
        if (reads(p->whole, l, tensor) && p->cut->layers[l].way != DTS_CUT_COLUMN)
            return refuse(p, layer,
                          "add up the gradient of its input, which other layers read, too");
    return true;
}

static bool check_attention(const struct parter *p, int l)
{
    const struct dts_op_call *here = &p->cut->layers[l].call;
    const struct dts_layer *layer = &p->whole->layers[l];
    for (int i = 0; i < layer->input_count; i++) {
        const struct dts_dims *whole = layer->inputs[i] >= 0
                                           ? &p->whole->layers[layer->inputs[i]].output
                                           : &p->whole->input;
        if (dts_dims_features(&here->inputs[i]) * (size_t)(p->cut->ranks * p->cut->context) !=
            dts_dims_features(whole))
            return refuse(p, l, "would share heads of keys and values");
    }
    return true;
}

static bool refuse_context(const struct parter *p, int layer, const char *why)
{
    return dts_fail(p->err, DTS_UNSUPPORTED,
                    "live.compute: kernels: %s: layer %s: context ranks %s", p->whole->name,
                    p->whole->layers[layer].name, why);
}

/* What follows from all positions of a sample. */
static bool check_context(const struct parter *p, int l)
{
    const struct dts_op_call *call = &p->cut->layers[l].call;
    if (p->cut->context == 1)
        return true;
    if (call->rate > 0 && !is_kind(p, l, "stochastic_depth"))
        return refuse_context(p, l, "would draw other dropout than one rank does");
    if (call->capacity > 0)
        return refuse_context(p, l, "would count an expert's capacity by their own positions");
    return call->ignored == 0 ||
           refuse_context(p, l, "would not know how many targets of a sample count");
}

/* What kernels draw or find by its place in the whole. */
static bool check(const struct parter *p, int l)
{
    const struct dts_cut_layer *mine = &p->cut->layers[l];
    const struct dts_layer *layer = &p->whole->layers[l];
    switch (mine->way) {
    case DTS_CUT_NOT:
    case DTS_CUT_ROW:
        return true;
    case DTS_CUT_SEQUENCE:
        return refuse(p, l, "divide the sequence in simulation alone, so far");
    case DTS_CUT_VALUES:
        if (mine->call.rate > 0)
            return refuse(p, l, "would draw other dropout than one rank does");
        if (is_kind(p, l, "rotary") &&
            mine->call.heads * p->cut->ranks != dts_model_call(p->whole, l).heads)
            return refuse(p, l, "would share heads of keys");
        return !is_kind(p, l, "attention") || check_attention(p, l);
    case DTS_CUT_COLUMN:
        if (dts_dims_features(&mine->call.output) * (size_t)p->cut->ranks !=
            dts_dims_features(&layer->output))
            return refuse(p, l, "do not divide its outputs");
        return check_readers(p, l);
    case DTS_CUT_TABLE:
        return mine->params[0] * (size_t)p->cut->ranks == layer->params[0].count ||
               refuse(p, l, "do not divide its rows");
    case DTS_CUT_CLASSES:
        return layer->inputs[0] >= 0;
    case DTS_CUT_EXPERTS:
        return p->cut->ranks == 1 || refuse(p, l, "divide experts in simulation alone, so far");
    }
    return true;
}

/* A rank's rows of a table, or classes of a loss, among all. */
static void set_places(const struct parter *p, int l, struct dts_layer_part *part)
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
    if (p->cut->context == 1)
        return;
    const size_t before = (size_t)p->context * dts_dims_positions(&part->call.output);
    part->context = p->context;
    part->contexts = p->cut->context;
    if (is_kind(p, l, "attention"))
        part->call.context_ranks = p->cut->context;
    if (is_kind(p, l, "rotary"))
        part->first = before;
    if (is_kind(p, l, "positional_embedding"))
        part->shift = before * dts_dims_features(&part->call.output);
}

/* Of a mixture with a part of the experts. */
static void set_experts(const struct parter *p, int l, struct dts_layer_part *part)
{
    if (p->cut->layers[l].way != DTS_CUT_EXPERTS)
        return;
    part->call.expert_ranks = p->cut->experts;
    for (int i = 0; i < p->whole->layers[l].param_count; i++) {
        part->call.params[i] = p->cut->layers[l].params[i];
        part->apart[i] = i >= p->cut->layers[l].expert_params;
    }
}

bool dts_cut_part(const struct dts_cut *cut, const struct dts_model *whole,
                  const struct dts_cut_rank *rank, struct dts_model **out,
                  struct dts_error *err)
{
    const struct parter p = {cut, whole, rank->tensor, rank->expert, rank->context, err};
    const size_t layers = (size_t)whole->layer_count;
    *out = NULL;
    for (int l = 0; l < whole->layer_count; l++)
        if (!check_context(&p, l) || !check(&p, l))
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
        layer->part = &parts[l];
        layer->output = parts[l].call.output;
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
