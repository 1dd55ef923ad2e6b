/* accuracy.h -- tables of accuracy after a fixed number of epochs: what was published at
 * several batches, and what a run at another batch reaches.
 *
 *     {"summary": "...", "model": "resnet50", "dataset": "ImageNet-1k", "optimizer":
 * "nesterov", "metric": "top-1 accuracy", "epochs": 90, "epoch_samples": 1281167, "sample":
 * "image", "rule": "gradual_warm_up", "schedule": "...", "points": [{"batch": 256,
 * "accuracy": 76.4, "sd": 0.12, "source": "..."},
 *                 {"batch": 8192, "accuracy": 75.16, "sd": 0.37, "rule": "no_warm_up",
 *                  "source": "..."}, ...]}
 *
 * A file in accuracy/ is a table. Points of its own rule are fitted (accuracy_fit.h). Another
 * rule of the learning rate is known at the batches where it was tried, and nowhere else.
 */
#ifndef DTS_CONVERGE_ACCURACY_H
#define DTS_CONVERGE_ACCURACY_H

#include <stdio.h>

#include "base/json/keys.h"
#include "base/text.h"
#include "converge/accuracy_fit.h"
#include "converge/trained_by.h"

/* A point of another rule than the table's. */
struct dts_accuracy_other {
    const char *rule;
    struct dts_accuracy_seeds seeds;
};

/* Strings belong to the document. */
struct dts_accuracy {
    const char *name, *summary; // name: of the file, without folder and ".json"
    const char *model, *dataset, *optimizer;
    const char *metric;            // "top-1 accuracy", in percent
    const char *rule;              // of points that name none
    const char *schedule;          // of the learning rate, in words; NULL: not said
    const char *sample;            // "image"
    double epochs;                 // of each run
    double epoch_samples;          // samples of an epoch
    struct dts_trained_by trained; // by the own rule
    const char *source;
    struct dts_accuracy_fit fit; // of the own rule
    struct dts_accuracy_other others[DTS_ACCURACY_POINTS];
    int other_count;
    char *name_owned;    // private
    struct dts_doc *doc; // owned
};

/* Read a file and fit it. Bad input is one line: `accuracy/x.json: points[1].sd: ...`. */
bool dts_accuracy_load(struct dts_accuracy *table, const char *path, struct dts_error *err);

/* The same for a document that was parsed; takes it over, also on failure. */
bool dts_accuracy_read(struct dts_accuracy *table, struct dts_doc *doc, struct dts_error *err);
void dts_accuracy_free(struct dts_accuracy *table);

/* Is there a point of this rule? Else adds the rules that there are to `known`. */
bool dts_accuracy_has(const struct dts_accuracy *table, const char *rule,
                      struct dts_text *known);

/* What one run reaches at a batch by a rule (NULL: the table's own). Fails with DTS_BAD_INPUT
 * where the rule was not tried at this batch; the message names where it was. */
bool dts_accuracy_of(const struct dts_accuracy *table, const char *rule, double batch,
                     struct dts_accuracy_forecast *forecast, struct dts_error *err);

/* Add why it is hard to believe, in words: a batch outside the published ones by more than a
 * factor of two, or one by which nothing is learned. */
void dts_accuracy_doubt(const struct dts_accuracy *table, double batch,
                        const struct dts_accuracy_forecast *forecast, struct dts_text *doubt);

/* Print what `dtsim help accuracy` says. */
void dts_accuracy_keys(struct dts_keys *keys);

#endif
