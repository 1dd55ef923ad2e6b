/* part_private.h -- what the files that make one rank's part of a model tell one another. */
#ifndef DTS_TRAIN_MODEL_CUT_PART_PRIVATE_H
#define DTS_TRAIN_MODEL_CUT_PART_PRIVATE_H

#include "train/model/cut/cut_private.h"
#include "train/model/cut/part.h"

struct dts_cut_parter {
    const struct dts_cut *cut;
    const struct dts_model *whole;
    int rank, expert, context;
    struct dts_error *err;
};

/* Rows of the weights: channels of a convolution, which come first, or features. */
size_t dts_part_outputs(const struct dts_cut_parter *parter, int layer,
                        const struct dts_dims *output);

/* How many parts of its outputs each rank has a part of: 3 for the rows q k v of attention. */
size_t dts_part_blocks(const struct dts_cut_parter *parter, int layer);

/* Does a layer read a whole tensor, of whose gradient each rank leaves a part? */
bool dts_part_makes(const struct dts_cut_parter *parter, int layer);

/* Does a layer make such a part, of what others leave whole gradients of? Not where all make
 * parts: then these are added up in one place. */
bool dts_part_splits(const struct dts_cut_parter *parter, int layer);

/* Do ranks keep their positions of what the layer makes, once it is summed? */
bool dts_part_scatters(const struct dts_cut_parter *parter, int layer);

/* part_check.c: refuses (DTS_UNSUPPORTED) what ranks would compute otherwise than one does. */
bool dts_part_check(const struct dts_cut_parter *parter, int layer);

#endif
