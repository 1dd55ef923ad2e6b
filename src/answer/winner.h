/* winner.h -- which strategy is the fastest at a number of devices, by how much, and what it
 * needs for that. */
#ifndef DTS_ANSWER_WINNER_H
#define DTS_ANSWER_WINNER_H

#include "answer/result.h"

/* What dtsim can tell apart: about the median error of predicted cases against published
 * figures (docs/validation.md). */
enum { DTS_TELL_PERCENT = 5 };

/* Borrows from the report. */
struct dts_winner {
    const struct dts_result *best, *second;
    double ahead_percent; // throughput of the best over that of the second, less 1
    bool even;            // by less than dtsim can tell
    const struct dts_result
        *fewer;                    // the best of those on fewer nodes than the best; NULL: none
    const struct dts_result *lean; // of those in at most 90 % of its memory; NULL: none
};

/* Fills up to `room` winners, one for each setting and number of devices that two strategies or
 * more have answers for, in the order of the report. Returns how many. */
int dts_winners(const struct dts_report *report, struct dts_winner *winners, int room);

/* How fast b is compared with a, in percent: throughput, or the rate of a collective alone;
 * +10: b is faster. */
double dts_faster_percent(const struct dts_result *a, const struct dts_result *b);

#endif
