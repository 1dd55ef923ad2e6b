/* step_calls.h -- how long each call of a step took, and at which pace of the machine. A step
 * of seconds meets several paces (base/measure/pace.h) where a call meets one: its calls'
 * medians at one pace, added up, compare with those of a profile.
 */
#ifndef DTS_BENCH_TURNS_STEP_CALLS_H
#define DTS_BENCH_TURNS_STEP_CALLS_H

#include "base/measure/measure.h"

struct dts_step_calls {
    struct dts_pace *pace;
    struct dts_runs *runs; // owned; of each call
    int count;
    int first;              // call since the pace was taken
    double pace_s, taken_s; // the pace, and when it was taken
    double lost_s;          // to taking it, in all
    bool unseen;            // nothing is added now, and no pace taken
};

/* Of so many calls in a step. */
void dts_step_calls_make(struct dts_step_calls *calls, int count, struct dts_pace *pace);
void dts_step_calls_free(struct dts_step_calls *calls);

/* A step begins, before which the pace was `pace_s`. */
void dts_step_calls_begin(struct dts_step_calls *calls, double pace_s);

/* Its next call, from 0 on, took so long. Now and then the pace is taken, at last behind the
 * last call. */
void dts_step_calls_add(struct dts_step_calls *calls, int call, double seconds);

/* The last step does not count. */
void dts_step_calls_drop_last(struct dts_step_calls *calls);

/* Seconds of all calls, medians at the pace. *off: the share of those that never met it. */
double dts_step_calls_sum(const struct dts_step_calls *calls, double *off);

#endif
