/* worker.h -- what a worker pushes to servers that keep rows, and what it pulls. */
#ifndef DTS_TRAIN_LIVE_KERNELS_TABLES_WORKER_H
#define DTS_TRAIN_LIVE_KERNELS_TABLES_WORKER_H

#include "train/live/kernels/rank.h"

/* Before and after the messages of an operation; of others nothing, as on a server and where no
 * server keeps rows. On the thread of its stream. */
void dts_live_worker_give(struct dts_live_kernels *kernels, const struct dts_op *op);
void dts_live_worker_take(struct dts_live_kernels *kernels, const struct dts_op *op);

#endif
