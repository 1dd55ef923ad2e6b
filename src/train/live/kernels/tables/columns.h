/* columns.h -- tables of which each rank has some columns (train/strategy/tables.h, "divided").
 *
 * A rank of n has every n-th part of the values of each row. So it looks up its part of the
 * rows of all ranks' samples, and parts of one size go to each rank, as the plan has them: an
 * all-to-all behind the layer's forward call makes whole rows of them, and one before its
 * backward call brings the gradients of these parts of the rows. Every rank reads the words of
 * all samples by itself: the plan has no messages for them.
 *
 * The network has the tables, too: they are whole between runs, for evaluation and files, and
 * within a run nobody reads them.
 */
#ifndef DTS_TRAIN_LIVE_KERNELS_TABLES_COLUMNS_H
#define DTS_TRAIN_LIVE_KERNELS_TABLES_COLUMNS_H

#include "train/live/kernels/rank.h"

/* kernels->columns NULL: no table is divided. */
struct dts_live_columns;

/* kernels->columns is there afterwards. Fails where ranks cannot have columns
 * (DTS_UNSUPPORTED), or the optimizer keeps something of whole rows (DTS_BAD_INPUT). */
bool dts_live_columns_open(struct dts_live_kernels *kernels, struct dts_error *err);
void dts_live_columns_close(struct dts_live_columns *columns); // NULL: nothing

/* All that follows does nothing where no table is divided. */

/* Before a run: the network's tables are divided. Behind it every rank calls join: they are
 * whole on all ranks. */
void dts_live_columns_divide(struct dts_live_kernels *kernels);
void dts_live_columns_join(struct dts_live_kernels *kernels);

/* The words of all ranks in a microbatch, before the rank's own samples are in the network. */
void dts_live_columns_begin(struct dts_live_kernels *kernels, long step, int microbatch);

/* The call of a layer with such a table; false: the layer has none, and the network runs it. */
bool dts_live_columns_forward(struct dts_live_kernels *kernels, int layer);
bool dts_live_columns_backward(struct dts_live_kernels *kernels, int layer);

/* Before and behind an all-to-all of theirs; of other operations nothing. */
void dts_live_columns_give(struct dts_live_kernels *kernels, const struct dts_op *op);
void dts_live_columns_take(struct dts_live_kernels *kernels, const struct dts_op *op);

void dts_live_columns_update(struct dts_live_kernels *kernels,
                             const struct dts_update_settings *settings);

#endif
