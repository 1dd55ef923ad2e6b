/* forecast.h -- what a run at one batch needs, by a fitted series, and how sure that is.
 *
 * The law, seen through the evaluation grid, times what near batches have in common: a Gaussian
 * process in ln B (exponential kernel, amplitude 5 %, length 1) on the residuals of the points.
 * The variance of its ln is that of the law's numbers, of the process, of recipes (3 %), of the
 * seeds that are asked about, of the grid where it hides them, and 18 % for each e-fold outside
 * the batches known. docs/convergence.md derives each.
 */
#ifndef DTS_CONVERGE_FORECAST_H
#define DTS_CONVERGE_FORECAST_H

#include "converge/fit.h"

/* What is asked of a fit. */
struct dts_fit_question {
    double batch;
    int recipe;
    double cv, interval; // of the run that is asked; negative: those of the nearest batch
    int seeds;           // 1: one run. 20: the mean of twenty
};

/* What it answers, in the profile's unit. 80 % of runs (or means of `seeds`) lie between low
 * and high. */
struct dts_forecast {
    double mean, low, high;
    double sd; // of ln mean
};

struct dts_forecast dts_fit_predict(const struct dts_fit *fit,
                                    const struct dts_fit_question *question);

#endif
