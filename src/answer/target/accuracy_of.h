/* accuracy_of.h -- how accurate a network is after the epochs of a scenario, by a table of what
 * was published (docs/convergence.md). */
#ifndef DTS_ANSWER_TARGET_ACCURACY_OF_H
#define DTS_ANSWER_TARGET_ACCURACY_OF_H

#include "answer/result.h"
#include "train/scenario/scenario.h"

/* From the global batch, which is there. Leaves all absent where the scenario names no table,
 * and says why where the table knows nothing of this batch, rule or number of epochs. */
void dts_accuracy_fill(const struct dts_scenario *scenario, struct dts_result *result);

#endif
