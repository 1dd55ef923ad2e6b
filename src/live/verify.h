/* verify.h -- numbers that show whether every message arrived: the sums of a step are known. */
#ifndef DTS_LIVE_VERIFY_H
#define DTS_LIVE_VERIFY_H

#include "live/live.h"

/* Fill the rank's buffers with whole numbers that tell rank and element. */
void dts_live_fill(struct dts_live_rank *rank);

/* After one step from there: does this rank hold the exact sum of all wherever the plan says so
 * (all-reduces of the whole role, what is pulled from servers)? Data that are summed more than
 * once in a step are passed over. *checked: elements looked at. */
bool dts_live_check(const struct dts_job *job, const struct dts_live_rank *rank,
                    size_t *checked, struct dts_error *err);

void dts_live_clear(struct dts_live_rank *rank); // all zero again

#endif
