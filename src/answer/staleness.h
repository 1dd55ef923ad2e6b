/* staleness.h -- what an answer says of servers that answer as requests come. */
#ifndef DTS_ANSWER_STALENESS_H
#define DTS_ANSWER_STALENESS_H

#include "answer/result.h"
#include "sim/engine.h"

/* NULL: the servers of the job wait for all, or it has none. Throughput of the result, where it
 * is known already, is that of gradients that count. */
void dts_staleness_fill(const struct dts_staleness *staleness, struct dts_result *result);

#endif
