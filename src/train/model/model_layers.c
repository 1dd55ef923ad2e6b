/* model_layers.c -- the list "layers": layers, and groups of layers that may repeat.
 *
 * A group is read once for each round, so that shapes are inferred anew in each.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "train/model/model_read.h"

struct reader {
    struct dts_model *model;
    size_t capacity;
    struct dts_names names;
    const struct dts_begin *begin; // where a layer says nothing
};

struct layer_keys {
    const char *name, *kind, *tied;
    struct dts_cfg input, begin;
};

const struct dts_field dts_layer_fields[] = {
    {DTS_KEY(struct layer_keys, name), .type = DTS_STRING, .missing = "null",
     .help = "for \"input\" of others (default: kind and place: relu_3)"},
    {DTS_KEY(struct layer_keys, kind), .type = DTS_STRING, .choice = dts_layer_kind_name,
     .help = "what the layer does"},
    {DTS_KEY(struct layer_keys, input), .type = DTS_OTHER,
     .forms = DTS_FORM_STRING | DTS_FORM_STRINGS, .missing = "null",
     .help = "names of layers, or \"entry\": what comes into the group"},
    {DTS_KEY(struct layer_keys, tied), .type = DTS_STRING, .missing = "null",
     .help = "an earlier layer whose weight this one uses, too"},
    {DTS_KEY(struct layer_keys, begin), .type = DTS_OTHER,
     .forms = DTS_FORM_STRING | DTS_FORM_OBJECT, .missing = "null",
     .help = "how its weights begin, where not as the model says"},
    {0},
};

struct group_keys {
    const char *name;
    int repeat;
    bool shared;
    struct dts_cfg input, layers;
};

const struct dts_field dts_group_fields[] = {
    {DTS_KEY(struct group_keys, name), .type = DTS_STRING, .missing = "null",
     .help = "goes before the names of its layers: block.0.relu"},
    {DTS_KEY(struct group_keys, repeat), .type = DTS_INT, .min = 1, .max = DTS_MODEL_LAYERS,
     .missing = "null", .help = "how many times, each with weights of its own"},
    {DTS_KEY(struct group_keys, shared), .type = DTS_BOOL, .missing = "false",
     .help = "all rounds use the weights of the first"},
    {DTS_KEY(struct group_keys, input), .type = DTS_OTHER,
     .forms = DTS_FORM_STRING | DTS_FORM_STRINGS, .missing = "null",
     .help = "the layer whose output comes in (default: the layer before)"},
    {DTS_KEY(struct group_keys, layers), .type = DTS_OTHER, .forms = DTS_FORM_OBJECTS,
     .help = "list of layers and groups"},
    {0},
};

/* prefix + name, or prefix + what + _ + place where the file gives no name. Allocated. */
static bool full_name(char **out, const struct dts_scope *scope, const char *name,
                      const char *what, const struct dts_cfg *at, struct dts_error *err)
{
    struct dts_cfg place = dts_cfg_member(at, "name");
    if (name != NULL && !dts_name_check(name, &place, err))
        return false;
    size_t room = strlen(scope->prefix) + strlen(name != NULL ? name : what) + 24;
    *out = dts_alloc(room, 1);
    if (name != NULL)
        snprintf(*out, room, "%s%s", scope->prefix, name);
    else
        snprintf(*out, room, "%s%s_%zu", scope->prefix, what, at->index);
    return true;
}

static bool add_name(struct reader *r, const char *name, int layer, const struct dts_cfg *at,
                     struct dts_error *err)
{
    if (dts_names_add(&r->names, name, layer))
        return true;
    return dts_cfg_fail(at, "name", err, "there is already a layer or group \"%s\"", name);
}

static bool read_inputs(struct reader *r, const struct dts_scope *scope, int previous,
                        const struct dts_cfg *at, int most, int *inputs, int *count,
                        struct dts_error *err)
{
    const char *name;
    *count = 1;
    inputs[0] = previous;
    if (!dts_cfg_exists(at))
        return true;
    if (!dts_cfg_is_list(at))
        return dts_cfg_string(at, &name, err) &&
               dts_scope_find(scope, &r->names, name, at, &inputs[0], err);
    size_t length = dts_cfg_length(at);
    if (length < 1 || length > (size_t)most)
        return dts_cfg_fail(at, NULL, err, "must have 1 to %d names, got %zu", most, length);
    for (size_t i = 0; i < length; i++) {
        struct dts_cfg item = dts_cfg_item(at, i);
        if (!dts_cfg_string(&item, &name, err) ||
            !dts_scope_find(scope, &r->names, name, &item, &inputs[i], err))
            return false;
    }
    *count = (int)length;
    return true;
}

