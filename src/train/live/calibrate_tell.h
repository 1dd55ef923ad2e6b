/* calibrate_tell.h -- what a calibration says while it runs and when it is done, on standard
 * error: its result, a platform, may go to standard output.
 */
#ifndef DTS_TRAIN_LIVE_CALIBRATE_TELL_H
#define DTS_TRAIN_LIVE_CALIBRATE_TELL_H

#include <stdio.h>

#include "live/calibrate.h"

/* What the load average of each node is against its cores; the worst, on rank 0. Every rank
 * calls it, before anything runs. */
void dts_calibrate_tell_load(const struct dts_wire *wire);

/* A line for the part at hand, after some silence and not more often than that. */
struct dts_calibrate_progress {
    double begin_s, told_s;
};
void dts_calibrate_tell_part(void *progress, const char *what, int sweep);

/* Some lines: each figure, what it is used for, and how sure it is. */
void dts_calibrate_tell_result(const struct dts_calibration *c, double seconds, FILE *out);

/* The rates that the platform gets: what one of all ranks that send at once reaches within a
 * node, and the port of a node. */
double dts_calibrate_within_rate(const struct dts_calibration *c);
double dts_calibrate_port_rate(const struct dts_calibration *c);

#endif
