/* part_check.c -- what ranks that have parts of a network would compute otherwise than one. */
#include "train/model/calls.h"
#include "train/model/cut/part_private.h"

static bool refuse(const struct dts_cut_parter *p, int layer, const char *why)
{
    return dts_fail(p->err, DTS_UNSUPPORTED,
                    "live.compute: kernels: %s: layer %s: tensor ranks %s", p->whole->name,
                    p->whole->layers[layer].name, why);
}

/* Has each rank its positions of that tensor, or of the model's input (-1)? */
static bool is_spread(const struct dts_cut_parter *p, int tensor)
{
    if (!p->cut->sequence || tensor < 0)
        return false;
    const enum dts_cut_way way = p->cut->layers[tensor].way;
    const struct dts_dims *whole = &p->whole->layers[tensor].output;
    return way == DTS_CUT_SEQUENCE ||
           ((way == DTS_CUT_ROW || way == DTS_CUT_TABLE || way == DTS_CUT_EXPERTS) &&
            whole->count == 2 && whole->size[0] == p->whole->input.size[0]);
}

bool dts_part_makes(const struct dts_cut_parter *p, int l)
{
    const enum dts_cut_way way = p->cut->layers[l].way;
    return way == DTS_CUT_COLUMN || (way == DTS_CUT_EXPERTS && p->cut->ranks > 1);
}

bool dts_part_scatters(const struct dts_cut_parter *p, int l)
{
    return p->cut->layers[l].way != DTS_CUT_SEQUENCE && is_spread(p, l);
}

bool dts_part_splits(const struct dts_cut_parter *p, int layer)
{
    const int tensor = p->whole->layers[layer].inputs[0];
    bool splits = p->cut->sequence;
    for (int l = tensor + 1; tensor >= 0 && l < p->whole->layer_count; l++)
        splits = splits || (dts_cut_reads(p->whole, l, tensor) && !dts_part_makes(p, l));
    return splits && dts_part_makes(p, layer);
}

/* Has each rank some of the features, or of the heads? */
static bool is_divided(const struct dts_cut_parter *p, int tensor)
{
    return tensor >= 0 && (p->cut->layers[tensor].way == DTS_CUT_COLUMN ||
                           p->cut->layers[tensor].way == DTS_CUT_VALUES);
}

/* With the sequence divided: what comes in is what the way of the layer takes for granted. */
static bool check_sequence(const struct dts_cut_parter *p, int l)
{
    const struct dts_layer *layer = &p->whole->layers[l];
    const enum dts_cut_way way = p->cut->layers[l].way;
    const bool sums = way == DTS_CUT_ROW || way == DTS_CUT_TABLE || way == DTS_CUT_EXPERTS;
    const bool spread = way == DTS_CUT_SEQUENCE || dts_part_makes(p, l);
    if (!p->cut->sequence)
        return true;
    for (int i = 0; i < layer->input_count && way != DTS_CUT_TABLE; i++)
        if (is_spread(p, layer->inputs[i]) != spread)
            return refuse(p, l,
                          spread ? "divide positions of what each of them has"
                                 : "have their positions alone of what it reads");
    if (way == DTS_CUT_SEQUENCE && !dts_cut_is_by_position(p->whole, l))
        return refuse(p, l, "cannot divide its positions");
    return !sums || is_spread(p, l) ||
           refuse(p, l, "add up what has no positions to be divided");
}

/* Rows of queries, keys and values are a rank's part of each for attention alone. */
static bool check_blocks(const struct dts_cut_parter *p, int layer)
{
    for (int l = layer + 1; l < p->whole->layer_count && dts_part_blocks(p, layer) > 1; l++)
        if (dts_cut_reads(p->whole, l, layer) && !dts_cut_is_kind(p->whole, l, "attention"))
            return refuse(p, layer, "divide each of its queries, keys and values");
    return true;
}

static bool check_attention(const struct dts_cut_parter *p, int l)
{
    const struct dts_op_call *here = &p->cut->layers[l].call;
    const struct dts_layer *layer = &p->whole->layers[l];
    if (layer->input_count == 1 && p->cut->layers[layer->inputs[0]].way != DTS_CUT_COLUMN)
        return refuse(p, l, "have other queries, keys and values than a product leaves");
    const int parts = p->cut->reach == DTS_CUT_ALL_TO_ALL ? p->cut->context : 1;
    for (int i = 0; i < layer->input_count; i++) {
        const struct dts_dims *whole = layer->inputs[i] >= 0
                                           ? &p->whole->layers[layer->inputs[i]].output
                                           : &p->whole->input;
        if (dts_dims_features(&here->inputs[i]) * (size_t)(p->cut->ranks * parts) !=
            dts_dims_features(whole))
            return refuse(p, l, "would share heads of keys and values");
    }
    return true;
}

static bool refuse_context(const struct dts_cut_parter *p, int layer, const char *why)
{
    return dts_fail(p->err, DTS_UNSUPPORTED,
                    "live.compute: kernels: %s: layer %s: context ranks %s", p->whole->name,
                    p->whole->layers[layer].name, why);
}

/* What follows from all positions of a sample. */
static bool check_context(const struct dts_cut_parter *p, int l)
{
    const struct dts_op_call *call = &p->cut->layers[l].call;
    if (p->cut->context == 1)
        return true;
    if (call->capacity > 0)
        return refuse_context(p, l, "would count an expert's capacity by their own positions");
    return call->ignored == 0 ||
           refuse_context(p, l, "would not know how many targets of a sample count");
}

/* What kernels find by its place in the whole. */
static bool check_way(const struct dts_cut_parter *p, int l)
{
    const struct dts_cut_layer *mine = &p->cut->layers[l];
    const struct dts_layer *layer = &p->whole->layers[l];
    switch (mine->way) {
    case DTS_CUT_NOT:
    case DTS_CUT_ROW:
    case DTS_CUT_SEQUENCE:
        return true;
    case DTS_CUT_VALUES:
        for (int i = 0; i < layer->input_count; i++)
            if (!is_divided(p, layer->inputs[i]))
                return refuse(p, l, "have a part of one input, and all of another one");
        if (dts_cut_is_kind(p->whole, l, "batch_norm"))
            return refuse(p, l, "would keep running statistics of their channels alone");
        if (dts_cut_is_kind(p->whole, l, "rotary") &&
            mine->call.heads * p->cut->ranks != dts_model_call(p->whole, l).heads)
            return refuse(p, l, "would share heads of keys");
        return !dts_cut_is_kind(p->whole, l, "attention") || check_attention(p, l);
    case DTS_CUT_COLUMN:
        if (dts_part_outputs(p, l, &mine->call.output) * (size_t)p->cut->ranks !=
            dts_part_outputs(p, l, &layer->output))
            return refuse(p, l, "do not divide its outputs");
        return check_blocks(p, l);
    case DTS_CUT_TABLE:
        return mine->params[0] * (size_t)p->cut->ranks == layer->params[0].count ||
               refuse(p, l, "do not divide its rows");
    case DTS_CUT_CLASSES:
        return layer->inputs[0] >= 0;
    case DTS_CUT_EXPERTS:
        return true;
    case DTS_CUT_FILTER:
    case DTS_CUT_CHANNEL:
        return refuse(p, l,
                      "gather or sum up all of it in simulation alone, so far: "
                      "live.compute: timed runs the plan");
    }
    return true;
}

bool dts_part_check(const struct dts_cut_parter *p, int l)
{
    return check_context(p, l) && check_sequence(p, l) && check_way(p, l);
}
