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

#include "train/model/model.h"
#include "train/timing/kernel_time.h"

struct dts_profile_request {
    const struct dts_model *models; // whose calls are measured
    int model_count;
    const int *batches; // ascending
    int batch_count;
    const struct dts_space_kind *kind;             // of the device
    int number;                                    // of the device
    int threads;                                   // of a CPU
    enum dts_precision precision;                  // fp32, bf16 or fp16; tf32 where it can
    const struct dts_optimizer *const *optimizers; // whose updates are, of each model
    int optimizer_count;
    struct dts_meter meter; // of one call in one sweep
    int sweeps;             // over all calls
    bool all_count;         // runs at any pace
    double patience_s;      // how long runs may wait, in all, for the usual pace
    double pace_s;          // that is asked for instead of the usual one; 0: none

    /* Told before each measurement; NULL: nobody wants to know. */
    void (*progress)(void *argument, int done, int total, const char *what);
    /* Whether a step has run since the last one; NULL: none does. */
    bool (*behind_step)(void *argument);
    void *argument;
};

/* What the machine was like meanwhile. */
struct dts_profile_moments {
    double pace_s;            // the usual one; 0: the device has none
    double disturbed_percent; // of the runs, those that were at another one
};

/* Measure and write `path`, whole or not at all ("-": standard output). */
bool dts_profile_measure(const struct dts_profile_request *request, const char *path,
                         struct dts_profile_moments *moments, struct dts_error *err);

#endif
