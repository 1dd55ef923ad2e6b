/* time_unit.h -- seconds are shown in the unit that fits the longest of them. */
#ifndef DTS_CLI_PRINT_TIME_UNIT_H
#define DTS_CLI_PRINT_TIME_UNIT_H

struct dts_time_unit {
    double least_s;
    const char *name;
    double scale; // seconds times it are in the unit
};

const struct dts_time_unit *dts_time_unit_step(double seconds);     // s, ms, us
const struct dts_time_unit *dts_time_unit_training(double seconds); // days, h, min, s

#endif
