/* staleness.h -- how old the weights were that gradients were computed with, in a few numbers.
 */
#ifndef DTS_ANSWER_STALENESS_H
#define DTS_ANSWER_STALENESS_H

#include "answer/result.h"
#include "plan/serve.h"

/* NULL: the servers of the job wait for all, or it has none. */
void dts_stale_fill(const struct dts_staleness *staleness, struct dts_stale *stale);

/* Half of the sum of the differences of shares: 0 of equal histograms, 1 of those that have
 * nothing in common. NAN where one of them is not known. */
double dts_stale_distance(const struct dts_stale *a, const struct dts_stale *b);

#endif
