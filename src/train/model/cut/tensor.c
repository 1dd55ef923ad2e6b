/* tensor.c -- which layers tensor ranks divide, and what they exchange. */
#include "train/model/cut/cut_private.h"

/* Layers that work value by value or head by head. */
static bool is_local(const struct dts_model *m, int layer)
{
    static const char *const kinds[] = {"gelu",    "relu",     "silu",      "sigmoid", "tanh",
                                        "dropout", "multiply", "attention", "rotary",  NULL};
    for (int i = 0; kinds[i] != NULL; i++)
        if (dts_cut_is_kind(m, layer, kinds[i]))
            return true;
    const struct dts_dims *out = &m->layers[layer].output; // of features, the same of each head
    return dts_cut_is_kind(m, layer, "slice") && out->count == 2 &&
           m->layers[layer].inputs[0] >= 0 &&
           out->size[0] == m->layers[m->layers[layer].inputs[0]].output.size[0];
}

/* A linear layer; of a sampled softmax each step computes other outputs, which no rank has a
 * part of. */
static bool is_product(const struct dts_model *m, int layer)
{
    const struct dts_layer *l = &m->layers[layer];
    return dts_cut_is_kind(m, layer, "linear") &&
           (l->param_count == 0 || l->params[0].drawn <= 0);
}

/* Does all that reads this tensor lead to linear layers, by local layers alone? */
static bool ends_in_products(const struct dts_model *m, int tensor)
{
    bool any = false;
    for (int l = tensor + 1; l < m->layer_count; l++) {
        if (!dts_cut_reads(m, l, tensor))
            continue;
        any = true;
        if (!is_product(m, l) && !(is_local(m, l) && ends_in_products(m, l)))
            return false;
    }
    return any;
}

/* Is the tensor read by one layer, a cross entropy? */
static bool is_logits(const struct dts_model *m, int tensor)
{
    int readers = 0, losses = 0;
    for (int l = tensor + 1; l < m->layer_count; l++)
        if (dts_cut_reads(m, l, tensor)) {
            readers++;
            losses += dts_cut_is_kind(m, l, "softmax_cross_entropy");
        }
    return readers == 1 && losses == 1;
}

static bool has_divided_input(const struct dts_cutter *c, int layer)
{
    const struct dts_layer *l = &c->model->layers[layer];
    for (int i = 0; i < l->input_count; i++) {
        const enum dts_cut_way way =
            l->inputs[i] >= 0 ? c->cut->layers[l->inputs[i]].way : DTS_CUT_NOT;
        if (way == DTS_CUT_COLUMN || way == DTS_CUT_VALUES)
            return true;
    }
    return false;
}

/* With the sequence divided all between an embedding and the logits is [positions, features].
 */
static enum dts_cut_way whole_way(const struct dts_cutter *c, int layer)
{
    const struct dts_dims *out = &c->model->layers[layer].output;
    // a layer that has picked some of the positions is whole
    const bool all = out->count == 2 && out->size[0] == c->model->input.size[0];
    return c->cut->sequence && all ? DTS_CUT_SEQUENCE : DTS_CUT_NOT;
}

enum dts_cut_way dts_cut_way_of(const struct dts_cutter *c, int layer)
{
    if (dts_cut_is_kind(c->model, layer, "moe") && (c->cut->ranks > 1 || c->cut->experts > 1))
        return DTS_CUT_EXPERTS;
    if (c->cut->ranks == 1)
        return DTS_CUT_NOT;
    const struct dts_model *m = c->model;
    enum dts_cut_way way;
    if (dts_cut_channel_way(c, layer, &way))
        return way;
    const bool divided = has_divided_input(c, layer);
    if (dts_cut_is_kind(m, layer, "embedding"))
        return DTS_CUT_TABLE;
    if (dts_cut_is_kind(m, layer, "softmax_cross_entropy"))
        return divided ? DTS_CUT_CLASSES : DTS_CUT_NOT;
    if (is_product(m, layer)) {
        if (divided)
            return DTS_CUT_ROW;
        return ends_in_products(m, layer) || is_logits(m, layer) ? DTS_CUT_COLUMN
                                                                 : whole_way(c, layer);
    }
    return divided && is_local(m, layer) ? DTS_CUT_VALUES : whole_way(c, layer);
}

