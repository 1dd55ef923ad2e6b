/* profile.h -- convergence profiles: what published or measured runs needed to reach a target,
 * batch by batch, and what a run at another batch needs.
 *
 *     {"summary": "...", "model": "resnet50", "dataset": "ImageNet-1k", "optimizer": "lars",
 *      "schedule": "polynomial decay", "target": "75.9 % top-1", "sample": "image", "unit":
 * "epochs", "epoch_samples": 1281167, "points": [{"batch": 3264, "seeds": 15, "mean": 35.2,
 * "cv": 0.0213, "evaluated_every": 1, "source": "..."}, ...]}
 *
 * A file in convergence/ is a profile. It holds what was published and no fitted number: the
 * law is fitted when the file is read. `mean` and `evaluated_every` are in the unit of the
 * profile: epochs of epoch_samples samples, samples, or tokens (a sample has sample_tokens).
 * `batch` is samples in a step of all devices. docs/convergence.md says how to write one.
 */
#ifndef DTS_CONVERGE_PROFILE_H
#define DTS_CONVERGE_PROFILE_H

#include <stdio.h>

#include "base/json/keys.h"
#include "base/text.h"
#include "converge/forecast.h"
#include "converge/local_cost.h"
#include "converge/staleness.h"
#include "converge/trained_by.h"

/* How predictions follow from points: a row of dts_convergence_forms. */
struct dts_convergence_form;

/* What was published of one batch. */
struct dts_convergence_point {
    struct dts_seeds seeds; // cv: as published, else from least and most, else 0
    double least, most;     // of the seeds; 0: not published
    const char *recipe;     // NULL: that of the profile
    const char *source;     // NULL: that of the file
};

/* Strings belong to the document, or to whoever fills the struct to write it. */
struct dts_convergence {
    const char *name, *summary; // name: of the file, without folder and ".json"
    const char *model, *dataset, *target;
    const char
        *optimizer; // "lars": as the optimizers of the program are called, or another word
    const char *schedule; // of the learning rate, in words; NULL: not said
    const char *sample;   // "image", "sequence"
    const char *unit;     // "epochs", "samples", "tokens"
    double epoch_samples; // samples of an epoch; 0: the unit is another
    double sample_tokens; // tokens of a sample; 0: the unit is another
    const char *recipe;   // of points that name none
    const char *source;
    struct dts_trained_by trained;                // of the own recipe
    struct dts_staleness_cost staleness;          // what late gradients cost
    struct dts_local_cost local[DTS_LOCAL_COSTS]; // what local steps cost, ascending
    int local_count;
    const struct dts_convergence_form *form;
    struct dts_convergence_point points[DTS_FIT_BATCHES];
    int point_count;
    const char *recipes[DTS_FIT_RECIPES]; // by number; [0] is that of the profile
    int recipe_count;
    struct dts_fit fit;  // form "law"
    char *name_owned;    // private
    struct dts_doc *doc; // owned
};

/* Read a file and fit it. Bad input is one line: `convergence/x.json: points[1].batch: ...`. */
bool dts_convergence_load(struct dts_convergence *profile, const char *path,
                          struct dts_error *err);

/* The same for a document that was parsed; takes it over, also on failure. */
bool dts_convergence_read(struct dts_convergence *profile, struct dts_doc *doc,
                          struct dts_error *err);
void dts_convergence_free(struct dts_convergence *profile);

/* Write a profile as dts_convergence_read() reads it: words, points and `form` (NULL: "law").
 * Numbers have the fewest digits that read back as the same. */
void dts_convergence_print(const struct dts_convergence *profile, FILE *out);

/* Print what `dtsim help convergence` says. */
void dts_convergence_keys(struct dts_keys *keys);

/* Samples of one unit: epoch_samples, 1, 1/sample_tokens. */
double dts_convergence_unit_samples(const struct dts_convergence *profile);

/* The number of a recipe; -1: the profile has none of that name. */
int dts_convergence_recipe(const struct dts_convergence *profile, const char *name);

/* What one run needs at a batch. 80 % of runs lie between low and high. */
struct dts_need {
    struct dts_forecast units;                 // in the unit of the profile
    double epochs;                             // NAN where an epoch's samples are not known
    double samples, samples_low, samples_high; // units in samples
    double steps, steps_low, steps_high;       // samples over the batch, rounded up
    double interval;      // between evaluations, in the unit of the profile; 0: not known
    double counts_as;     // the batch that it is, times what late gradients add (staleness.h)
    const char *region;   // "perfect", "diminishing", "maximal"; "": the form has none
    double batches[2];    // the profile's smallest and largest batch that counts
    double limited_batch; // that is known to be too large; 0: none
    int batch_count;      // batches that the prediction rests on
    double outside;       // how many times outside the batches; 1: inside
};

/* Fails with DTS_BAD_INPUT where the form knows nothing of the batch (a profile of one batch,
 * asked about another); the message names what it knows. */
bool dts_convergence_predict(const struct dts_convergence *profile, double batch, int recipe,
                             struct dts_need *need, struct dts_error *err);

/* More than a batch and a recipe. */
struct dts_need_question {
    double batch;
    int recipe;

    /* Updates by which gradients are late (dts_staleness_delay): the batch counts as a larger
     * one, and the interval has the doubt about what lateness costs. */
    double delay;

    /* Between evaluations of the run, in the unit of the profile; 0: as at the nearest batch. A
     * law sees the need through it; other forms do not know the need itself. */
    double interval;
};

bool dts_convergence_ask(const struct dts_convergence *profile,
                         const struct dts_need_question *question, struct dts_need *need,
                         struct dts_error *err);

/* Add why a prediction is hard to believe, in words; nothing where it is not: outside the
 * batches by more than a factor of two, above the limited batch, fewer than four batches. */
void dts_need_doubt(const struct dts_need *need, double batch, struct dts_text *doubt);

#endif
