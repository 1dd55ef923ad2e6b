/* network_pace.h -- how fast a network's processor is at this moment (base/measure/pace.h). */
#ifndef DTS_TRAIN_NETWORK_NETWORK_PACE_H
#define DTS_TRAIN_NETWORK_NETWORK_PACE_H

#include "train/network/network.h"

/* Seconds of the piece of work that tells, on all its threads; takes some milliseconds. */
double dts_network_pace_s(struct dts_network *network);

#endif
