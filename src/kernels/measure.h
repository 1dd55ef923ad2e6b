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

struct dts_measured {
    double median_s, mad_s, least_s; // of one run
    int count;                       // runs that were timed
};

/* Run once unseen, to warm up, then until the median is stable or the limit is reached. */
void dts_measure(const struct dts_meter *meter, void (*run)(void *argument), void *argument,
                 struct dts_measured *out);

#endif
