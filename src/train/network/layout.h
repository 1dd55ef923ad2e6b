/* layout.h -- where the parameter tensors of a range of layers lie among weights and gradients.
 *
 * All lie behind one another in the order in which backward finishes them: the last layer
 * first, within a layer the last tensor first. That is the order of gradient buckets
 * (train/strategy/build.h): a bucket is a span. Where gradients of sparse tables are lists,
 * these tables are left out of the gradients.
 *
 * A stage of a pipeline has a range of the model's layers. If a layer of it uses the weight of
 * a layer of an earlier stage (`tied`), the stage has a copy of that tensor: borrowed. The copy
 * lies behind the own tensors of the first layer of the range that uses it, which is where
 * backward finishes it. Whoever trains adds up the gradients of all copies and of the owner's
 * tensor before the update; all begin alike, and so stay alike.
 *
 * Where expert ranks divide a layer (train/model/part.h, `apart`), the tensors of experts lie
 * behind all others, in the same order: their gradients are summed by other ranks.
 *
 * A rank with several chunks of an interleaved pipeline adds their ranges, the last one first:
 * each network has places in the rank's arrays, and one optimizer updates them all.
 */
#ifndef DTS_TRAIN_NETWORK_LAYOUT_H
#define DTS_TRAIN_NETWORK_LAYOUT_H

#include "train/model/model.h"

/* Layers first .. first + count - 1 of the model; count 0: all of them, first is 0 then. */
struct dts_layer_range {
    int first, count;
};

static inline int dts_range_end(const struct dts_model *model,
                                const struct dts_layer_range *range)
{
    return range->count > 0 ? range->first + range->count : model->layer_count;
}

static inline bool dts_range_has(const struct dts_model *model,
                                 const struct dts_layer_range *range, int layer)
{
    return layer >= range->first && layer < dts_range_end(model, range);
}

struct dts_layout_tensor {
    const struct dts_param *param; // the model's
    int layer, number;             // whose tensor it is, and which one of that layer
    int user;                      // at whose place it lies: `layer`, where it is not
    bool borrowed;                 // of a layer before the range
    bool listed;                   // its gradient is a list of rows
    size_t offset, gradient;       // values before it; listed: no gradient
    size_t whole;                  // values before it in the layout of the whole model,
    int ordinal;                   // and tensors
    size_t whole_count;            // values of the tensor there,
    struct dts_param_slice slice;  // which of them are here,
    bool divided;                  // and others are elsewhere (train/model/part.h)
    bool apart;                    // it lies behind those that are not
    bool summed;                   // ranks that have it add up its gradients
};

struct dts_layout {
    const struct dts_model *model;     // the caller's
    bool lists;                        // gradients of sparse tables are
    const bool *but;                   // not of these layers; the caller's; NULL: of all
    struct dts_layout_tensor *tensors; // owned
    int count;
    size_t room;
    size_t parameters, gradients; // values
    size_t dense;                 // of the parameters, those before what is apart
};

/* The layout of the range, or behind what is there that of one more range: `layout` has its
 * model, and before the first range nothing else. */
void dts_layout_add(struct dts_layout *layout, const struct dts_layer_range *range);
void dts_layout_free(struct dts_layout *layout);

/* Forget the tensors whose gradients are lists; the others stay where they are. */
void dts_layout_drop_lists(struct dts_layout *layout);

/* NULL: it is not there. Where several ranges borrow it, the first in the layout. */
const struct dts_layout_tensor *dts_layout_find(const struct dts_layout *layout, int layer,
                                                int number);

/* Between arrays of this layout and of the whole model's, which is that of files: weights, or
 * gradients none of which are listed. From the whole a copy gets what its owner has; to it the
 * owner alone writes. */
void dts_layout_give(const struct dts_layout *layout, const float *values, float *whole);
void dts_layout_take(const struct dts_layout *layout, float *values, const float *whole);

#endif
