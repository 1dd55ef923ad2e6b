/* context.c -- positions divided over context ranks, and how attention sees those of others.
 *
 * A causal mask hides more of the first positions than of the last ones. That ranks have as
 * much to do all the same is taken for granted: each has parts of the sequence that make up for
 * one another, the i-th of 2 c and the i-th from the end, as Megatron-LM and Llama 3 cut it.
 */
#include "train/model/cut/cut_private.h"

bool dts_cut_is_by_position(const struct dts_model *m, int layer)
{
    static const char *const kinds[] = {"embedding",
                                        "positional_embedding",
                                        "linear",
                                        "layer_norm",
                                        "rms_norm",
                                        "gelu",
                                        "relu",
                                        "relu6",
                                        "leaky_relu",
                                        "silu",
                                        "sigmoid",
                                        "tanh",
                                        "hardsigmoid",
                                        "hardswish",
                                        "dropout",
                                        "stochastic_depth",
                                        "add",
                                        "multiply",
                                        "rotary",
                                        "moe",
                                        "softmax_cross_entropy",
                                        NULL};
    for (int i = 0; kinds[i] != NULL; i++)
        if (dts_cut_is_kind(m, layer, kinds[i]))
            return true;
    const struct dts_layer *l = &m->layers[layer];
    const struct dts_dims *in = l->inputs[0] >= 0 ? &m->layers[l->inputs[0]].output : &m->input;
    return dts_cut_is_kind(m, layer, "slice") && l->output.count == 2 &&
           in->size[0] == l->output.size[0]; // of features
}

static bool divide(const struct dts_cutter *c, int layer, const char *what, size_t *size)
{
    return dts_cut_divide(c, layer, "context", c->question->context, what, size);
}

/* All positions, a part of the heads. */
static bool divide_heads(const struct dts_cutter *c, int layer, struct dts_op_call *call)
{
    const size_t ranks = (size_t)c->question->context;
    const size_t head = dts_dims_features(&call->output) / (size_t)call->heads;
    size_t heads = (size_t)call->heads;
    if (!divide(c, layer, "heads", &heads))
        return false;
    call->heads = (int)heads;
    call->output.size[1] /= ranks;
    for (int i = 0; i < call->input_count; i++) {
        size_t shared = call->inputs[i].size[1] / head;
        if (!divide(c, layer, "heads of keys and values", &shared))
            return false;
        call->inputs[i].size[1] = shared * head;
    }
    return true;
}

/* A part of the queries, all keys and values. */
static bool divide_queries(const struct dts_cutter *c, int layer, struct dts_op_call *call)
{
    if (call->input_count == 3 && !divide(c, layer, "positions", &call->inputs[0].size[0]))
        return false;
    return divide(c, layer, "positions", &call->output.size[0]);
}

static bool divide_positions(const struct dts_cutter *c, int layer, struct dts_op_call *call)
{
    const bool tokens = dts_cut_is_kind(c->model, layer, "embedding");
    for (int i = 0; i < call->input_count; i++) {
        struct dts_dims *in = &call->inputs[i];
        if ((in->count == 2 || tokens) && !divide(c, layer, "positions", &in->size[0]))
            return false;
    }
    return call->output.count != 2 || divide(c, layer, "positions", &call->output.size[0]);
}

bool dts_cut_context(const struct dts_cutter *c, int layer, struct dts_op_call *call)
{
    if (c->question->context == 1)
        return true;
    if (dts_cut_is_kind(c->model, layer, "attention"))
        return c->question->reach == DTS_CUT_ALL_TO_ALL ? divide_heads(c, layer, call)
                                                        : divide_queries(c, layer, call);
    if (dts_cut_is_by_position(c->model, layer))
        return divide_positions(c, layer, call);
    return dts_fail(c->err, DTS_BAD_INPUT,
                    "%s: layer %s: context ranks cannot divide the positions of a layer \"%s\"",
                    c->question->path, c->model->layers[layer].name,
                    c->model->layers[layer].kind->name);
}

static void exchange(struct dts_cut_layer *layer, enum dts_cut_moment moment,
                     enum dts_coll_kind kind, double values)
{
    dts_cut_add(layer, moment, DTS_CUT_CONTEXT, kind, values);
}

/* Positions for heads, of queries, keys and values; back, of what attention makes of them. */
static void trade_heads(struct dts_cut_layer *out, double queries, double keys)
{
    const double parts[3] = {queries, keys, keys};
    for (int i = 0; i < 3; i++) {
        exchange(out, DTS_CUT_BEFORE_FORWARD, DTS_ALLTOALL, parts[i]);
        exchange(out, DTS_CUT_AFTER_BACKWARD, DTS_ALLTOALL, parts[i]);
    }
    exchange(out, DTS_CUT_AFTER_FORWARD, DTS_ALLTOALL, queries);
    exchange(out, DTS_CUT_BEFORE_BACKWARD, DTS_ALLTOALL, queries);
}

/* Keys and values, before either pass; behind backward each rank keeps the sum of what all have
 * of the gradients of its own. */
static void gather(struct dts_cut_layer *out, double keys)
{
    for (int i = 0; i < 2; i++) {
        exchange(out, DTS_CUT_BEFORE_FORWARD, DTS_ALLGATHER, keys);
        exchange(out, DTS_CUT_BEFORE_BACKWARD, DTS_ALLGATHER, keys);
        exchange(out, DTS_CUT_AFTER_BACKWARD, DTS_REDUCE_SCATTER, keys);
    }
}

void dts_cut_context_exchanges(const struct dts_cutter *c, int layer)
{
    struct dts_cut_layer *out = &c->cut->layers[layer];
    const struct dts_op_call *call = &out->call;
    if (c->question->context == 1 || !dts_cut_is_kind(c->model, layer, "attention"))
        return;
    const double queries = (double)dts_dims_elements(&call->output);
    const double keys = call->input_count == 1 ? (double)dts_dims_elements(&call->inputs[0]) / 3
                                               : (double)dts_dims_elements(&call->inputs[1]);
    if (c->question->reach == DTS_CUT_ALL_TO_ALL)
        trade_heads(out, queries, keys);
    else if (c->question->reach == DTS_CUT_ALL_GATHER)
        gather(out, keys);
    else
        out->ring_values = 2 * keys / c->question->context;
}
