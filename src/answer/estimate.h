/* estimate.h -- predicts one point of a scenario: builds its plans, runs an engine, and splits
 * the time of a step. Runs in a process of its own (point_pool.h).
 */
#ifndef DTS_ANSWER_ESTIMATE_H
#define DTS_ANSWER_ESTIMATE_H

#include "answer/result.h"
#include "answer/scene.h"
#include "train/strategy/build.h"

/* Fills all of the result that follows from this point alone. If the point is refused or fails,
 * result->error says why, and the numbers are absent. */
void dts_estimate(const struct dts_question *question, struct dts_result *result);

/* A result with the members of the question, and nothing else. */
void dts_result_open(const struct dts_question *question, struct dts_result *result);

#endif
