/* accuracy_fit.h -- how accurate a network is that trains for a fixed number of epochs, as a
 * function of the global batch.
 *
 *     accuracy(B) = best - size lost(B, shape)
 *
 *     linear   lost = max(0, B/shape - 1)
 *     squared  lost = max(0, log2(B/shape))^2
 *     power    lost = (B/largest)^shape
 *
 * Best, size and shape are those with the least squares of (accuracy - published)/sd. The three
 * forms fit what is published alike and part beyond it: the linear one is the centre, and the
 * least and the most of all are the interval. docs/convergence.md has the reasons.
 */
#ifndef DTS_CONVERGE_ACCURACY_FIT_H
#define DTS_CONVERGE_ACCURACY_FIT_H

#include "base/error.h"

enum { DTS_ACCURACY_POINTS = 64, DTS_ACCURACY_FORMS = 3 };

struct dts_accuracy_seeds {
    double batch;    // samples of a step, of all devices
    double accuracy; // percent, the mean over seeds
    double sd;       // of one seed, percent points; above 0
};

struct dts_accuracy_form {
    double best;        // percent: of small batches
    double size, shape; // of the form; see above
    double chi_squared; // sum of ((accuracy - published)/sd)^2
};

struct dts_accuracy_fit {
    struct dts_accuracy_seeds points[DTS_ACCURACY_POINTS]; // by batch, ascending
    int count;
    struct dts_accuracy_form forms[DTS_ACCURACY_FORMS]; // linear, squared, power
};

/* Percent. 80 % of runs lie between low and high. */
struct dts_accuracy_forecast {
    double mean, low, high;
    double lost; // percent points, of what small batches reach
};

const char *dts_accuracy_form_name(int i); // NULL at the end

/* Fails with DTS_BAD_INPUT where there are fewer than four batches. */
bool dts_accuracy_fit_make(struct dts_accuracy_fit *fit,
                           const struct dts_accuracy_seeds *points, int count,
                           struct dts_error *err);

/* By one form; may be below 0. */
double dts_accuracy_form_at(const struct dts_accuracy_fit *fit, int form, double batch);

/* One run: the interval is that of the forms, and of the seeds at the nearest batch. Never
 * below 0. */
struct dts_accuracy_forecast dts_accuracy_predict(const struct dts_accuracy_fit *fit,
                                                  double batch);

#endif
