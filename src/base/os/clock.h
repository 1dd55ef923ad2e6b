/* clock.h -- monotonic seconds. */
#ifndef DTS_BASE_OS_CLOCK_H
#define DTS_BASE_OS_CLOCK_H

double dts_now_s(void);

/* What somebody reads the time from; a test has one of its own. */
struct dts_clock {
    double (*now_s)(void *self); // NULL: dts_now_s()
    void *self;
};
double dts_clock_now_s(const struct dts_clock *clock);

#endif
