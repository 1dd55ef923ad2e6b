/* trained.h -- the results of training, epoch by epoch (docs/live.md). */
#ifndef DTS_ANSWER_LIVE_TRAINED_H
#define DTS_ANSWER_LIVE_TRAINED_H

#include <stdio.h>

#include "base/json/json_out.h"

struct dts_trained_epoch {
    long epoch, step;  // steps since the beginning
    double train_loss; // mean over the samples of the epoch, each before the update by its step
    double test_loss;  // mean over the test part

    /* Share of the test part whose class is right, 0 .. 1; NAN: there are no classes. */
    double accuracy;

    /* Of classes of regions (train/network/evaluate.h), 0 .. 1; NAN: there are none. */
    double mean_iou;

    double seconds; // since the run began to train, evaluations included
};

struct dts_trained {
    struct dts_trained_epoch *epochs; // owned
    int count;
    long from_step;    // of the checkpoint that the run continued; 0: there was none
    double loss_scale; // at the end; 0: there is none
    long left_out;     // steps whose gradients were not finite
};

void dts_trained_add(struct dts_trained *trained, const struct dts_trained_epoch *epoch);
void dts_trained_free(struct dts_trained *trained); // leaves it empty

/* Both print nothing where there is nothing to say. json: a member "training". */
void dts_trained_text(const struct dts_trained *trained, FILE *out);
void dts_trained_json(const struct dts_trained *trained, struct dts_json *json);

/* With fp16: one line about the loss scale, at the end. */
void dts_trained_scale_line(const struct dts_trained *trained, FILE *out);

/* Prints an empty line and one table for all strategies; nothing if no epoch has ended. */
void dts_trained_csv(const struct dts_trained *const *trained, const char *const *strategies,
                     int count, FILE *out);

/* One line about an epoch that has ended, printed while the run goes on. */
void dts_trained_line(const struct dts_trained_epoch *epoch, long epochs, FILE *out);

#endif