static bool divide(const struct dts_cutter *c, int layer, const char *what, size_t *size)
{
    return dts_cut_divide(c, layer, "tensor", c->cut->ranks, what, size);
}

static bool divide_last(const struct dts_cutter *c, int layer, const char *what,
                        struct dts_dims *dims)
{
    return divide(c, layer, what, &dims->size[dims->count - 1]);
}

static bool refuse_heads(const struct dts_cutter *c, int layer, size_t heads)
{
    return dts_fail(c->err, DTS_BAD_INPUT,
                    "%s: layer %s: %d tensor ranks do not divide its heads of keys and values, "
                    "%zu",
                    c->question->path, c->model->layers[layer].name, c->cut->ranks, heads);
}

/* Keys and values of fewer heads than ranks have a head on each of them. */
static bool divide_attention(const struct dts_cutter *c, int layer, struct dts_op_call *call)
{
    size_t heads = (size_t)call->heads;
    const size_t head = dts_dims_features(&call->output) / heads;
    if (!divide(c, layer, "heads", &heads) || !divide_last(c, layer, "features", &call->output))
        return false;
    call->heads = (int)heads;
    for (int i = 0; i < call->input_count; i++) {
        size_t *features = &call->inputs[i].size[call->inputs[i].count - 1];
        const size_t there = *features / (size_t)c->cut->ranks;
        const size_t least = call->input_count == 1 ? 3 * head : head;
        if (*features % (size_t)c->cut->ranks != 0 || there % head != 0) {
            if (*features >= head * (size_t)c->cut->ranks)
                return refuse_heads(c, layer, *features / head);
            *features = least;
            continue;
        }
        *features = there < least ? least : there;
    }
    return true;
}

static bool divide_values(const struct dts_cutter *c, int layer, struct dts_op_call *call)
{
    if (dts_cut_is_kind(c->model, layer, "attention"))
        return divide_attention(c, layer, call);
    if (dts_cut_is_kind(c->model, layer, "rotary")) // of keys there may be fewer than ranks
        call->heads = call->heads > c->cut->ranks ? call->heads / c->cut->ranks : 1;
    for (int i = 0; i < call->input_count; i++)
        if (!divide_last(c, layer, "features", &call->inputs[i]))
            return false;
    return divide_last(c, layer, "features", &call->output);
}

static bool divide_positions(const struct dts_cutter *c, int layer, struct dts_op_call *call)
{
    for (int i = 0; i < call->input_count; i++)
        if (call->inputs[i].count == 2 &&
            !divide(c, layer, "positions", &call->inputs[i].size[0]))
            return false;
    return divide(c, layer, "positions", &call->output.size[0]);
}

/* Tables are filled up to a multiple, as Megatron-LM does. */
static size_t rounded_part(size_t rows, int ranks)
{
    return (rows + (size_t)ranks - 1) / (size_t)ranks;
}

