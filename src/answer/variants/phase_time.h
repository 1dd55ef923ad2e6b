/* phase_time.h -- how long a training lasts that goes through phases (phases.h). */
#ifndef DTS_ANSWER_VARIANTS_PHASE_TIME_H
#define DTS_ANSWER_VARIANTS_PHASE_TIME_H

#include "answer/result.h"
#include "answer/scene.h"

/* Predicts one point: dts_estimate(), or one that levels it. */
typedef void dts_estimator(const struct dts_question *question, struct dts_result *result);

/* result->phases, and result->training: epochs, steps and seconds of all of them, on the
 * question's devices, with kernels as fast as the question says and its known points. Each
 * phase is estimated as a scenario of its own. A phase that cannot be predicted is the error.
 * Of a question that only checks plans, steps and memory are filled in. */
void dts_phase_time_fill(const struct dts_question *question, dts_estimator *estimate,
                         struct dts_result *result);

#endif
