/* fit.h -- where the ranks of a training compute, beside what its device's profile says.
 */
#ifndef DTS_TRAIN_LIVE_KERNELS_FIT_H
#define DTS_TRAIN_LIVE_KERNELS_FIT_H

#include "answer/live/profile_fit.h"
#include "train/live/kernels/rank.h"

/* Every rank calls it at the same place; rank 0 gets all but its pace. */
void dts_live_fit(const struct dts_live_kernels *kernels, struct dts_profile_fit *fit);

#endif
