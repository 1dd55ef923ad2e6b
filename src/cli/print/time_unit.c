/* time_unit.c -- the units of times, the longest first. */
#include "cli/print/time_unit.h"

static const struct dts_time_unit of_steps[] = {
    {10, "s", 1},
    {1e-3, "ms", 1e3},
    {0, "us", 1e6},
};

static const struct dts_time_unit of_trainings[] = {
    {4 * 86400, "days", 1.0 / 86400},
    {3600, "h", 1.0 / 3600},
    {100, "min", 1.0 / 60},
    {0, "s", 1},
};

static const struct dts_time_unit *unit_for(const struct dts_time_unit *units, double seconds)
{
    while (units->least_s > seconds)
        units++;
    return units;
}

const struct dts_time_unit *dts_time_unit_step(double seconds)
{
    return unit_for(of_steps, seconds);
}

const struct dts_time_unit *dts_time_unit_training(double seconds)
{
    return unit_for(of_trainings, seconds);
}
