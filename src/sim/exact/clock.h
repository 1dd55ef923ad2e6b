/* clock.h -- alarms in simulated time, in the order in which they are due; of one date,
 * first set, first rung.
 */
#ifndef DTS_SIM_EXACT_CLOCK_H
#define DTS_SIM_EXACT_CLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct dts_alarm {
    double at_s;
    uint64_t number; // orders alarms of one date
    void (*ring)(void *self, int which);
    void *self;
    int which;
};

/* Empty: {0}. */
struct dts_clock {
    struct dts_alarm *heap; // owned; the earliest first
    size_t count, room;
    uint64_t next;
};

/* Calls ring(self, which) at a simulated time that is not in the past. */
void dts_clock_set(struct dts_clock *clock, double at_s, void (*ring)(void *self, int which),
                   void *self, int which);

/* The date of the first; INFINITY: none is set. */
double dts_clock_next(const struct dts_clock *clock);

/* Rings those that are due. Returns false when none was. */
bool dts_clock_ring(struct dts_clock *clock);

#endif
