/* estimate.h -- predicts one point of a scenario: builds its plans, runs an engine, and splits
 * the time of a step. Runs in a process of its own (point_pool.h).
 */
#ifndef DTS_ANSWER_ESTIMATE_H
#define DTS_ANSWER_ESTIMATE_H

#include "answer/result.h"
#include "sim/net/platform/platform.h"
#include "train/strategy/build.h"

/* A point to be predicted. Everything is borrowed. */
struct dts_question {
    const struct dts_scenario *scenario;
    const struct dts_platform *platform;
    const struct dts_device *device;
    const struct dts_device *kinds; // of platform->kinds; NULL: all nodes hold `device`
    const struct dts_strategy *strategy;
    int devices;
    const char *setting;           // what --sweep set, for the result; "": nothing
    const char *trace;             // file for the timeline; NULL: none
    bool check;                    // build the plans, simulate nothing
    struct dts_progress *progress; // where it says how far it is; NULL: nowhere
};

/* Fills all of the result that follows from this point alone. If the point is refused or fails,
 * result->error says why, and the numbers are absent. */
void dts_estimate(const struct dts_question *question, struct dts_result *result);

/* A result with the members of the question, and nothing else. */
void dts_result_open(const struct dts_question *question, struct dts_result *result);

#endif
