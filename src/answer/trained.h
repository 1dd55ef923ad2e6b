/* trained.h -- what training came to, epoch by epoch (docs/live.md). */
#ifndef DTS_ANSWER_TRAINED_H
#define DTS_ANSWER_TRAINED_H

#include <stdio.h>

#include "base/json/json_out.h"

struct dts_trained_epoch {
    long epoch, step;  // steps since the beginning
    double train_loss; // mean over the samples of the epoch, each before it changed anything
    double test_loss;  // mean over the test part
    double accuracy;   // share of the test part that is right, 0 .. 1; NAN: not a matter of
                       // classes
    double mean_iou; // of the classes of regions (train/network/evaluate.h), 0 .. 1; NAN: there
                     // are none
    double seconds;  // since the run began to train, evaluations included
};

struct dts_trained {
    struct dts_trained_epoch *epochs; // owned
    int count;
    long from_step;    // that the run went on from; 0: the beginning
    double loss_scale; // at the end; 0: there is none
    long left_out;     // steps whose gradients were not finite
};

void dts_trained_add(struct dts_trained *trained, const struct dts_trained_epoch *epoch);
void dts_trained_free(struct dts_trained *trained); // leaves it empty

/* Both print nothing where there is nothing to say. json: a member "training". */
void dts_trained_text(const struct dts_trained *trained, FILE *out);
void dts_trained_json(const struct dts_trained *trained, struct dts_json *json);

/* Of fp16, one line at the end. */
void dts_trained_scale_line(const struct dts_trained *trained, FILE *out);

/* Of several strategies one table, after an empty line; nothing where no epoch was ended. */
void dts_trained_csv(const struct dts_trained *const *trained, const char *const *strategies,
                     int count, FILE *out);

/* One line, for who waits. */
void dts_trained_line(const struct dts_trained_epoch *epoch, long epochs, FILE *out);

#endif
