/* lean.h -- what a point that does not fit into a device could do instead. */
#ifndef DTS_TRAIN_STRATEGY_LEAN_H
#define DTS_TRAIN_STRATEGY_LEAN_H

#include "base/text.h"
#include "train/strategy/build.h"

/* Adds the largest part of what is needed, and what would fit into so many bytes: variations of
 * the strategy, and the largest batch of a device that is half of this one, a quarter, ... */
void dts_lean_tell(const struct dts_point *point, const struct dts_memory *needed, double have,
                   struct dts_text *text);

#endif
