/* channels.c -- convolutions whose channels tensor ranks divide, and what these exchange, in
 * values of x, which comes in, and y, which leaves (Dryden et al. 2019,
 * doi:10.1145/3295500.3356207; Kahira et al. 2021, arXiv:2104.09075, table 3):
 *
 *                 forward                     backward
 *     filter      all-gather of y             all-reduce of dL/dx
 *     channel     all-reduce of y             all-gather of dL/dx
 *     column                                  all-reduce of dL/dx
 *     row         all-reduce of y
 *
 * A column leaves a part of the channels on each rank. Layers that work channel by channel go
 * on with that, until a row takes its part of them.
 */
#include "train/model/calls.h"
#include "train/model/cut/cut_private.h"

/* Of layers that are divided later, too. */
static int groups_of(const struct dts_cutter *c, int layer)
{
    return dts_model_call(c->model, layer).groups;
}

bool dts_cut_is_convolution(const struct dts_model *m, int layer)
{
    static const char *const kinds[] = {"conv1d", "conv2d", "conv3d", NULL};
    for (int i = 0; kinds[i] != NULL; i++)
        if (dts_cut_is_kind(m, layer, kinds[i]))
            return true;
    return false;
}

/* Channels stay apart: each of the output comes from one of the input, or from a group that
 * ranks have whole. */
static bool works_by_channel(const struct dts_cutter *c, int layer)
{
    static const char *const kinds[] = {
        "relu",        "relu6",         "leaky_relu", "silu",
        "sigmoid",     "tanh",          "gelu",       "hardsigmoid",
        "hardswish",   "dropout",       "batch_norm", "max_pool",
        "avg_pool",    "flatten",       "upsample",   "upsample_nearest",
        "global_pool", "adaptive_pool", NULL};
    for (int i = 0; kinds[i] != NULL; i++)
        if (dts_cut_is_kind(c->model, layer, kinds[i]))
            return true;
    const int groups = groups_of(c, layer);
    return dts_cut_is_convolution(c->model, layer) && groups > 1 && groups % c->cut->ranks == 0;
}

/* Can it take a part of the channels, and add up what comes out? */
static bool takes_part(const struct dts_cutter *c, int layer)
{
    return dts_cut_is_kind(c->model, layer, "linear") ||
           (dts_cut_is_convolution(c->model, layer) && groups_of(c, layer) == 1);
}

/* Does all that reads this tensor lead to products, channel by channel? */
static bool ends_in_products(const struct dts_cutter *c, int tensor)
{
    bool any = false;
    for (int l = tensor + 1; l < c->model->layer_count; l++) {
        if (!dts_cut_reads(c->model, l, tensor))
            continue;
        any = true;
        if (!takes_part(c, l) && !(works_by_channel(c, l) && ends_in_products(c, l)))
            return false;
    }
    return any;
}

/* Values that ranks exchange: of one that gathers and one that sums, twice as many. */
static enum dts_cut_way cheaper(const struct dts_cutter *c, int layer)
{
    const int from = c->model->layers[layer].inputs[0];
    const double x = dts_cut_input_learns(c, layer) ? dts_cut_values(c, from) : 0;
    const double y = dts_cut_values(c, layer);
    return from < 0 || y + 2 * x <= 2 * y + x ? DTS_CUT_FILTER : DTS_CUT_CHANNEL;
}

bool dts_cut_in_channels(const struct dts_cutter *c, int layer)
{
    int from = layer;
    while (from >= 0 && c->cut->layers[from].way == DTS_CUT_VALUES)
        from = c->model->layers[from].inputs[0];
    return from >= 0 && dts_cut_is_convolution(c->model, from) &&
           c->cut->layers[from].way == DTS_CUT_COLUMN;
}

