/* model.c -- a network from its file: what stands around the layers. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "train/model/model_read.h"

struct top {
    const char *name, *summary, *sample;
    struct dts_cfg input, begin, layers;
};

static const struct dts_field fields[] = {
    {DTS_KEY(struct top, name), .type = DTS_STRING, .help = "as in scenarios and stacks"},
    {DTS_KEY(struct top, summary), .type = DTS_STRING, .missing = "\"\"",
     .help = "one line for `dtsim list`"},
    {DTS_KEY(struct top, sample), .type = DTS_STRING, .missing = "\"sample\"",
     .help = "what a sample is: image, sequence"},
    {DTS_KEY(struct top, input), .type = DTS_OTHER, .forms = DTS_FORM_NUMBERS,
     .help = "shape of a sample: [channels, height, width] or [positions]"},
    {DTS_KEY(struct top, begin), .type = DTS_OTHER, .forms = DTS_FORM_STRING | DTS_FORM_OBJECT,
     .missing = "null",
     .help =
         "how weights begin: \"fan_in\", \"glorot\", {\"normal\": 0.02} or {\"uniform\": 0.1}; "
         "default: as usual for each kind of layer"},
    {DTS_KEY(struct top, layers), .type = DTS_OTHER, .forms = DTS_FORM_OBJECTS,
     .help = "list of layers and groups, in the order in which they run"},
    {0},
};

static bool read_input(struct dts_dims *dims, const struct dts_cfg *at, struct dts_error *err)
{
    int *sizes;
    size_t count;
    if (!dts_cfg_ints(at, 1, 1000000000, DTS_DIMS, &sizes, &count, err))
        return false;
    *dims = (struct dts_dims){(int)count, {1, 1, 1, 1}};
    double values = 1;
    for (size_t i = 0; i < count; i++) {
        dims->size[i] = (size_t)sizes[i];
        values *= sizes[i];
    }
    free(sizes);
    if (count == 0)
        return dts_cfg_fail(at, NULL, err, "must have at least one size");
    if (values > DTS_LAYER_MOST_VALUES)
        return dts_cfg_fail(at, NULL, err, "must have <= %.0e values, got %.3g",
                            DTS_LAYER_MOST_VALUES, values);
    return true;
}

static bool read_layers(struct dts_model *model, struct dts_doc *doc, struct top *top,
                        struct dts_error *err)
{
    struct dts_begin begin = {.rule = DTS_BEGIN_AS_KIND};
    struct dts_cfg at = dts_doc_top(doc);
    if (!dts_cfg_read(&at, fields, top, err) || !read_input(&model->input, &top->input, err) ||
        !dts_begin_read(&begin, &top->begin, err))
        return false;
    model->sample = top->sample;
    return dts_model_read_layers(model, &top->layers, &begin, err);
}

/* By numbers: what the family makes of them is a document of its own. */
static bool read_family(struct dts_model *model, const struct dts_cfg *at,
                        struct dts_error *err)
{
    struct top top;
    if (!dts_model_expand(model, at, &model->expanded, err) ||
        !read_layers(model, model->expanded, &top, err))
        return false;
    dts_model_find_costs(model);
    if (model->name == NULL)
        dts_model_name_family(model, at);
    return true;
}

static bool read(struct dts_model *model, struct dts_error *err)
{
    struct top top;
    struct dts_cfg at = dts_doc_top(model->doc), family = dts_cfg_member(&at, "family");
    if (dts_cfg_exists(&family))
        return read_family(model, &at, err);
    if (!read_layers(model, model->doc, &top, err))
        return false;
    model->name = top.name;
    model->summary = top.summary;
    dts_model_find_costs(model);
    return true;
}

static bool or_free(struct dts_model *model, bool good)
{
    if (!good)
        dts_model_free(model);
    return good;
}

bool dts_model_load(struct dts_model *model, const char *path, struct dts_error *err)
{
    *model = (struct dts_model){0};
    return dts_doc_load(&model->doc, path, err) && or_free(model, read(model, err));
}

bool dts_model_load_based(struct dts_model *model, const char *path,
                          const struct dts_cfg *changes, struct dts_error *err)
{
    *model = (struct dts_model){0};
    if (!dts_doc_load(&model->doc, path, err))
        return false;
    const struct dts_cfg name = dts_cfg_member(changes, "name");
    if (!or_free(model, dts_doc_merge(model->doc, changes, "base", err) && read(model, err)))
        return false;
    if (dts_doc_changed(model->doc, 0) != NULL && !dts_cfg_exists(&name)) {
        struct dts_text text = {0};
        dts_text_add(&text, "%s (changed)", model->name);
        model->changed_from = dts_copy(model->name);
        free(model->own_name);
        model->name = model->own_name = dts_text_take(&text);
    }
    return true;
}

bool dts_model_read_at(struct dts_model *model, const struct dts_cfg *at, struct dts_error *err)
{
    *model = (struct dts_model){0};
    const bool good = or_free(model, read_family(model, at, err));
    if (good) { // it has no file: the layers are its document
        model->doc = model->expanded;
        model->expanded = NULL;
    }
    return good;
}

bool dts_model_parse(struct dts_model *model, const char *name, const char *text,
                     struct dts_error *err)
{
    *model = (struct dts_model){0};
    return dts_doc_parse(&model->doc, name, text, err) && or_free(model, read(model, err));
}

void dts_model_free(struct dts_model *model)
{
    for (int i = 0; i < model->layer_count; i++) {
        free((char *)model->layers[i].name);
        free(model->layers[i].self);
    }
    free(model->layers);
    free(model->own_name);
    free(model->changed_from);
    dts_doc_free(model->doc);
    dts_doc_free(model->expanded);
    *model = (struct dts_model){0};
}

void dts_model_keys(struct dts_keys *keys)
{
    dts_keys_heading(keys, "A model file:");
    dts_keys_add(keys, "", fields);
    dts_keys_refer(keys, "layers[]", "#layer", "#group");
    dts_keys_instead(keys);
    dts_model_family_keys(keys);
    dts_keys_heading(keys, "Every layer:");
    dts_keys_add(keys, "#layer", dts_layer_fields);
    dts_keys_heading(keys, "A group of layers:");
    dts_keys_add(keys, "#group", dts_group_fields);
    dts_keys_refer(keys, "#group.layers[]", "#layer", "#group");
    for (int i = 0; dts_layer_kinds[i] != NULL; i++) {
        const struct dts_layer_kind *kind = dts_layer_kinds[i];
        dts_keys_heading(keys, "%s: %s", kind->name, kind->summary);
        dts_keys_case(keys, "#layer", "kind", kind->name, kind->size > 0 ? kind->fields : NULL);
    }
}
