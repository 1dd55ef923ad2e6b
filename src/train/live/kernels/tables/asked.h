/* asked.h -- the rows that workers ask servers for: those that the samples of the next step
 * name. The order of samples is known (train/network/order.h), so each worker says before a
 * run what it will ask for behind each step of it; these lists are no messages of the plan, and
 * no step waits for them.
 */
#ifndef DTS_TRAIN_LIVE_KERNELS_TABLES_ASKED_H
#define DTS_TRAIN_LIVE_KERNELS_TABLES_ASKED_H

#include "train/live/kernels/tables/served.h"

/* Every rank calls it before a run of so many steps from kernels->first_step on. Does nothing
 * where no server keeps rows. */
void dts_live_asked_collect(struct dts_live_kernels *kernels, long steps);

/* The rows of the part that the workers which push as one with `worker`, their first, ask for
 * behind that step of the run: ascending, each once; to be freed. Returns how many. */
size_t dts_live_asked_rows(const struct dts_live_served *served,
                           const struct dts_live_rows_part *part, int worker, int step,
                           int32_t **rows);

#endif
