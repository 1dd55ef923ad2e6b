/* pace.c -- a histogram of paces. */
#include "base/measure/pace.h"

#include <math.h>
#include <stddef.h>
#include <time.h>

static const double first_s = 1e-6, width = 1.02;
static const double share = 0.5;   // of all moments: as fast as usual, or faster
static const double within = 1.15; // noise: a few percent; disturbances: 30 to 130. ASSUMED
static const double nap_s = 0.01;  // between two looks

static int class_of(double pace_s)
{
    const double class = pace_s > first_s ? log(pace_s / first_s) / log(width) : 0;
    return class < DTS_PACES - 1 ? (int)class : DTS_PACES - 1;
}

double dts_pace_take(struct dts_pace *pace)
{
    const double begin_s = dts_clock_now_s(&pace->clock);
    const double pace_s = pace->take_s(pace->argument);
    pace->took_s = dts_clock_now_s(&pace->clock) - begin_s;
    pace->moments[class_of(pace_s)]++;
    pace->count++;
    return pace_s;
}

double dts_pace_usual_s(const struct dts_pace *pace)
{
    int below = 0;
    if (pace->asked_s > 0)
        return pace->asked_s;
    for (int c = 0; c < DTS_PACES; c++) {
        below += pace->moments[c];
        if (below > 0 && below >= share * pace->count)
            return first_s * pow(width, c + 0.5);
    }
    return 0;
}

bool dts_pace_is_usual(double pace_s, double usual_s)
{
    return pace_s <= within * usual_s && pace_s >= usual_s / within;
}

double dts_pace_wait(struct dts_pace *pace, double pace_s)
{
    const struct timespec nap = {.tv_nsec = (long)(1e9 * nap_s)};
    while (!dts_pace_is_usual(pace_s, dts_pace_usual_s(pace)) && pace->patience_s > 0) {
        nanosleep(&nap, NULL);
        pace_s = dts_pace_take(pace);
        pace->patience_s -= nap_s + pace_s;
    }
    return pace_s;
}
