/* lists.h -- gradients of sparse tables that ranks gather as rows (train/strategy/gather.h).
 *
 * A message (message.h) has room for as many rows as the plan says, and all have one size: a
 * plan must have room for the most rows that a step touches (room.h). Each rank merges the
 * lists of all in the order of the ranks: all have the same sum.
 */
#ifndef DTS_TRAIN_LIVE_KERNELS_TABLES_LISTS_H
#define DTS_TRAIN_LIVE_KERNELS_TABLES_LISTS_H

#include "train/live/kernels/rank.h"

/* Finds whether ranks gather rows (kernels->gathers), servers keep them (served.h), or ranks
 * have columns of tables (columns.h). Refuses what has no way to train (DTS_UNSUPPORTED, or
 * DTS_BAD_INPUT where the optimizer cannot act on columns). */
bool dts_live_lists_check(struct dts_live_kernels *kernels, struct dts_error *err);

/* Fails (DTS_UNSUPPORTED) where a worker has to know what its samples look up in tables before
 * it computes, and that is not the network's input. */
bool dts_live_lists_fit(const struct dts_live_kernels *kernels, struct dts_error *err);

/* The layer whose rows the operation gathers; -1: it gathers none, or servers keep them. */
int dts_live_lists_layer(const struct dts_live_kernels *kernels, const struct dts_op *op);

/* Before and after an all-gather of rows; of other operations nothing. On the thread of its
 * stream. */
void dts_live_lists_give(struct dts_live_kernels *kernels, const struct dts_op *op);
void dts_live_lists_take(struct dts_live_kernels *kernels, const struct dts_op *op);

#endif
