/* calibrate_memory.c -- what one rank alone adds and copies in a second. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/os/clock.h"
#include "base/stats.h"
#include "live/calibrate_compute.h"
#include "live/values.h"

double dts_calibrate_sums(void)
{
    enum { COUNT = 2 << 20, REPEATS = 9 }; // as much memory as messages go through
    float *sum = dts_alloc(COUNT, sizeof(*sum)), *values = dts_alloc(COUNT, sizeof(*values));
    double times[REPEATS];
    for (int i = 0; i < REPEATS; i++) {
        double begin_s = dts_now_s();
        dts_values_add_floats(sum, values, COUNT);
        times[i] = dts_now_s() - begin_s;
    }
    free(sum);
    free(values);
    return COUNT * sizeof(float) / dts_median(times, REPEATS);
}

double dts_calibrate_copies(void)
{
    enum { BYTES = 16 << 20, REPEATS = 9 };
    char *from = dts_alloc(BYTES, 1), *to = dts_alloc(BYTES, 1);
    double times[REPEATS];
    for (int i = 0; i < REPEATS; i++) {
        memset(from, i + 1, BYTES);
        double begin_s = dts_now_s();
        memcpy(to, from, BYTES);
        times[i] = dts_now_s() - begin_s;
    }
    free(from);
    free(to);
    return BYTES / dts_median(times, REPEATS);
}
