/* settled.h -- as many steps as workers need that do not wait for each other. */
#ifndef DTS_SIM_SETTLED_H
#define DTS_SIM_SETTLED_H

#include "sim/engine.h"

/* An engine that simulates each message, and what its answer says where these were too many. */
struct dts_settled {
    bool (*run)(const struct dts_simulation *simulation, struct dts_timing *timing,
                struct dts_error *err);
    const char *unsettled; // static
};

/* Where the simulation settles (engine.h) and workers drift apart, twice as many steps until
 * that changes the step little, or messages are too many; else one run of its own steps. The
 * same for all such engines, which then answer the same. */
bool dts_settled_run(const struct dts_settled *engine, const struct dts_simulation *simulation,
                     struct dts_timing *timing, struct dts_error *err);

#endif
