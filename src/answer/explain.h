/* explain.h -- one sentence on what bounds a step. */
#ifndef DTS_ANSWER_EXPLAIN_H
#define DTS_ANSWER_EXPLAIN_H

#include "answer/result.h"
#include "sim/load/bottleneck.h"
#include "sim/load/bound.h"

enum { DTS_EXPLAINED = 3 }; // kinds of links that a sentence names

/* What bounds the step, then what the communication waits for: each kind of link with its
 * seconds, and what is left after all links for latency, sums and waiting. `found`:
 * dts_bottlenecks_find(), the longest first. */
void dts_explain_bound(const struct dts_bound *bound, const struct dts_bottleneck *found,
                       int count, const struct dts_step *step, char *text, size_t room);

#endif
