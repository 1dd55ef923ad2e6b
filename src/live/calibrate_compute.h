/* calibrate_compute.h -- how kernels slow down when ranks of a node compute at once, and while
 * messages travel. Private to the room.
 */
#ifndef DTS_LIVE_CALIBRATE_COMPUTE_H
#define DTS_LIVE_CALIBRATE_COMPUTE_H

#include "live/calibrate.h"

/* Every rank calls it; in_node: its number on its node, of per_node. Fills out->together,
 * out->communicating and out->messages on all. */
void dts_calibrate_compute(const struct dts_wire *wire, int in_node, int per_node,
                           struct dts_calibration *out);

/* Bytes a second of this rank alone: of vectors that it adds, and that it copies from memory to
 * memory, each byte counted once. */
double dts_calibrate_sums(void);
double dts_calibrate_copies(void);

#endif
