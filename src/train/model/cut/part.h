/* part.h -- the network that one tensor rank has, as a model that kernels can carry out.
 */
#ifndef DTS_TRAIN_MODEL_CUT_PART_H
#define DTS_TRAIN_MODEL_CUT_PART_H

#include "train/model/cut/cut.h"

/* Which of the ranks that divide a network. */
struct dts_cut_rank {
    int tensor, expert, context;
};

/* A model whose layers have this rank's shapes and parameters; numbers, names and everything
 * else are the whole's, which must outlive it. What ranks exchange is not in it: outputs of
 * DTS_CUT_ROW and DTS_CUT_TABLE, and gradients of what DTS_CUT_COLUMN reads, are parts of sums.
 * Fails (DTS_UNSUPPORTED) where such ranks would not compute what one computes. */
bool dts_cut_part(const struct dts_cut *cut, const struct dts_model *whole,
                  const struct dts_cut_rank *rank, struct dts_model **part,
                  struct dts_error *err);
void dts_cut_part_free(struct dts_model *part); // NULL: nothing

#endif
