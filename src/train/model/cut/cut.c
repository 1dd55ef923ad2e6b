/* cut.c -- which layers tensor ranks divide, and what each of them then does. */
#include "train/model/cut/cut.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "device/profile_estimate.h"
#include "train/model/calls.h"
#include "train/model/seconds/seconds_profile.h"

/* All that is needed to divide one network. */
struct cutter {
    struct dts_cut *cut;
    const struct dts_model *model;
    const char *path;
    struct dts_error *err;
};

static bool is_kind(const struct dts_model *m, int layer, const char *kind)
{
    return strcmp(m->layers[layer].kind->name, kind) == 0;
}

/* Layers that work value by value or head by head. */
static bool is_local(const struct dts_model *m, int layer)
{
    static const char *const kinds[] = {"gelu",    "relu",     "silu",      "sigmoid", "tanh",
                                        "dropout", "multiply", "attention", "rotary",  NULL};
    for (int i = 0; kinds[i] != NULL; i++)
        if (is_kind(m, layer, kinds[i]))
            return true;
    return false;
}

static bool reads(const struct dts_model *m, int layer, int tensor)
{
    for (int i = 0; i < m->layers[layer].input_count; i++)
        if (m->layers[layer].inputs[i] == tensor)
            return true;
    return false;
}

/* Does all that reads this tensor lead to linear layers, by local layers alone? */
static bool ends_in_products(const struct dts_model *m, int tensor)
{
    bool any = false;
    for (int l = tensor + 1; l < m->layer_count; l++) {
        if (!reads(m, l, tensor))
            continue;
        any = true;
        if (!is_kind(m, l, "linear") && !(is_local(m, l) && ends_in_products(m, l)))
            return false;
    }
    return any;
}

/* Is the tensor read by one layer, a cross entropy? */
static bool is_logits(const struct dts_model *m, int tensor)
{
    int readers = 0, losses = 0;
    for (int l = tensor + 1; l < m->layer_count; l++)
        if (reads(m, l, tensor)) {
            readers++;
            losses += is_kind(m, l, "softmax_cross_entropy");
        }
    return readers == 1 && losses == 1;
}

static bool has_divided_input(const struct cutter *c, int layer)
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
static enum dts_cut_way whole_way(const struct cutter *c, int layer)
{
    const struct dts_dims *out = &c->model->layers[layer].output;
    // a layer that has picked some of the positions is whole
    const bool all = out->count == 2 && out->size[0] == c->model->input.size[0];
    return c->cut->sequence && all ? DTS_CUT_SEQUENCE : DTS_CUT_NOT;
}

static enum dts_cut_way way_of(const struct cutter *c, int layer)
{
    const struct dts_model *m = c->model;
    const bool divided = has_divided_input(c, layer);
    if (is_kind(m, layer, "embedding"))
        return DTS_CUT_TABLE;
    if (is_kind(m, layer, "softmax_cross_entropy"))
        return divided ? DTS_CUT_CLASSES : DTS_CUT_NOT;
    if (is_kind(m, layer, "linear")) {
        if (divided)
            return DTS_CUT_ROW;
        return ends_in_products(m, layer) || is_logits(m, layer) ? DTS_CUT_COLUMN
                                                                 : whole_way(c, layer);
    }
    return divided && is_local(m, layer) ? DTS_CUT_VALUES : whole_way(c, layer);
}

static bool refuse(const struct cutter *c, int layer, const char *what, size_t got)
{
    return dts_fail(c->err, DTS_BAD_INPUT,
                    "%s: layer %s: %d tensor ranks do not divide its %s, %zu", c->path,
                    c->model->layers[layer].name, c->cut->ranks, what, got);
}

static bool divide(const struct cutter *c, int layer, const char *what, size_t *size)
{
    if (*size % (size_t)c->cut->ranks != 0)
        return refuse(c, layer, what, *size);
    *size /= (size_t)c->cut->ranks;
    return true;
}

static bool divide_last(const struct cutter *c, int layer, const char *what,
                        struct dts_dims *dims)
{
    return divide(c, layer, what, &dims->size[dims->count - 1]);
}

