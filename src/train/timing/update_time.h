/* update_time.h -- how long an optimizer takes to change all weights of a model, caches cold.
 */
#ifndef DTS_TRAIN_TIMING_UPDATE_TIME_H
#define DTS_TRAIN_TIMING_UPDATE_TIME_H

#include "train/model/model.h"
#include "train/timing/kernel_time.h"

/* Adds runs to `out`: the update itself. Forward calls clear gradients (beside_time.h). */
bool dts_update_time(const struct dts_kernel_timer *timer, const struct dts_model *model,
                     const struct dts_optimizer *optimizer, struct dts_runs *out,
                     struct dts_error *err);

/* How many values that update changes: tables with sparse gradients are left out, but on a
 * device with memory of its own, where those are dense (docs/live.md, "GPUs"). */
double dts_update_count(const struct dts_space *space, const struct dts_model *model);

/* Memory that dts_update_time() takes. */
double dts_update_bytes(const struct dts_space *space, const struct dts_model *model,
                        const struct dts_optimizer *optimizer);

#endif
