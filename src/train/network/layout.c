/* layout.c -- the tensors of ranges of layers, from the last layer to the first. */
#include "train/network/layout.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* Where the whole model's layout is. */
struct walk {
    size_t values;
    int tensors;
};

static void add(struct dts_layout *layout, const struct walk *at, int layer, int number,
                int user)
{
    const struct dts_layer *owner = &layout->model->layers[layer];
    const struct dts_param *param = &owner->params[number];
    const bool but = layout->but != NULL && layout->but[layer];
    const bool listed = layout->lists && param->sparse_row > 0 && !but;
    layout->tensors = dts_grow(layout->tensors, &layout->room, (size_t)layout->count + 1,
                               sizeof(*layout->tensors));
    layout->tensors[layout->count++] = (struct dts_layout_tensor){
        .param = param,
        .layer = layer,
        .number = number,
        .user = user,
        .borrowed = user != layer,
        .listed = listed,
        .whole = at->values,
        .ordinal = at->tensors,
        .whole_count = dts_layer_values(owner, number),
        .slice = owner->part != NULL
                     ? owner->part->slices[number]
                     : (struct dts_param_slice){1, param->count, 0, param->count},
        .divided = owner->part != NULL && owner->part->divided[number],
        .apart = owner->part != NULL && owner->part->apart[number],
        .summed = owner->part != NULL && owner->part->summed[number],
    };
}

/* Offsets of all tensors: of those that are apart, or of the others. */
static void settle(struct dts_layout *layout, bool apart)
{
    for (int i = 0; i < layout->count; i++) {
        struct dts_layout_tensor *t = &layout->tensors[i];
        if (t->apart != apart)
            continue;
        t->offset = layout->parameters;
        t->gradient = t->listed ? 0 : layout->gradients;
        layout->parameters += t->param->count;
        layout->gradients += t->listed ? 0 : t->param->count;
    }
}

static void pass(const struct dts_model *model, int layer, int down_to, struct walk *at)
{
    for (int p = model->layers[layer].param_count - 1; p >= down_to; p--, at->tensors++)
        at->values += dts_layer_values(&model->layers[layer], p);
}

/* The weight of an earlier layer: the first of that layer, hence the last in its place. */
static void borrow(struct dts_layout *layout, int owner, int user)
{
    struct walk at = {0};
    for (int l = layout->model->layer_count - 1; l > owner; l--)
        pass(layout->model, l, 0, &at);
    pass(layout->model, owner, 1, &at);
    add(layout, &at, owner, 0, user);
}

/* Is it the first layer of the range that uses that weight? */
static bool first_user(const struct dts_model *model, const struct dts_layer_range *range,
                       int layer)
{
    const int owner = model->layers[layer].tied_to;
    for (int l = range->first; l < layer; l++)
        if (model->layers[l].tied_to == owner)
            return false;
    return true;
}

void dts_layout_add(struct dts_layout *layout, const struct dts_layer_range *range)
{
    const struct dts_model *model = layout->model;
    struct walk at = {0};
    assert(range->first >= 0 && dts_range_end(model, range) <= model->layer_count);
    assert(range->count > 0 || range->first == 0);
    for (int l = model->layer_count - 1; l >= range->first; l--) {
        const struct dts_layer *layer = &model->layers[l];
        if (!dts_range_has(model, range, l)) {
            pass(model, l, 0, &at);
            continue;
        }
        for (int p = layer->param_count - 1; p >= 0; p--) {
            add(layout, &at, l, p, l);
            at.values += dts_layer_values(layer, p);
            at.tensors++;
        }
        if (layer->tied_to >= 0 && layer->tied_to < range->first && first_user(model, range, l))
            borrow(layout, layer->tied_to, l);
    }
    layout->parameters = layout->gradients = 0;
    settle(layout, false);
    layout->dense = layout->parameters;
    settle(layout, true);
}

void dts_layout_free(struct dts_layout *layout)
{
    free(layout->tensors);
    *layout = (struct dts_layout){.model = layout->model};
}

void dts_layout_drop_lists(struct dts_layout *layout)
{
    int kept = 0;
    for (int i = 0; i < layout->count; i++)
        if (!layout->tensors[i].listed)
            layout->tensors[kept++] = layout->tensors[i];
    layout->count = kept;
}

const struct dts_layout_tensor *dts_layout_find(const struct dts_layout *layout, int layer,
                                                int number)
{
    for (int i = 0; i < layout->count; i++)
        if (layout->tensors[i].layer == layer && layout->tensors[i].number == number)
            return &layout->tensors[i];
    return NULL;
}

/* What takes is not changed, whatever the type says. */
static void move(const struct dts_layout *layout, float *values, float *whole, bool give)
{
    for (int i = 0; i < layout->count; i++) {
        const struct dts_layout_tensor *t = &layout->tensors[i];
        if (!give || !t->borrowed)
            dts_param_slice_move(&t->slice, 0, t->param->count, values + t->offset,
                                 whole + t->whole, give);
    }
}

void dts_layout_give(const struct dts_layout *layout, const float *values, float *whole)
{
    move(layout, (float *)values, whole, true);
}

void dts_layout_take(const struct dts_layout *layout, float *values, const float *whole)
{
    move(layout, values, (float *)whole, false);
}
