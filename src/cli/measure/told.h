/* told.h -- what `dtsim profile` says on standard error while it measures: on a
 * terminal how far it is; elsewhere, in a log, whole lines, and few of them; in the end where
 * the profile lies. */
#ifndef DTS_CLI_MEASURE_TOLD_H
#define DTS_CLI_MEASURE_TOLD_H

#include "train/timing/profile.h"

struct dts_measure_told {
    const struct dts_profile_request *request; // set by the caller, with the next two
    double begin_s;                            // on dts_now_s()
    const char *path;                          // of the profile
    int calls, measurements; // 0 until it measures; of the calls in all sweeps
    double next_s;           // when the next line is due, from the begin on
};

/* The request's progress, told a struct dts_measure_told. */
void dts_measure_tell(void *told, int done, int total, const char *what);

/* The profile is written. */
void dts_measure_tell_end(const struct dts_measure_told *told);

#endif
