/* identity.h -- is this the training that a file, or another rank, is of?
 */
#ifndef DTS_TRAIN_LIVE_KERNELS_IDENTITY_H
#define DTS_TRAIN_LIVE_KERNELS_IDENTITY_H

#include "base/text.h"
#include "train/live/kernels/rank.h"

/* What must be as it was for a training to go on. The number of workers need not: a step has
 * the same samples. Servers keep their state by the plan. */
void dts_live_identity(const struct dts_live_kernels *kernels, struct dts_text *text);

/* Every rank calls it. Do all ranks train alike? The plans' hash says nothing of rates and
 * seeds. */
bool dts_live_agree_on_training(const struct dts_live_kernels *kernels,
                                const struct dts_wire *wire, struct dts_error *err);

#endif