/* Keys and values of fewer heads than ranks have a head on each of them. */
static bool divide_attention(const struct cutter *c, int layer, struct dts_op_call *call)
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
                return refuse(c, layer, "heads of keys and values", *features / head);
            *features = least;
            continue;
        }
        *features = there < least ? least : there;
    }
    return true;
}

static bool divide_values(const struct cutter *c, int layer, struct dts_op_call *call)
{
    if (is_kind(c->model, layer, "attention"))
        return divide_attention(c, layer, call);
    if (is_kind(c->model, layer, "rotary")) // of keys there may be fewer than ranks
        call->heads = call->heads > c->cut->ranks ? call->heads / c->cut->ranks : 1;
    for (int i = 0; i < call->input_count; i++)
        if (!divide_last(c, layer, "features", &call->inputs[i]))
            return false;
    return divide_last(c, layer, "features", &call->output);
}

static bool divide_positions(const struct cutter *c, int layer, struct dts_op_call *call)
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

static bool divide_call(const struct cutter *c, int layer, enum dts_cut_way way,
                        struct dts_op_call *call)
{
    const size_t ranks = (size_t)c->cut->ranks;
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
        *last_out = is_logits(c->model, layer) ? rounded_part(features, c->cut->ranks)
                                               : *last_out / ranks;
        if (!is_logits(c->model, layer) && features % ranks != 0)
            return refuse(c, layer, "outputs", features);
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
    }
    return true;
}

static double seconds(const struct dts_device *device, enum dts_precision precision,
                      const struct dts_layer *layer, const struct dts_op_cost *cost,
                      double batch, double *backward_s)
{
    struct dts_layer seen = *layer;
    double forward_s;
    seen.cost = *cost;
    const struct dts_profile_work work = dts_layer_work(&seen);
    dts_roofline_seconds(device, precision, &work, batch, &forward_s, backward_s);
    return forward_s;
}

/* What one rank does of a layer's work, by the roofline. */
static void set_shares(const struct dts_device *device, enum dts_precision precision,
                       double batch, const struct dts_layer *layer,
                       const struct dts_op_cost *whole, struct dts_cut_layer *out)
{
    double back_s, back_part_s;
    out->forward_share = out->backward_share = 1;
    if (out->way == DTS_CUT_NOT)
        return;
    const double s = seconds(device, precision, layer, whole, batch, &back_s);
    const double part_s = seconds(device, precision, layer, &out->cost, batch, &back_part_s);
    out->forward_share = s > 0 ? part_s / s : 1;
    out->backward_share = back_s > 0 ? back_part_s / back_s : 1;
}

/* The layer's own tensors; a tied one comes first in the call. */
static void set_params(const struct dts_layer *layer, struct dts_cut_layer *out)
{
    const int tied = layer->tied_to >= 0;
    for (int p = 0; p < layer->param_count; p++)
        out->params[p] = out->call.params[tied + p];
}

static void set_saved(const struct dts_layer *layer, const struct dts_op_cost *whole,
                      struct dts_cut_layer *out)
{
    const double all = (double)dts_dims_elements(&layer->output);
    const double here = (double)dts_dims_elements(&out->call.output);
    const double beside = whole->saved_values < layer->cost.saved_values
                              ? layer->cost.saved_values - whole->saved_values
                              : 0; // tensors that the network keeps
    const bool learns = layer->cost.saved_values + layer->cost.saved_bytes > 0;
    out->saved_values = learns ? out->cost.saved_values + beside * here / all : 0;
    out->saved_bytes = learns ? out->cost.saved_bytes : 0;
}

static bool cut_layer(const struct cutter *c, int l, const struct dts_device *device,
                      enum dts_precision precision, double batch)
{
    const struct dts_layer *layer = &c->model->layers[l];
    struct dts_cut_layer *out = &c->cut->layers[l];
    out->call = dts_model_call(c->model, l);
    struct dts_op_cost whole = {.class = DTS_WORK_MEMORY};
    if (layer->kind->cost != NULL)
        whole = layer->kind->cost(&out->call);
    out->way = c->cut->ranks > 1 ? way_of(c, l) : DTS_CUT_NOT;
    if (!divide_call(c, l, out->way, &out->call))
        return false;
    out->cost = layer->kind->cost != NULL ? layer->kind->cost(&out->call) : whole;
    set_params(layer, out);
    set_shares(device, precision, batch, layer, &whole, out);
    set_saved(layer, &whole, out);
    for (int p = 0; p < layer->param_count; p++)
        c->cut->parameters += (double)out->params[p];
    return true;
}

