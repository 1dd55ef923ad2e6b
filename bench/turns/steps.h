/* steps.h -- whole training steps of one rank on made data, timed: what a profile has to
 * predict, and what is compared with other frameworks. */
#ifndef DTS_BENCH_TURNS_STEPS_H
#define DTS_BENCH_TURNS_STEPS_H

#include <stdio.h>

#include "base/measure/measure.h"
#include "train/network/network.h"

/* Of one layer's calls, the medians of all steps at the pace: to be held against the profile's.
 */
struct dts_layer_seconds {
    double forward_s, backward_s; // 0: it has none
};

struct dts_steps_request {
    const struct dts_model *model;
    const struct dts_optimizer *optimizer;
    int batch, threads;
    enum dts_precision precision;
    int steps;         // >= 1; one more before them is not counted
    double patience_s; // how long steps may wait, in all, until the machine has its usual pace
    double pace_s;     // that is asked for instead of the usual one; 0: none
    bool all_count;    // runs at any pace
    struct dts_layer_seconds *layers; // filled in, model->layer_count; NULL: nobody asks
};

struct dts_steps {
    struct dts_measured forward, backward, update, step; // step: all three
    struct dts_measured
        paced;     // the steps at the usual pace alone (base/measure/pace.h), if any
    double pace_s; // which is this
    int at_pace;   // so many steps were at it
    double calls_s,
        calls_off; // the calls at it, added up, and the share of those that never were
    double first_loss, last_loss;
    int left_out; // steps whose gradients were not finite: fp16
    size_t bytes; // of the network: weights, gradients, activations
};

/* The same step by step, for what is measured in turns with something else. */
struct dts_step_series;

/* A network, after one step that does not count. The request outlives it; *series is to be
 * freed even where this fails. */
bool dts_steps_begin(struct dts_step_series **series, const struct dts_steps_request *request,
                     struct dts_error *err);
/* One step; its seconds. The first request->steps of them count. */
double dts_steps_next(struct dts_step_series *series);

/* One that does not count, whose caches something else has left. */
double dts_steps_pass(struct dts_step_series *series);

/* Of one step at least. pace_s: the pace that is the usual one; 0: that of these steps. */
void dts_steps_end(struct dts_step_series *series, double pace_s, struct dts_steps *out);
void dts_steps_free(struct dts_step_series *series);

bool dts_steps_measure(const struct dts_steps_request *request, struct dts_steps *out,
                       struct dts_error *err);

/* As JSON; request->layers are there. */
void dts_steps_write(const struct dts_steps_request *request, const struct dts_steps *steps,
                     FILE *out);

#endif
