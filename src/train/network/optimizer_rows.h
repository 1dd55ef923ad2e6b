/* optimizer_rows.h -- updates that leave alone the rows of a table that have no gradient.
 *
 * Sums of gradients over ranks are dense, one rank's gradient is a list: both change the same
 * rows, those whose gradient is not all zeros. There the rule is the same as everywhere, with
 * the row's own state and the global step; other rows keep weights and state. For sgd that is
 * what the dense rule does; momentum and adam are lazy, as TensorFlow's sparse momentum and
 * PyTorch's SparseAdam.
 */
#ifndef DTS_TRAIN_NETWORK_OPTIMIZER_ROWS_H
#define DTS_TRAIN_NETWORK_OPTIMIZER_ROWS_H

#include "kernels/embedding/sparse.h"
#include "kernels/update/update.h"

struct dts_rows_update {
    const struct dts_update *update;
    const struct dts_update_settings *settings;
    float *weights, *state; // of the table; states of all its values one behind the other
    size_t count, row;      // values of the table, and of a row
};

/* list: NULL: `dense` has the gradient of the whole table. */
void dts_rows_update(const struct dts_rows_update *to, const struct dts_sparse *list,
                     const float *dense, struct dts_workers *workers);

/* The same on a place whose memory the host cannot read, by a dense gradient there: a part of
 * the table at a time goes through scratch, of dts_rows_scratch_bytes() bytes. What lies there
 * of rows without a gradient is updated, too, and left there: rules with rows are value by
 * value. */
size_t dts_rows_scratch_bytes(const struct dts_update *update, size_t count, size_t row);
void dts_rows_update_there(const struct dts_rows_update *to, const float *dense, float *scratch,
                           const struct dts_place *place);

#endif
