/* part.h -- a model that is one rank's part of another one: layers with less of their outputs,
 * inputs, rows or heads, and where what they have lies in the whole.
 */
#ifndef DTS_TRAIN_MODEL_PART_H
#define DTS_TRAIN_MODEL_PART_H

#include <stdbool.h>
#include <stddef.h>

#include "train/model/layer/layer.h"

/* Values of a whole tensor: `pieces` runs of `length`, the first one from `first` on, each
 * `stride` behind the one before. */
struct dts_param_slice {
    size_t pieces, length, first, stride;
};

/* Value `i` of the part is this one of the whole. */
static inline size_t dts_param_slice_at(const struct dts_param_slice *slice, size_t i)
{
    return slice->first + i / slice->length * slice->stride + i % slice->length;
}

/* Values first .. first + count - 1 of a part, which are at `part`, go to the whole, or come
 * from there. */
void dts_param_slice_move(const struct dts_param_slice *slice, size_t first, size_t count,
                          float *part, float *whole, bool give);

struct dts_layer_part {
    struct dts_op_call call;                         // with the shapes that are here
    size_t whole[DTS_LAYER_PARAMS];                  // values of the whole's parameter tensors
    struct dts_param_slice slices[DTS_LAYER_PARAMS]; // which of them are here
    bool divided[DTS_LAYER_PARAMS];                  // not all: other ranks have others
    bool apart[DTS_LAYER_PARAMS]; // of experts: gradients are summed by fewer ranks
    size_t first, all; // of a table's rows or a loss's classes: the first that is here, how
                       // many there are in all; 0: they are all here
    int context,
        contexts; // of ranks that have parts of the positions; contexts 0: all are here
    size_t shift; // values of its tensor before those of the rank's positions
    bool no_bias; // outputs are a part of a sum, and another rank adds the bias
    struct dts_op_places drawn; // of what dropout draws by its place

    /* A layer that `splits` leaves a part of a sum as the gradient of its first input, which is
     * summed apart from what other layers leave there: behind the backward call of the first
     * that does so, which brings what follows. Where ranks divide positions between products
     * such a layer `gathers`, too: it reads all positions of the input, which ranks gather
     * before the one that brings; of the gradient a rank gets the sum of its positions. What a
     * layer makes that `scatters` has all positions, of which a rank keeps the sum of its own
     * (the layer's output); backward ranks gather the gradient. */
    bool splits, brings, gathers, scatters;

    /* Parameters that ranks have alike, and parts of their gradients: these are added up. */
    bool summed[DTS_LAYER_PARAMS];
};

#endif
