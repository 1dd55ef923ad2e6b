/* rows.h -- what ranks exchange of mixtures whose experts are on several of them, and of
 * attention whose positions are: rows that a network writes and reads (kernels/op.h) go through
 * the plan's buffer, all to all, or gathered and summed up.
 *
 * What goes to a rank is one behind the other among rows; in the buffer it lies as
 * dts_coll_part() says. The router, and all else that makes rows, runs before they leave, and
 * what comes of those that came back behind their arrival: both are part of the exchange, on
 * its thread, while the rank's kernels wait for it.
 */
#ifndef DTS_TRAIN_LIVE_KERNELS_ROWS_H
#define DTS_TRAIN_LIVE_KERNELS_ROWS_H

#include "train/live/kernels/rank.h"

/* Room for rows, where the plan exchanges any. Fails (DTS_UNSUPPORTED) where it exchanges
 * another number, ranks have uneven parts of them, or a stage begins or ends with such a
 * layer, so that kernels of another pass could run meanwhile. */
bool dts_live_rows_open(struct dts_live_kernels *kernels, struct dts_error *err);

/* Is it a call that works on rows? */
bool dts_live_rows_has(const struct dts_live_kernels *kernels, const struct dts_call *call);

/* Before the first message of an operation, and after its last; others are left alone. */
void dts_live_rows_give(struct dts_live_kernels *kernels, const struct dts_op *op);
void dts_live_rows_take(struct dts_live_kernels *kernels, const struct dts_op *op);

#endif
