/* estimate.h -- one point of a scenario: plans are built, an engine runs them, and the times
 * are split into what a person asks about. Runs in a process of its own (point_pool.h).
 */
#ifndef DTS_ANSWER_ESTIMATE_H
#define DTS_ANSWER_ESTIMATE_H

#include "answer/result.h"
#include "sim/net/platform/platform.h"
#include "train/strategy/build.h"

/* What is asked. Everything is borrowed. */
struct dts_question {
    const struct dts_scenario *scenario;
    const struct dts_platform *platform;
    const struct dts_device *device;
    const struct dts_strategy *strategy;
    int devices;
    const char *setting;           // what a sweep set, for the result; ""
    const char *trace;             // file for the timeline; NULL: none
    bool check;                    // build the plans, simulate nothing
    struct dts_progress *progress; // where it says how far it is; NULL: to nobody
};

/* Fill everything of the result that follows from this point alone. A point that is refused or
 * fails has its reason in result->error; the rest of it is then absent. */
void dts_estimate(const struct dts_question *question, struct dts_result *result);

/* A point of which nothing is known but what was asked. */
void dts_result_open(const struct dts_question *question, struct dts_result *result);

#endif
