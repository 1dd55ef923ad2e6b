/* pace.h -- how fast the machine runs from moment to moment.
 *
 * The cores of a virtual machine, and those of a laptop, run at several speeds: a busy
 * neighbour on the same core slows a product for seconds at a time, and clocks rise and fall. A
 * fixed piece of work, timed before and after what is measured, tells at which of its paces the
 * machine was. The usual pace is the median of all moments seen: neither that of its best
 * moments nor that of a passing disturbance. What runs at the usual pace counts, all else does
 * not. Who compares measurements of different moments asks for one pace in all of them,
 * instead.
 */
#ifndef DTS_BASE_MEASURE_PACE_H
#define DTS_BASE_MEASURE_PACE_H

#include <stdbool.h>

#include "base/os/clock.h"

enum { DTS_PACES = 700 }; // classes, each 2 % wider than the one before, from 1 us to 1 s

struct dts_pace {
    double (*take_s)(void *argument); // does the piece of work; its seconds
    void *argument;
    struct dts_clock clock;
    double took_s;     // the last time, with what of it does not count
    double asked_s;    // the pace that is to be the usual one; 0: none
    double patience_s; // how long runs may still wait for the usual pace, in all

    /* Runs count at any pace: there is no usual one, or what is compared is timed in turns. */
    bool all_count;

    int moments[DTS_PACES], count;
};

double dts_pace_take(struct dts_pace *pace);          // seconds of the piece, now
double dts_pace_usual_s(const struct dts_pace *pace); // or asked for; 0: nothing was taken yet
bool dts_pace_is_usual(double pace_s, double usual_s);

/* Waits, while there is patience, until the pace is the usual one; it was `pace_s` just now.
 * Returns what it is then. */
double dts_pace_wait(struct dts_pace *pace, double pace_s);

#endif
