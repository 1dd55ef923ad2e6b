/* split.h -- where the time of a step went: compute, communication that nothing hides, input.
 *
 * The compute stream of a rank of role 0 is gapless but for its waits. A gap belongs to what
 * the operation after it waited for last: a read is input, anything else is exposed
 * communication.
 */
#ifndef DTS_ANSWER_SPLIT_H
#define DTS_ANSWER_SPLIT_H

#include "answer/result.h"
#include "sim/engine.h"

/* `calm` is the answer without noise, `noisy` with it (the same where there is none). Sums to
 * noisy->step_s, or to calm->step_s where a small sample of noise came out faster than none:
 * docs/model.md, "Where the time goes" and "Stragglers". */
void dts_split(const struct dts_job *job, const struct dts_timing *calm,
               const struct dts_timing *noisy, struct dts_step *step);

#endif
