/* piece.h -- the rows of a table that a server keeps, and the sum of what workers push. */
#ifndef DTS_TRAIN_LIVE_KERNELS_TABLES_PIECE_H
#define DTS_TRAIN_LIVE_KERNELS_TABLES_PIECE_H

#include "train/live/kernels/tables/served.h"

struct dts_live_piece {
    struct dts_live_rows_part part;
    size_t floats;          // of a message
    struct dts_sparse sum;  // rows are counted from the part's first; owned
    struct dts_sparse more; // owned
};

void dts_live_piece_free(struct dts_live_piece *piece);

/* A push times factor joins the sum; the first one begins it. */
void dts_live_piece_take(struct dts_live_piece *piece, const float *message, float factor,
                         bool first);

/* The rows that a worker asks for behind a step of the run; weights are those of the whole
 * model. */
void dts_live_piece_give(const struct dts_live_piece *piece,
                         const struct dts_live_served *served, const float *weights, int worker,
                         int step, float *message);

#endif
