/* clock.c -- monotonic seconds. */
#include <stddef.h>
#include <time.h>

#include "base/os/clock.h"

double dts_now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

double dts_clock_now_s(const struct dts_clock *clock)
{
    return clock->now_s != NULL ? clock->now_s(clock->self) : dts_now_s();
}