/* Let the layer use the weight of another: the first of its parameters goes. */
static bool tie(struct reader *r, const struct dts_scope *scope, struct dts_layer *layer,
                const char *name, const struct dts_cfg *at, struct dts_error *err)
{
    struct dts_cfg place = dts_cfg_member(at, "tied");
    int owner;
    if (!dts_scope_find(scope, &r->names, name, &place, &owner, err))
        return false;
    const struct dts_layer *other = owner >= 0 ? &r->model->layers[owner] : NULL;
    if (other == NULL || other->param_count == 0 || other->tied_to >= 0 || other->shares >= 0)
        return dts_cfg_fail(&place, NULL, err, "%s has no weight of its own", name);
    if (layer->param_count == 0)
        return dts_cfg_fail(&place, NULL, err, "a layer of kind %s has no weight",
                            layer->kind->name);
    if (other->params[0].sparse_row > 0 || layer->params[0].sparse_row > 0)
        return dts_cfg_fail(&place, NULL, err, "a weight that is shared cannot be sparse");
    if (layer->params[0].count != other->params[0].count)
        return dts_cfg_fail(&place, NULL, err,
                            "the weight must have %zu values, that of %s has %zu",
                            layer->params[0].count, name, other->params[0].count);
    layer->tied_to = owner;
    layer->param_count--;
    memmove(&layer->params[0], &layer->params[1],
            (size_t)layer->param_count * sizeof(layer->params[0]));
    return true;
}

static bool check_output(const struct dts_dims *dims, const struct dts_cfg *at,
                         struct dts_error *err)
{
    double values = 1;
    for (int i = 0; i < dims->count; i++)
        values *= (double)dims->size[i];
    if (values <= DTS_LAYER_MOST_VALUES)
        return true;
    return dts_cfg_fail(at, NULL, err, "the output must have <= %.0e values, got %s",
                        DTS_LAYER_MOST_VALUES, dts_dims_text(dims).chars);
}

/* Shapes and parameters of a layer whose kind, fields and inputs are there. */
static bool infer(const struct reader *r, struct dts_layer *layer, const struct dts_cfg *at,
                  struct dts_error *err)
{
    struct dts_dims inputs[DTS_LAYER_INPUTS];
    struct dts_layer_facts facts = {.inputs = inputs, .input_count = layer->input_count};
    int wanted = layer->kind->inputs;
    if (wanted > 0 && wanted != layer->input_count)
        return dts_cfg_fail(at, "input", err, "a layer of kind %s must have %d, got %d",
                            layer->kind->name, wanted, layer->input_count);
    for (int i = 0; i < layer->input_count; i++)
        inputs[i] = layer->inputs[i] == DTS_MODEL_ENTRY
                        ? r->model->input
                        : r->model->layers[layer->inputs[i]].output;

    if (!layer->kind->infer(layer->self, &facts, at, err) ||
        !check_output(&facts.output, at, err))
        return false;
    for (int i = facts.output.count; i < DTS_DIMS; i++)
        facts.output.size[i] = 1;
    layer->output = facts.output;
    layer->param_count = facts.param_count;
    memcpy(layer->params, facts.params, sizeof(layer->params));
    return true;
}

static bool begin_weights(struct dts_layer *layer, struct dts_begin *begin,
                          const struct dts_cfg *at, struct dts_error *err)
{
    if (!dts_begin_read(begin, at, err))
        return false;
    dts_begin_apply(begin, layer);
    return true;
}

static bool read_layer(struct reader *r, const struct dts_scope *scope, int previous,
                       const struct dts_cfg *at, struct dts_error *err)
{
    struct dts_model *model = r->model;
    struct dts_cfg kind = dts_cfg_member(at, "kind");
    int i;
    if (!dts_cfg_choice(&kind, dts_layer_kind_name, &i, err))
        return false;
    if (model->layer_count >= DTS_MODEL_LAYERS)
        return dts_cfg_fail(at, NULL, err, "a model must have at most %d layers",
                            DTS_MODEL_LAYERS);

    int number = model->layer_count;
    model->layers =
        dts_grow(model->layers, &r->capacity, (size_t)number + 1, sizeof(*model->layers));
    struct dts_layer *layer = &model->layers[number];
    *layer = (struct dts_layer){.kind = dts_layer_kinds[i], .tied_to = -1, .shares = -1};
    layer->self = dts_alloc(1, layer->kind->size);
    model->layer_count++; // from now on dts_model_free() releases what it owns

    struct layer_keys keys = {0};
    struct dts_begin begin = *r->begin;
    char *name;
    if (!dts_cfg_read_both(at, dts_layer_fields, &keys, layer->kind->fields, layer->self,
                           err) ||
        !full_name(&name, scope, keys.name, layer->kind->name, at, err))
        return false;
    layer->name = name;
    return read_inputs(r, scope, previous, &keys.input, DTS_LAYER_INPUTS, layer->inputs,
                       &layer->input_count, err) &&
           infer(r, layer, at, err) && begin_weights(layer, &begin, &keys.begin, err) &&
           (keys.tied == NULL || tie(r, scope, layer, keys.tied, at, err)) &&
           add_name(r, name, number, at, err);
}

