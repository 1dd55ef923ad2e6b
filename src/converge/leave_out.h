/* leave_out.h -- each batch of a profile predicted from the others: how good the rule is. */
#ifndef DTS_CONVERGE_LEAVE_OUT_H
#define DTS_CONVERGE_LEAVE_OUT_H

#include "converge/profile.h"

/* One batch and recipe, with its rows merged as the fit merges them. */
struct dts_left_out {
    double batch;
    bool inner; // there are smaller and larger ones; else it is outside of what is left
    double published;
    struct dts_forecast predicted; // of a mean over as many seeds, evaluated as often
    double linear; // on the line through the two nearest batches on both sides, or on one
    bool covered;  // published is within the 80 % interval
    double error;  // predicted / published - 1: above 0 is too much training
    double linear_error;
};

/* Fill in `out`; returns how many. A batch beyond the limit is no part of it. 0 for a profile
 * of fewer than three batches, and where the form is the points themselves. */
int dts_leave_one_out(const struct dts_convergence *profile,
                      struct dts_left_out out[DTS_FIT_BATCHES]);

/* Of the inner or the outer ones of `all`: how many, how many are covered, and the absolute
 * errors' median and largest, by the profile and by the line; NAN where there are none. */
struct dts_left_out_score {
    int count, covered;
    double median, worst, linear_median, linear_worst;
};

struct dts_left_out_score dts_leave_out_score(const struct dts_left_out *all, int count,
                                              bool inner);

#endif
