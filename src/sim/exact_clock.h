/* exact_clock.h -- alarms in simulated time, in the order in which they are due.
 *
 * SimGrid has timers, but it allocates each one and rings those of one date in an order of its
 * own. Ranks that walk in step set hundreds of alarms for one date: one timer of SimGrid rings
 * them all, first set, first rung.
 */
#ifndef DTS_SIM_EXACT_CLOCK_H
#define DTS_SIM_EXACT_CLOCK_H

#include <stddef.h>
#include <stdint.h>

struct dts_alarm {
    double at_s;
    uint64_t number; // orders alarms of one date
    void (*ring)(void *self, int which);
    void *self;
    int which;
};

struct dts_clock {
    void (*after)(void *self); // called when all alarms of a date were rung
    void *self;
    double armed_s;         // the date for which SimGrid has a timer; INFINITY: none
    struct dts_alarm *heap; // owned; the earliest first
    size_t count, room;
    uint64_t next;
};

/* Calls ring(self, which) at a simulated time that is not in the past. */
void dts_clock_set(struct dts_clock *clock, double at_s, void (*ring)(void *self, int which),
                   void *self, int which);

#endif
