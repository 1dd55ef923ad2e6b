/* local.h -- steps to a target of ranks that do not sum gradients in each step
 * (train/strategy/synchrony.h), and what they take.
 */
#ifndef DTS_ANSWER_TARGET_LOCAL_H
#define DTS_ANSWER_TARGET_LOCAL_H

#include "answer/result.h"
#include "base/text.h"
#include "train/scenario/scenario.h"

/* Seconds of so many steps, the first of them before the switch. */
double dts_local_seconds(const struct dts_result *result, double steps);

/* Is it known how many steps a target needs? Ranks that meet in each step, or whose one local
 * step of plain SGD is the same: `factor` is 1. By a profile that was measured with local
 * steps, what it says. Else false, and *doubt says why. */
bool dts_local_steps_known(const struct dts_scenario *scenario, const struct dts_result *result,
                           struct dts_local_cost *cost, struct dts_text *doubt);

#endif
