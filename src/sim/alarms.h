/* alarms.h -- what happens at times that are known: the first one first. */
#ifndef DTS_SIM_ALARMS_H
#define DTS_SIM_ALARMS_H

#include <stddef.h>

struct dts_alarm {
    double at_s;
    int order;          // equal times ring in the order in which they were set
    int member, letter; // the caller's
};

/* Empty: {0}. */
struct dts_alarms {
    struct dts_alarm *heap; // owned
    size_t room;
    int count, set; // how many wait; how many were set so far
};

void dts_alarm_set(struct dts_alarms *alarms, double at_s, int member, int letter);
double dts_alarm_next(const struct dts_alarms *alarms); // INFINITY: none
struct dts_alarm dts_alarm_take(struct dts_alarms *alarms);

#endif
