/* target_run.h -- one training to a target accuracy, and what came of it: what `dtsim converge`
 * asks of dtsim-measure, gets from it, and keeps. Both travel as JSON.
 */
#ifndef DTS_TRAIN_SCENARIO_TARGET_RUN_H
#define DTS_TRAIN_SCENARIO_TARGET_RUN_H

#include "base/json/cfg.h"
#include "base/json/json_out.h"

enum { DTS_TARGET_DELAY_MOST = 1024 };

/* Model, data, optimizer, schedule and threads are those of a scenario. */
struct dts_target_run {
    int batch;           // samples of a step
    int microbatch;      // that the network computes at once; divides the batch
    double rate;         // learning rate, before the schedule
    int seed;            // of first weights, order and dropout
    double accuracy;     // the target, 0 .. 1: share of the test samples
    int every;           // samples between evaluations
    int test_samples;    // first ones of the test part, that count
    double most_samples; // the run ends there, whatever came of it
    int delay;           // updates by which every gradient is late

    /* > 0: a rank for each microbatch, which makes so many updates of its own before all take
     * the mean of their weights; outer_rate > 0: by an outer update with Nesterov's momentum of
     * 0.9 (train/network/alone.h). 0: gradients of all microbatches are summed in each step. */
    int local_steps;
    double outer_rate;
};

/* Of the run (dts_noise_of_run); steps 0: a step had one microbatch. */
struct dts_target_noise {
    int small_batch, large_batch, steps;
    double scale;  // in samples; 0: not known
    double spread; // of its mean, relative; 0: not known
};

struct dts_target_end {
    bool reached;
    double samples;  // trained on until the evaluation that reached it, or the last
    double accuracy; // at that evaluation, or the best
    struct dts_target_noise noise;
};

/* The same run: it would give the same end. */
bool dts_target_run_same(const struct dts_target_run *a, const struct dts_target_run *b);

void dts_target_run_print(const struct dts_target_run *run, const char *key,
                          struct dts_json *json);
bool dts_target_run_read(const struct dts_cfg *at, struct dts_target_run *run,
                         struct dts_error *err);
void dts_target_end_print(const struct dts_target_end *end, const char *key,
                          struct dts_json *json);
bool dts_target_end_read(const struct dts_cfg *at, struct dts_target_end *end,
                         struct dts_error *err);

#endif
