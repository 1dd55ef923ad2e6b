/* profile_write.h -- the file that a profile is. */
#ifndef DTS_TRAIN_TIMING_PROFILE_WRITE_H
#define DTS_TRAIN_TIMING_PROFILE_WRITE_H

#include "kernels/space/roofline.h"
#include "train/timing/profile_entries.h"

/* All that was measured, for the file. */
struct dts_profile_findings {
    const struct dts_profile_entries *entries;
    const struct dts_runs *updates; // models x optimizers
    int update_count;
    const struct dts_pace *pace; // NULL: the device has none
    const struct dts_roofline *roofline;
    const struct dts_space *space;
    double disturbed_percent;
};

/* Write `path`, whole or not at all; "-": standard output. */
bool dts_profile_write(const struct dts_profile_request *request,
                       const struct dts_profile_findings *found, const char *path,
                       struct dts_error *err);

#endif
