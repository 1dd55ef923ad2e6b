/* explain.h -- one sentence on what bounds a step. */
#ifndef DTS_ANSWER_EXPLAIN_H
#define DTS_ANSWER_EXPLAIN_H

#include "answer/result.h"
#include "sim/load/bound.h"

void dts_explain_bound(const struct dts_bound *bound, const struct dts_step *step, char *text,
                       size_t room);

#endif
