/* seeds.h -- what runs of one batch needed; and rows of a series into one point a batch. */
#ifndef DTS_CONVERGE_SEEDS_H
#define DTS_CONVERGE_SEEDS_H

#include <stdbool.h>

enum { DTS_FIT_BATCHES = 64 }; // of one series, rows of one batch counted each

#define DTS_SEEDS_CV 0.02 // at least, of seeds that all agree: evaluations hide their spread

/* Runs of one batch and recipe. */
struct dts_seeds {
    double batch;    // samples of a step
    double mean;     // over the seeds, of what they needed as a log shows it; profile's unit
    double cv;       // coefficient of variation of one seed; 0: not known, or all agreed
    double interval; // between evaluations, profile's unit; 0: finer than matters
    double learning_rate; // base rate, of any scale that all points share; 0: not known
    int seeds;            // >= 1
    int recipe;           // 0: the reference; others have a factor of their own

    /* Set by dts_seeds_merge(): the largest batch, whose learning rate had to fall below 0.75
     * of that of a smaller one while its steps are above 0.95 of the fewest. It is beyond the
     * useful range, and is no part of the fit. */
    bool limited;
};

/* Merge rows of one batch and recipe by their numbers of seeds, order them by batch, and give
 * each point a cv: its own, else the root mean square of the series, DTS_SEEDS_CV at the least.
 * The largest batch is marked where it is limited. Returns how many there are. */
int dts_seeds_merge(const struct dts_seeds *rows, int count,
                    struct dts_seeds points[DTS_FIT_BATCHES]);

#endif
