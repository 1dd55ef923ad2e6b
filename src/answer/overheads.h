/* overheads.h -- what a plan has beside kernels and messages, and what it needs without
 * messages.
 */
#ifndef DTS_ANSWER_OVERHEADS_H
#define DTS_ANSWER_OVERHEADS_H

#include "plan/plan.h"

/* Time that the framework or reading takes: is there any, and without it. */
bool dts_overheads_any(const struct dts_job *job);
void dts_overheads_drop(struct dts_job *job);

/* The seconds of the calls on the stream that has most of them: a step takes no less. */
double dts_overheads_step_s(const struct dts_job *job);

#endif
