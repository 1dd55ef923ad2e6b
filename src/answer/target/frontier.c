/* frontier.c -- the choice between a short training and a lean one. */
#include "answer/target/frontier.h"

#include <math.h>

static double product(const struct dts_result *point)
{
    return point->training.time_s * point->training.device_hours;
}

bool dts_frontier_find(const struct dts_report *report, struct dts_frontier *frontier)
{
    int count = 0;
    for (int i = 0; i < report->count; i++) {
        const struct dts_result *point = &report->points[i];
        if (dts_result_refused(point) || !isfinite(point->training.device_hours))
            continue;
        if (count++ == 0)
            *frontier = (struct dts_frontier){point, point, point};
        if (point->training.time_s < frontier->shortest->training.time_s)
            frontier->shortest = point;
        if (point->training.device_hours < frontier->leanest->training.device_hours)
            frontier->leanest = point;
        if (product(point) < product(frontier->knee))
            frontier->knee = point;
    }
    return count > 1;
}
