/* scenario_live.h -- "live" of a scenario: how a plan is run for real (dtsim --live). */
#ifndef DTS_TRAIN_SCENARIO_SCENARIO_LIVE_H
#define DTS_TRAIN_SCENARIO_SCENARIO_LIVE_H

#include "train/scenario/scaling.h"
#include "train/scenario/schedule.h"

/* Samples to train on (train/network/data/data.h). */
struct dts_live_data {
    const char *format; // a word of dts_live_data_name()
    const char *folder; // NULL: none
};

struct dts_live_checkpoint {
    const char *file; // NULL: none
    int every_steps;  // 0: not by steps
    int every_epochs;
};

/* How the learning rate follows the batch (scaling.h). */
struct dts_live_scaling {
    const char *rule; // NULL: it does not
    int batch;        // that the rate is for
};

struct dts_live_settings {
    const char *compute; // a word of dts_live_compute_name()
    int steps;           // that are measured
    int warm_up;         // steps before them
    // with kernels:
    const char *device;          // a word of dts_live_device_name()
    const char *device_messages; // of dts_live_messages_name()
    int threads;                 // of a CPU
    int epochs;                  // 0: the measured steps and those before them are all
    struct dts_live_data data;
    double learning_rate;
    double loss_scale; // of fp16, in the beginning
    struct dts_schedule schedule;
    struct dts_live_scaling scaling;
    struct dts_live_checkpoint checkpoint;
    bool noise_scale;    // is it measured?
    const char *mllog;   // file; "-": standard error; NULL: none
    const char *weights; // file for those of rank 0 at the end; NULL: none
};

/* What stands for the kernels when a plan is run: "timed", "kernels". NULL at the end. */
const char *dts_live_compute_name(int i);
const char *dts_live_data_name(int i);
const char *dts_live_device_name(int i);
const char *dts_live_messages_name(int i);

extern const struct dts_field dts_live_fields[];

/* The learning rate of steps of so many samples, before the schedule. */
double dts_live_base_rate(const struct dts_live_settings *settings, double batch);

#endif
