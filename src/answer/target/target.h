/* target.h -- how long a training lasts that ends at a target (docs/convergence.md). */
#ifndef DTS_ANSWER_TARGET_TARGET_H
#define DTS_ANSWER_TARGET_TARGET_H

#include "answer/result.h"
#include "sim/net/platform/platform.h"
#include "train/scenario/scenario.h"

/* From the step and the global batch, which are there. Leaves all absent where the scenario has
 * no target, and says why where its profile knows nothing of this batch. */
void dts_target_fill(const struct dts_scenario *scenario, struct dts_result *result);

/* Energy and cost of the time of a training, which is there; absent where the platform does not
 * state what a node takes. */
void dts_spending_fill(const struct dts_platform *platform, struct dts_result *result);

#endif
