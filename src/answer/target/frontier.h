/* frontier.h -- among the points of a report that have the same target: which ends first, which
 * takes the fewest device-hours, and which is between. */
#ifndef DTS_ANSWER_TARGET_FRONTIER_H
#define DTS_ANSWER_TARGET_FRONTIER_H

#include "answer/result.h"

struct dts_frontier {
    const char *target;                // as result->target.goal
    const struct dts_result *shortest; // least time to the target
    const struct dts_result *leanest;  // fewest device-hours
    const struct dts_result *knee; // least product of both: a percent of either counts alike
};

/* One for each target that two or more points have, in the order of their first points; of a
 * single one there is nothing to choose. Of equal points the first. `all` has room for
 * report->count. Returns how many. */
int dts_frontiers_find(const struct dts_report *report, struct dts_frontier *all);

#endif
