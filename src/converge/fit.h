/* fit.h -- the law of one series of published or measured points.
 *
 * Means over seeds at several batches become ln e_min, ln b_c, ln g and one ln factor for each
 * recipe beside the reference, by weighted least squares on the logs of what a log shows
 * (dts_law_seen). ln g has a prior, N(0.1, 0.2), common to all series; a recipe's factor has
 * N(ln 1.05, 0.05). Predictions by it: forecast.h. docs/convergence.md derives each number.
 *
 * Everything is deterministic: the same rows give the same bytes.
 */
#ifndef DTS_CONVERGE_FIT_H
#define DTS_CONVERGE_FIT_H

#include "base/error.h"
#include "converge/law.h"
#include "converge/seeds.h"

enum {
    DTS_FIT_RECIPES = 4,                       // of one series, the reference among them
    DTS_FIT_NUMBERS = 3 + DTS_FIT_RECIPES - 1, // what is fitted at the most
};

struct dts_fit {
    struct dts_seeds points[DTS_FIT_BATCHES]; // seeds merged; by batch, ascending
    int count;                                // of them, without the limited ones
    double limited_batch;                     // that was left out; 0: none
    struct dts_law law;                       // of the reference recipe
    double factors[DTS_FIT_RECIPES];          // by recipe; [0] is 1
    int numbers;                              // that were fitted: 3 + recipes beside the first
    double logs[DTS_FIT_NUMBERS];             // ln e_min, ln b_c, ln g, ln factors[1], ...

    /* Of logs: the inverse of the normal matrix. */
    double covariance[DTS_FIT_NUMBERS][DTS_FIT_NUMBERS];
};

/* Fit rows (in any order; several rows of a batch and recipe are seeds of one point). Fails
 * with DTS_BAD_INPUT, naming what is missing, where there are fewer than two batches. */
bool dts_fit_make(struct dts_fit *fit, const struct dts_seeds *rows, int count,
                  struct dts_error *err);

/* What a run needs by numbers as `logs` has them: dts_law_at() times the recipe's factor. */
double dts_fit_need(const double *logs, double batch, int recipe);

/* Half of the 80 % interval of number i in logs: exp(+-) is the factor to both ends. */
double dts_fit_spread(const struct dts_fit *fit, int i);

#define DTS_FIT_Z80 1.2815515655446004 // of the normal distribution: 80 % lie within +- this

/* Standard deviation of ln of one point about the law, besides its seeds: recipes differ. */
#define DTS_FIT_SCATTER 0.03

#endif
