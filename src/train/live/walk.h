/* walk.h -- walk the plan, and what was measured becomes a comparison's side "measured".
 */
#ifndef DTS_TRAIN_LIVE_WALK_H
#define DTS_TRAIN_LIVE_WALK_H

#include "train/live/measured.h"

/* Every rank calls it. Steps `skip` .. live->steps - 1 are measured; skip 0: none are. Rank 0
 * fills comparison and timing. */
bool dts_live_walk(const struct dts_live *live, struct dts_live_rank *rank, int skip,
                   struct dts_comparison *comparison, struct dts_timing *timing,
                   struct dts_error *err);

#endif
