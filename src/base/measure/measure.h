/* measure.h -- how long a piece of work takes, so that one spike cannot move the answer. */
#ifndef DTS_BASE_MEASURE_MEASURE_H
#define DTS_BASE_MEASURE_MEASURE_H

#include "base/measure/pace.h"

struct dts_meter {
    struct dts_clock clock;

    /* No further run begins after this time in runs, or four times as long between runs. */
    double limit_s;

    int least;     // runs at the least, whatever the limit says; >= 1
    double spread; // stable: the median's standard error is at most this share of it
    void (*prepare)(void *argument); // before each run, not timed; NULL: nothing

    /* After `prepare` and the piece of work for the pace, again and again for as long as that
     * piece took, at least once; not timed. NULL: nothing. */
    void (*between)(void *argument);

    struct dts_pace *pace; // NULL: every run counts
};

/* What runs for so long or longer finds its data where they are and the processor awake,
 * whatever was before. ASSUMED */
#define DTS_SHORT_RUN_S 5e-3

enum { DTS_MOST_RUNS = 200 }; // more would not move a median that is not stable by then

/* What runs took: the first so many. */
struct dts_runs {
    double seconds[DTS_MOST_RUNS];
    double before_s[DTS_MOST_RUNS], after_s[DTS_MOST_RUNS]; // paces; 0 without one
    int count;
};

/* Whether the last of these took less than DTS_SHORT_RUN_S, or there is none yet. */
bool dts_runs_are_short(const struct dts_runs *runs);

/* Adds a run, before which the pace was `before_s`; returns what it is now. */
double dts_runs_add(struct dts_runs *runs, double seconds, double before_s,
                    struct dts_pace *pace);

struct dts_measured {
    double median_s, mad_s, least_s; // of one run
    int count;                       // runs that count
};

/* How many runs there were, and how many of them count; summed over calls. */
struct dts_run_count {
    int runs, counting;
};

/* Keeps those that count alone. */
void dts_runs_drop_others(struct dts_runs *runs, const struct dts_pace *pace);

void dts_runs_count(const struct dts_runs *runs, const struct dts_pace *pace,
                    struct dts_run_count *sum);

/* Percent of these runs that do not count. */
double dts_runs_disturbed_percent(const struct dts_run_count *all);

/* Where that is more than half of them, though no pace was asked for, no pace is usual: from
 * now on all count. */
void dts_pace_judge(struct dts_pace *pace, const struct dts_run_count *all);

/* Run once unseen, to warm up, then until the median of all `runs`, earlier ones among them, is
 * stable or the limit is reached; up to four times the limit where too few runs count. A
 * machine whose speed drifts is seen at several times when what is compared is timed in turns.
 */
void dts_measure_more(const struct dts_meter *meter, void (*run)(void *argument),
                      void *argument, struct dts_runs *runs);

/* Of the runs that count; where none does, of all. No runs: all 0. Where all count, whatever
 * the pace: of what they would have taken at the usual pace, by how these runs follow it
 * (pace_slope.h). */
struct dts_measured dts_measured_of(const struct dts_runs *runs, const struct dts_pace *pace);

/* Both, for what is timed in one go. */
void dts_measure(const struct dts_meter *meter, void (*run)(void *argument), void *argument,
                 struct dts_measured *out);

#endif
