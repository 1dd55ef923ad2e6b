/* rest.h -- optimizers of a model without its tables of rows, which others update. */
#ifndef DTS_TRAIN_LIVE_KERNELS_TABLES_REST_H
#define DTS_TRAIN_LIVE_KERNELS_TABLES_REST_H

#include "train/live/kernels/rank.h"

/* Of a worker, for its network's arrays. */
bool dts_live_rest_optimizer(const struct dts_live_kernels *kernels,
                             struct dts_optimizer_run **optimizer, struct dts_error *err);

/* Of a server, for a part of the plan's buffers, in which tables are left out. */
bool dts_live_rest_part(const struct dts_live_kernels *kernels,
                        const struct dts_optimizer_part *part,
                        struct dts_optimizer_run **optimizer, struct dts_error *err);

#endif