bool dts_cut_tensor(const struct dts_cutter *c, int layer, enum dts_cut_way way,
                    struct dts_op_call *call)
{
    const size_t ranks = (size_t)c->cut->ranks;
    const bool channels = dts_cut_is_convolution(c->model, layer) ||
                          (way == DTS_CUT_VALUES && dts_cut_in_channels(c, layer));
    if (channels && way != DTS_CUT_NOT)
        return dts_cut_divide_channels(c, layer, way, call);
    const size_t features = dts_dims_features(&call->output);
    size_t *last_out = &call->output.size[call->output.count - 1];
    switch (way) {
    case DTS_CUT_NOT:
        return true;
    case DTS_CUT_SEQUENCE:
        return divide_positions(c, layer, call);
    case DTS_CUT_VALUES:
        return divide_values(c, layer, call);
    case DTS_CUT_COLUMN:
        if (is_logits(c->model, layer))
            *last_out = rounded_part(features, c->cut->ranks);
        else if (!divide(c, layer, "outputs", last_out))
            return false;
        call->params[0] = call->params[0] / features * *last_out;
        if (call->bias)
            call->params[call->param_count - 1] = *last_out;
        return true;
    case DTS_CUT_ROW:
        call->params[0] /= ranks;
        return divide_last(c, layer, "inputs", &call->inputs[0]);
    case DTS_CUT_TABLE:
        call->table = rounded_part(call->table, c->cut->ranks);
        call->params[0] = call->table * features;
        return true;
    case DTS_CUT_CLASSES:
        call->inputs[0].size[call->inputs[0].count - 1] =
            rounded_part(dts_dims_features(&call->inputs[0]), c->cut->ranks);
        return true;
    case DTS_CUT_EXPERTS:
        return !dts_cut_sends_parts(c, layer) || divide_positions(c, layer, call);
    case DTS_CUT_FILTER:
    case DTS_CUT_CHANNEL:
        break; // convolutions, above
    }
    return true;
}

/* Does it read a whole tensor, of which it makes a part? */
static bool makes_part(const struct dts_cutter *c, int layer)
{
    const enum dts_cut_way way = c->cut->layers[layer].way;
    return way == DTS_CUT_COLUMN || (way == DTS_CUT_EXPERTS && !dts_cut_sends_parts(c, layer));
}

static bool is_first_reader(const struct dts_cutter *c, int layer)
{
    const int tensor = c->model->layers[layer].inputs[0];
    for (int l = tensor + 1; l < layer; l++)
        if (dts_cut_reads(c->model, l, tensor) && makes_part(c, l))
            return false;
    return true;
}

static void exchange(struct dts_cut_layer *layer, enum dts_cut_moment moment,
                     enum dts_coll_kind kind, double values)
{
    dts_cut_add(layer, moment, DTS_CUT_TENSOR, kind, values);
}

/* Each rank's largest logit, sum of exponentials and the target's logit of each position. */
static void exchange_classes(const struct dts_cutter *c, int l)
{
    const int from = c->model->layers[l].inputs[0];
    const double classes = (double)dts_dims_features(&c->model->layers[from].output);
    exchange(&c->cut->layers[l], DTS_CUT_AFTER_FORWARD, DTS_ALLGATHER,
             3 * c->cut->ranks * (dts_cut_values(c, from) / classes));
}

/* With whole tensors a sum is an all-reduce; with a divided sequence it is a reduce-scatter,
 * and the ranks gather before the next product. Several layers that read one tensor share one
 * exchange, which belongs to the first: its backward call is the last of theirs. */
void dts_cut_tensor_exchanges(const struct dts_cutter *c, int l)
{
    struct dts_cut_layer *out = &c->cut->layers[l];
    const bool sequence = c->cut->sequence;
    const double in = dts_cut_values(c, c->model->layers[l].inputs[0]);
    const double result = dts_cut_values(c, l);
    const enum dts_coll_kind sum = sequence ? DTS_REDUCE_SCATTER : DTS_ALLREDUCE;
    if (c->cut->ranks == 1)
        return;
    if (dts_cut_is_convolution(c->model, l)) {
        dts_cut_channel_exchanges(c, l);
        return;
    }
    const bool makes = makes_part(c, l);
    if (makes && is_first_reader(c, l)) {
        exchange(out, DTS_CUT_AFTER_BACKWARD, sum, in);
        if (sequence)
            exchange(out, DTS_CUT_BEFORE_FORWARD, DTS_ALLGATHER, in);
    }
    if (out->way == DTS_CUT_ROW || out->way == DTS_CUT_TABLE ||
        (out->way == DTS_CUT_EXPERTS && makes)) {
        exchange(out, DTS_CUT_AFTER_FORWARD, sum, result);
        if (sequence)
            exchange(out, DTS_CUT_BEFORE_BACKWARD, DTS_ALLGATHER, result);
    }
    if (out->way == DTS_CUT_CLASSES)
        exchange_classes(c, l);
}
