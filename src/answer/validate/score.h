/* score.h -- errors of published cases by class and by number of devices. */
#ifndef DTS_ANSWER_VALIDATE_SCORE_H
#define DTS_ANSWER_VALIDATE_SCORE_H

#include "answer/validate/validate.h"

/* Who predicted. */
enum dts_predictor {
    DTS_BY_ANCHOR,  // dtsim, from the smallest point of the system
    DTS_BY_LINEAR,  // the same throughput of a device as there
    DTS_BY_OTHERS,  // dtsim, from all points but the one
    DTS_BY_NEAREST, // naive.h
    DTS_BY_POWER,
    DTS_PREDICTORS,
};
const char *dts_predictor_name(enum dts_predictor by); // "anchor", "linear", ...

/* Shares: of absolute errors the median and the 90th percentile, of signed ones the median. */
struct dts_error_score {
    double median, p90, bias; // NAN: no case has an error
};

struct dts_class_score {
    enum dts_case_class class;
    int band;  // dts_band_name()
    int count; // predicted cases
    struct dts_error_score by[DTS_PREDICTORS];
};

enum { DTS_BANDS = 4, DTS_SCORES_MOST = DTS_BANDS * DTS_CASE_CLASSES };

/* "to 32", "to 256", "above", "all" devices. */
const char *dts_band_name(int band);

double dts_judged_error(const struct dts_judged *judged, enum dts_predictor by);

/* Rows that have cases, class by class, sizes first. Returns how many. */
int dts_scores(const struct dts_case_set *set, const struct dts_judged *judged,
               struct dts_class_score scores[DTS_SCORES_MOST]);

#endif
