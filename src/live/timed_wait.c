/* timed_wait.c -- sleeps for as long as a kernel takes. */
#include "live/timed_wait.h"

#include <errno.h>
#include <math.h>
#include <time.h>

static void sleep_until(const struct dts_sleeper *sleeper, double end_s)
{
    if (sleeper->sleep_until != NULL) {
        sleeper->sleep_until(sleeper->self, end_s);
        return;
    }
    struct timespec end = {.tv_sec = (time_t)end_s};
    end.tv_nsec = (long)((end_s - floor(end_s)) * 1e9);
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &end, NULL) == EINTR)
        continue;
}

double dts_timed_wait(const struct dts_sleeper *sleeper, double due_s, double seconds)
{
    const double now_s = dts_clock_now_s(&sleeper->clock);
    const double end_s = fmax(due_s, now_s - DTS_SLEEP_LATE_S) + seconds;
    if (end_s > now_s)
        sleep_until(sleeper, end_s);
    return end_s;
}
