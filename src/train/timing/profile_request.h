/* profile_request.h -- what a profile is asked to measure, and for how long. */
#ifndef DTS_TRAIN_TIMING_PROFILE_REQUEST_H
#define DTS_TRAIN_TIMING_PROFILE_REQUEST_H

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

#endif
