/* frontier.h -- among the points of a report that have a target: which ends first, which takes
 * the fewest device-hours, and which is between. */
#ifndef DTS_ANSWER_TARGET_FRONTIER_H
#define DTS_ANSWER_TARGET_FRONTIER_H

#include "answer/result.h"

struct dts_frontier {
    const struct dts_result *shortest; // least time to the target
    const struct dts_result *leanest;  // fewest device-hours
    const struct dts_result *knee; // least product of both: a percent of either counts alike
};

/* False where fewer than two points have a target: there is nothing to choose. Of equal points
 * the first. */
bool dts_frontier_find(const struct dts_report *report, struct dts_frontier *frontier);

#endif