bool dts_cut_channel_way(const struct dts_cutter *c, int layer, enum dts_cut_way *way)
{
    const int from = c->model->layers[layer].inputs[0];
    const bool divided = from >= 0 && dts_cut_in_channels(c, from);
    if (divided && works_by_channel(c, layer)) {
        *way = DTS_CUT_VALUES;
        return true;
    }
    if (!dts_cut_is_convolution(c->model, layer))
        return false;
    *way = DTS_CUT_NOT;
    if (groups_of(c, layer) > 1)
        return true;
    switch (c->question->convolutions) {
    case DTS_CUT_WHOLE:
        break;
    case DTS_CUT_FILTERS:
        *way = DTS_CUT_FILTER;
        break;
    case DTS_CUT_CHANNELS: // an image has few: what reads it is whole
        *way = from < 0 ? DTS_CUT_NOT : DTS_CUT_CHANNEL;
        break;
    case DTS_CUT_ALTERNATING:
        *way = divided                      ? DTS_CUT_ROW
               : ends_in_products(c, layer) ? DTS_CUT_COLUMN
                                            : cheaper(c, layer);
        break;
    }
    return true;
}

static bool divide(const struct dts_cutter *c, int layer, const char *what, size_t *size)
{
    return dts_cut_divide(c, layer, "tensor", c->cut->ranks, what, size);
}

/* All that comes in and goes out, and the parameters of each channel. */
static bool divide_all(const struct dts_cutter *c, int layer, struct dts_op_call *call)
{
    const size_t ranks = (size_t)c->cut->ranks;
    for (int i = 0; i < call->input_count; i++)
        if (!divide(c, layer, "channels", &call->inputs[i].size[0]))
            return false;
    for (int p = 0; p < call->param_count; p++)
        call->params[p] /= ranks;
    if (call->groups > 1)
        call->groups /= c->cut->ranks;
    return divide(c, layer, "channels", &call->output.size[0]);
}

bool dts_cut_divide_channels(const struct dts_cutter *c, int layer, enum dts_cut_way way,
                             struct dts_op_call *call)
{
    const size_t ranks = (size_t)c->cut->ranks;
    if (way == DTS_CUT_VALUES)
        return divide_all(c, layer, call);
    if (way == DTS_CUT_ROW || way == DTS_CUT_CHANNEL) {
        call->params[0] /= ranks;
        return divide(c, layer, "input channels", &call->inputs[0].size[0]);
    }
    for (int p = 0; p < call->param_count; p++)
        call->params[p] /= ranks;
    return divide(c, layer, "filters", &call->output.size[0]);
}

/* Do layers before it that go the same way not read the tensor, too? Gradients that are there
 * in parts of sums are added up once, whole parts each. */
static bool is_first(const struct dts_cutter *c, int layer)
{
    const int tensor = c->model->layers[layer].inputs[0];
    const bool sums = c->cut->layers[layer].way != DTS_CUT_CHANNEL;
    for (int l = tensor + 1; l < layer; l++) {
        const enum dts_cut_way way = c->cut->layers[l].way;
        const bool same =
            sums ? way == DTS_CUT_COLUMN || way == DTS_CUT_FILTER : way == DTS_CUT_CHANNEL;
        if (same && dts_cut_reads(c->model, l, tensor))
            return false;
    }
    return true;
}

void dts_cut_channel_exchanges(const struct dts_cutter *c, int layer)
{
    struct dts_cut_layer *out = &c->cut->layers[layer];
    const double x = dts_cut_values(c, c->model->layers[layer].inputs[0]);
    const double y = dts_cut_values(c, layer);
    const bool learns = dts_cut_input_learns(c, layer) && is_first(c, layer);
    if (out->way == DTS_CUT_FILTER)
        dts_cut_add(out, DTS_CUT_AFTER_FORWARD, DTS_CUT_TENSOR, DTS_ALLGATHER, y);
    else if (out->way == DTS_CUT_CHANNEL || out->way == DTS_CUT_ROW)
        dts_cut_add(out, DTS_CUT_AFTER_FORWARD, DTS_CUT_TENSOR, DTS_ALLREDUCE, y);
    if (learns && (out->way == DTS_CUT_FILTER || out->way == DTS_CUT_COLUMN))
        dts_cut_add(out, DTS_CUT_AFTER_BACKWARD, DTS_CUT_TENSOR, DTS_ALLREDUCE, x);
    else if (learns && out->way == DTS_CUT_CHANNEL)
        dts_cut_add(out, DTS_CUT_AFTER_BACKWARD, DTS_CUT_TENSOR, DTS_ALLGATHER, x);
}
