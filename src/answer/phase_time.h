/* phase_time.h -- how long a training lasts that goes through phases (phases.h). */
#ifndef DTS_ANSWER_PHASE_TIME_H
#define DTS_ANSWER_PHASE_TIME_H

#include "answer/result.h"
#include "answer/scene.h"

/* result->training: epochs, steps and seconds of all phases, on the question's devices, with
 * kernels as fast as the question says. A phase that cannot be predicted is the error. */
void dts_phase_time_fill(const struct dts_question *question, struct dts_result *result);

#endif
