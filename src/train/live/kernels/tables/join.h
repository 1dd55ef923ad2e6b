/* join.h -- between runs: the rows that servers keep, on all ranks. */
#ifndef DTS_TRAIN_LIVE_KERNELS_TABLES_JOIN_H
#define DTS_TRAIN_LIVE_KERNELS_TABLES_JOIN_H

#include "train/live/kernels/rank.h"

/* Every rank calls it behind a run: all get the rows that servers keep. Does nothing without
 * such servers. */
void dts_live_served_join(struct dts_live_kernels *kernels);

#endif
