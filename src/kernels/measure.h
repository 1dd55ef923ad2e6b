/* measure.h -- how long a piece of work takes, so that one spike cannot move the answer. */
#ifndef DTS_KERNELS_MEASURE_H
#define DTS_KERNELS_MEASURE_H

struct dts_meter {
    double (*now_s)(void *clock); // NULL: dts_now_s()
    void *clock;
    double limit_s;                  // no further run begins after this time
    int least;                       // runs at the least, whatever the limit says; >= 1
    double spread;                   // stable: the MAD is at most this share of the median
    void (*prepare)(void *argument); // before each run, not timed; NULL: nothing
};

enum { DTS_MOST_RUNS = 200 }; // more would not move a median that is not stable by then

/* What runs took. */
struct dts_runs {
    double seconds[DTS_MOST_RUNS];
    int count;
};

struct dts_measured {
    double median_s, mad_s, least_s; // of one run
    int count;                       // runs that were timed
};

/* Run once unseen, to warm up, then until the median of all `runs`, earlier ones among them, is
 * stable or the limit is reached. A machine whose speed drifts is seen at several times when
 * what is compared is timed in turns. */
void dts_measure_more(const struct dts_meter *meter, void (*run)(void *argument),
                      void *argument, struct dts_runs *runs);
struct dts_measured dts_measured_of(const struct dts_runs *runs); // no runs: all 0

/* Both, for what is timed in one go. */
void dts_measure(const struct dts_meter *meter, void (*run)(void *argument), void *argument,
                 struct dts_measured *out);

#endif
