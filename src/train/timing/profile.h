/* profile.h -- measures the calls of networks on a device, one by one, into a device file.
 *
 * In several sweeps over all calls: where the speed of the machine drifts, each call has seen
 * the same times as the others.
 *
 * The file is that of a device (device/device.h): its roofline, and beside it
 * "profile", the seconds of every distinct call at every batch. Whoever names it as the device
 * of a scenario gets predictions that rest on it.
 */
#ifndef DTS_TRAIN_TIMING_PROFILE_H
#define DTS_TRAIN_TIMING_PROFILE_H

#include "train/timing/profile_request.h"

/* What the machine was like meanwhile. */
struct dts_profile_moments {
    double pace_s;            // the usual one; 0: the device has none
    double disturbed_percent; // of the runs, those that were at another one
};

/* Measure and write `path`, whole or not at all ("-": standard output). */
bool dts_profile_measure(const struct dts_profile_request *request, const char *path,
                         struct dts_profile_moments *moments, struct dts_error *err);

#endif