static double values_of(const struct dts_dims *dims)
{
    return (double)dts_dims_elements(dims);
}

/* Is this the first layer with divided columns that reads the tensor? */
static bool is_first_reader(const struct cutter *c, int layer)
{
    const int tensor = c->model->layers[layer].inputs[0];
    for (int l = tensor + 1; l < layer; l++)
        if (reads(c->model, l, tensor) && c->cut->layers[l].way == DTS_CUT_COLUMN)
            return false;
    return true;
}

static void exchange(struct dts_cut_layer *layer, enum dts_cut_moment moment,
                     enum dts_coll_kind kind, double values)
{
    layer->exchange[moment] = (struct dts_cut_exchange){kind, values};
}

/* With whole tensors a sum is an all-reduce; with a divided sequence it is a reduce-scatter,
 * and the ranks gather before the next product. Several layers that read one tensor share one
 * exchange, which belongs to the first: its backward call is the last of theirs. */
static void set_exchanges(const struct cutter *c, int l)
{
    const struct dts_layer *layer = &c->model->layers[l];
    struct dts_cut_layer *out = &c->cut->layers[l];
    const bool sequence = c->cut->sequence;
    const double in = layer->inputs[0] >= 0
                          ? values_of(&c->model->layers[layer->inputs[0]].output)
                          : values_of(&c->model->input);
    const double result = values_of(&layer->output);
    const enum dts_coll_kind sum = sequence ? DTS_REDUCE_SCATTER : DTS_ALLREDUCE;
    if (out->way == DTS_CUT_COLUMN && is_first_reader(c, l)) {
        exchange(out, DTS_CUT_AFTER_BACKWARD, sum, in);
        if (sequence)
            exchange(out, DTS_CUT_BEFORE_FORWARD, DTS_ALLGATHER, in);
    }
    if (out->way == DTS_CUT_ROW || out->way == DTS_CUT_TABLE) {
        exchange(out, DTS_CUT_AFTER_FORWARD, sum, result);
        if (sequence)
            exchange(out, DTS_CUT_BEFORE_BACKWARD, DTS_ALLGATHER, result);
    }
    // each rank's largest logit, sum of exponentials and the target's logit of each position
    if (out->way == DTS_CUT_CLASSES)
        exchange(
            out, DTS_CUT_AFTER_FORWARD, DTS_ALLGATHER,
            3 * c->cut->ranks *
                (in / (double)dts_dims_features(&c->model->layers[layer->inputs[0]].output)));
}

static bool check_any(const struct cutter *c)
{
    for (int l = 0; l < c->model->layer_count; l++)
        if (c->cut->layers[l].way == DTS_CUT_ROW)
            return true;
    return dts_fail(c->err, DTS_BAD_INPUT,
                    "%s: no two linear layers of %s follow one another so that tensor ranks "
                    "can divide them",
                    c->path, c->model->name);
}

bool dts_cut_find(struct dts_cut *cut, const struct dts_model *model,
                  const struct dts_device *device, enum dts_precision precision, int ranks,
                  bool sequence, double batch, const char *path, struct dts_error *err)
{
    *cut = (struct dts_cut){.ranks = ranks, .sequence = sequence && ranks > 1};
    cut->layers = dts_alloc((size_t)model->layer_count, sizeof(*cut->layers));
    const struct cutter c = {cut, model, path, err};
    bool good = true;
    for (int l = 0; l < model->layer_count && good; l++) {
        good = cut_layer(&c, l, device, precision, batch);
        if (good && ranks > 1)
            set_exchanges(&c, l);
    }
    if (good && (ranks == 1 || check_any(&c)))
        return true;
    dts_cut_free(cut);
    return false;
}

void dts_cut_free(struct dts_cut *cut)
{
    free(cut->layers);
    *cut = (struct dts_cut){0};
}
