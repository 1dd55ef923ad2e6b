/* drawn.h -- rounds in which each device sends one message to one that was drawn for it. */
#ifndef DTS_TRAIN_STRATEGY_TRAFFIC_DRAWN_H
#define DTS_TRAIN_STRATEGY_TRAFFIC_DRAWN_H

#include "train/strategy/traffic/pattern.h"

/* draw() says to[rank] for a round: every device is in it at most once, itself: it is idle. A
 * round follows the other, and behind the last the first comes again. */
void dts_traffic_drawn(const struct dts_traffic_ask *ask, int rounds,
                       void (*draw)(const struct dts_traffic_ask *ask, int round, int *to),
                       struct dts_job *job);

#endif
