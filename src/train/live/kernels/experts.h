/* experts.h -- what ranks exchange of mixtures whose experts are on several of them: rows that
 * a network writes and reads (kernels/op.h) go through the plan's buffer, all to all.
 *
 * Rows of a rank's experts are one behind the other, in the buffer they lie as dts_coll_part()
 * says. The router runs before rows leave, and what comes of those that came back behind their
 * arrival: both are part of the exchange, on its thread, while the rank's kernels wait for it.
 */
#ifndef DTS_TRAIN_LIVE_KERNELS_EXPERTS_H
#define DTS_TRAIN_LIVE_KERNELS_EXPERTS_H

#include "train/live/kernels/rank.h"

/* Room for rows, where the plan exchanges any. Fails (DTS_UNSUPPORTED) where it exchanges
 * another number, ranks have uneven parts of them, or a stage begins or ends with a mixture, so
 * that other kernels could run beside what is not of theirs. */
bool dts_live_experts_open(struct dts_live_kernels *kernels, struct dts_error *err);

/* Is it a call of a layer of whose experts the rank has a part? */
bool dts_live_experts_has(const struct dts_live_kernels *kernels, const struct dts_call *call);

/* Before the first message of an operation, and after its last; others are left alone. */
void dts_live_experts_give(struct dts_live_kernels *kernels, const struct dts_op *op);
void dts_live_experts_take(struct dts_live_kernels *kernels, const struct dts_op *op);

#endif
