/* calls.c -- from layers to calls. */
#include <stdlib.h>

#include "base/mem.h"
#include "train/model/calls.h"

static const struct dts_dims *dims_of(const struct dts_model *model, int layer)
{
    return layer == DTS_CALL_ENTRY ? &model->input : &model->layers[layer].output;
}

/* A tied weight comes first: it is the one that the layer does not have itself. */
struct dts_op_call dts_model_call(const struct dts_model *model, int l)
{
    const struct dts_layer *layer = &model->layers[l];
    if (layer->part != NULL)
        return layer->part->call;
    struct dts_op_call call = {
        .op = layer->kind->name, .input_count = layer->input_count, .output = layer->output};
    for (int i = 0; i < layer->input_count; i++)
        call.inputs[i] = *dims_of(model, layer->inputs[i]);
    if (layer->tied_to >= 0)
        call.params[call.param_count++] = model->layers[layer->tied_to].params[0].count;
    const struct dts_layer *owner = &model->layers[layer->shares >= 0 ? layer->shares : l];
    for (int p = 0; p < owner->param_count; p++)
        call.params[call.param_count++] = owner->params[p].count;
    if (layer->kind->describe != NULL)
        layer->kind->describe(layer->self, &call);
    return call;
}

static void set_owners(const struct dts_model *model, int l, struct dts_layer_call *out)
{
    const struct dts_layer *layer = &model->layers[l];
    int count = 0;
    if (layer->tied_to >= 0) {
        out->param_layers[0] = layer->tied_to;
        out->param_numbers[count++] = 0;
    }
    const int owner = layer->shares >= 0 ? layer->shares : l;
    for (int p = 0; p < model->layers[owner].param_count; p++, count++) {
        out->param_layers[count] = owner;
        out->param_numbers[count] = p;
    }
}

static void set_call(const struct dts_model *model, int l, struct dts_layer_call *calls)
{
    const struct dts_layer *layer = &model->layers[l];
    struct dts_layer_call *out = &calls[l];
    *out = (struct dts_layer_call){.call = dts_model_call(model, l), .output = l, .last = l};
    out->learns = layer->param_count > 0 || layer->tied_to >= 0 || layer->shares >= 0;
    out->call.first = true;
    for (int i = 0; i < layer->input_count; i++) {
        const int from = layer->inputs[i];
        out->inputs[i] = from == DTS_CALL_ENTRY ? from : calls[from].output;
        if (from != DTS_CALL_ENTRY && calls[from].learns)
            out->call.first = false;
    }
    out->learns = out->learns || !out->call.first;
    set_owners(model, l, out);
    out->splits = layer->part != NULL && layer->part->splits;
    out->brings = layer->part != NULL && layer->part->brings;
    out->gathers = layer->part != NULL && layer->part->gathers;
    if (layer->view) {
        out->call.op = NULL;
        out->output = out->inputs[0];
    }
}

static int *count_takers(const struct dts_model *model)
{
    int *takers = dts_alloc((size_t)model->layer_count, sizeof(*takers));
    for (int l = 0; l < model->layer_count; l++)
        for (int i = 0; i < model->layers[l].input_count; i++)
            if (model->layers[l].inputs[i] != DTS_CALL_ENTRY)
                takers[model->layers[l].inputs[i]]++;
    return takers;
}

/* Layer l is max(0, x) of the only use of a layer that can do it. */
static bool can_fuse(const struct dts_model *model, const int *takers, int l)
{
    const struct dts_layer *layer = &model->layers[l];
    if (!layer->kind->rectifies || layer->inputs[0] == DTS_CALL_ENTRY)
        return false;
    return model->layers[layer->inputs[0]].kind->takes_relu && takers[layer->inputs[0]] == 1;
}

void dts_model_calls(const struct dts_model *model, bool fuse, struct dts_layer_call *calls)
{
    int *takers = count_takers(model);
    for (int l = 0; l < model->layer_count; l++) {
        set_call(model, l, calls);
        if (!fuse || !can_fuse(model, takers, l))
            continue;
        struct dts_layer_call *before = &calls[model->layers[l].inputs[0]];
        before->call.relu = true;
        before->last = l;
        calls[l].call.op = NULL;
        calls[l].output = before->output;
    }
    free(takers);
    dts_calls_gradients(model, calls);
}

void dts_calls_gradients(const struct dts_model *model, struct dts_layer_call *calls)
{
    const size_t layers = (size_t)model->layer_count;
    bool *written = dts_alloc(2 * layers, sizeof(*written));
    for (int l = model->layer_count - 1; l >= 0; l--) {
        struct dts_layer_call *c = &calls[l];
        bool *here = written + (c->splits ? layers : 0);
        for (int i = 0; i < c->call.input_count; i++) {
            const int from = c->inputs[i];
            c->wants[i] =
                c->call.op != NULL && c->learns && from != DTS_CALL_ENTRY && calls[from].learns;
            c->adds[i] = c->wants[i] && here[from];
            if (c->wants[i])
                here[from] = true;
        }
        if (!c->brings || !here[c->inputs[0]])
            continue;
        c->joins = written[c->inputs[0]];
        written[c->inputs[0]] = true;
    }
    free(written);
}

size_t dts_call_clears(const struct dts_model *model, int l, bool lists)
{
    const struct dts_layer *layer = &model->layers[l];
    size_t values = 0;
    for (int p = 0; p < layer->param_count; p++)
        values += layer->params[p].count;
    return lists && layer->param_count > 0 && layer->params[0].sparse_row > 0 ? 0 : values;
}

struct dts_op_call dts_call_gradient_clear(size_t values)
{
    const struct dts_dims all = {.count = 1, .size = {values}};
    return (struct dts_op_call){
        .op = DTS_CALL_GRADIENT_CLEAR, .input_count = 1, .inputs = {all}, .output = all};
}

struct dts_op_call dts_call_gradient_sum(const struct dts_dims *input)
{
    return (struct dts_op_call){.op = DTS_CALL_GRADIENT_SUM,
                                .input_count = 2,
                                .inputs = {*input, *input},
                                .output = *input};
}
