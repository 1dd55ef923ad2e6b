/* split.h -- where the time of a step went: compute, exposed communication, input.
 *
 * The compute stream of a worker has gaps only where it waits. A gap belongs to the
 * operation whose end ended the wait: a read is input, anything else is exposed communication.
 * A read on the stream itself, while no kernel runs, is input, too. Where workers have several
 * roles, as the stages of a pipeline, each part is the mean over all workers.
 */
#ifndef DTS_ANSWER_SPLIT_H
#define DTS_ANSWER_SPLIT_H

#include "answer/result.h"
#include "sim/engine.h"

/* `calm` is the answer without noise, and with all devices of one speed, whose kernels take
 * `factor` times as long as the plan says; `noisy` the one with it, and with devices as they
 * are. Both are the same where there is no noise and all are alike. The parts add up to
 * noisy->step_s, or to calm->step_s where that is longer and all wait for all, as a small
 * sample of noise may have it: docs/model.md, "Where the time goes" and "Stragglers". */
void dts_split(const struct dts_job *job, double factor, const struct dts_timing *calm,
               const struct dts_timing *noisy, struct dts_step *step);

/* Is the operation a read on the stream of the kernels? */
bool dts_split_feeds(const struct dts_op *op);

#endif