static bool read_list(struct reader *r, const struct dts_scope *scope, const struct dts_cfg *at,
                      int *last, struct dts_error *err);

/* One round of a group; `last` goes in as its entry and comes out as its last layer. */
static bool read_round(struct reader *r, const struct dts_scope *parent, const char *name,
                       const struct dts_cfg *layers, int *last, struct dts_error *err)
{
    size_t room = strlen(name) + 2;
    char *prefix = dts_alloc(room, 1);
    snprintf(prefix, room, "%s.", name);
    struct dts_scope scope = {.parent = parent, .prefix = prefix, .entry = *last};
    bool done = read_list(r, &scope, layers, last, err);
    free(prefix);
    return done;
}

/* The layers from `second` on use the parameters of those from `first` on, one by one. */
static bool share_round(struct dts_model *model, int first, int second,
                        const struct dts_cfg *at, struct dts_error *err)
{
    for (int l = second; l < model->layer_count; l++) {
        struct dts_layer *layer = &model->layers[l];
        const int owner = first + l - second;
        const struct dts_layer *other = &model->layers[owner];
        if (layer->tied_to >= 0 || layer->shares >= 0)
            return dts_cfg_fail(at, "shared", err, "%s has a weight of another layer",
                                layer->name);
        for (int p = 0; p < layer->param_count; p++)
            if (layer->params[p].count != other->params[p].count)
                return dts_cfg_fail(at, "shared", err,
                                    "all rounds must have the same shapes: %s has %zu values, "
                                    "%s has %zu",
                                    layer->name, layer->params[p].count, other->name,
                                    other->params[p].count);
            else if (layer->params[p].sparse_row > 0)
                return dts_cfg_fail(at, "shared", err,
                                    "a weight that is shared cannot be sparse");
        if (layer->param_count > 0)
            layer->shares = owner;
        layer->param_count = 0;
    }
    return true;
}

static bool read_rounds(struct reader *r, const struct dts_scope *scope, const char *name,
                        const struct group_keys *keys, const struct dts_cfg *at, int *last,
                        struct dts_error *err)
{
    size_t room = strlen(name) + 24;
    char *round_name = dts_alloc(room, 1);
    const int first = r->model->layer_count;
    bool done = true;
    for (int i = 0; done && i < keys->repeat; i++) {
        const int now = r->model->layer_count;
        snprintf(round_name, room, "%s.%d", name, i);
        done = read_round(r, scope, round_name, &keys->layers, last, err) &&
               (!keys->shared || i == 0 || share_round(r->model, first, now, at, err)) &&
               add_name(r, round_name, *last, at, err);
    }
    free(round_name);
    return done;
}

static bool read_group(struct reader *r, const struct dts_scope *scope,
                       const struct dts_cfg *at, int *last, struct dts_error *err)
{
    struct group_keys keys = {0};
    char *name;
    int input_count;
    if (!dts_cfg_read(at, dts_group_fields, &keys, err) ||
        !full_name(&name, scope, keys.name, "group", at, err))
        return false;
    if (keys.shared && keys.repeat < 2) {
        free(name);
        return dts_cfg_fail(at, "shared", err, "has no effect where nothing repeats");
    }
    bool done = read_inputs(r, scope, *last, &keys.input, 1, last, &input_count, err) &&
                (keys.repeat > 0 ? read_rounds(r, scope, name, &keys, at, last, err)
                                 : read_round(r, scope, name, &keys.layers, last, err)) &&
                add_name(r, name, *last, at, err);
    free(name);
    return done;
}

static bool read_list(struct reader *r, const struct dts_scope *scope, const struct dts_cfg *at,
                      int *last, struct dts_error *err)
{
    if (!dts_cfg_is_list(at) || dts_cfg_length(at) == 0)
        return dts_cfg_fail(at, NULL, err, "must be a list of at least one layer");
    for (size_t i = 0; i < dts_cfg_length(at); i++) {
        struct dts_cfg item = dts_cfg_item(at, i), layers = dts_cfg_member(&item, "layers");
        if (!dts_cfg_is_object(&item))
            return dts_cfg_fail(&item, NULL, err, "must be an object: a layer or a group");
        if (layers.json != NULL) {
            if (!read_group(r, scope, &item, last, err))
                return false;
        } else {
            if (!read_layer(r, scope, *last, &item, err))
                return false;
            *last = r->model->layer_count - 1;
        }
    }
    return true;
}

bool dts_model_read_layers(struct dts_model *model, const struct dts_cfg *list,
                           const struct dts_begin *begin, struct dts_error *err)
{
    struct reader reader = {.model = model, .begin = begin};
    struct dts_scope scope = {.prefix = "", .entry = DTS_MODEL_ENTRY};
    int last = DTS_MODEL_ENTRY;
    bool done = read_list(&reader, &scope, list, &last, err);
    dts_names_free(&reader.names);
    return done;
}
