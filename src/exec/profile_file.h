/* profile_file.h -- what was measured of each call, and the file that says so. Private to the
 * module. */
#ifndef DTS_EXEC_PROFILE_FILE_H
#define DTS_EXEC_PROFILE_FILE_H

#include "exec/profile.h"
#include "kernels/roofline.h"
#include "train/seconds_profile.h"

/* What a step touches: weights, gradients and what calls leave. Between two runs of one call in
 * training all of it passes through the caches, and no more. */
struct dts_profile_footprint {
    double fixed_bytes, sample_bytes;
};

/* A call that occurs, and what was measured of it: one for each batch. */
struct dts_profile_entry {
    struct dts_op_call call;
    struct dts_op_call_key key;
    struct dts_profile_work work;
    bool learns;
    bool lists;                          // gradients of its parameters are lists of rows
    struct dts_profile_footprint around; // of the largest network that it occurs in
    struct dts_kernel_times *times;      // a run for each sweep; owned
};

struct dts_profile_entries {
    struct dts_profile_entry *items; // owned
    size_t room;
    int count;
};

/* updates: for each model those of each optimizer. */
bool dts_profile_write(const struct dts_profile_request *request,
                       const struct dts_roofline *roofline,
                       const struct dts_profile_entries *entries,
                       const struct dts_runs *updates, const char *path, struct dts_error *err);

#endif
