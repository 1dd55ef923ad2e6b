/* frontier.c -- the choice between a short training and a lean one. */
#include "answer/target/frontier.h"

#include <math.h>
#include <string.h>

static double product(const struct dts_result *point)
{
    return point->training.time_s * point->training.device_hours;
}

static bool has_target(const struct dts_result *point)
{
    return !dts_result_refused(point) && isfinite(point->training.device_hours);
}

/* Is the point's target that of an earlier one? */
static bool is_known(const struct dts_report *report, int i)
{
    for (int j = 0; j < i; j++)
        if (has_target(&report->points[j]) &&
            strcmp(report->points[j].target.goal, report->points[i].target.goal) == 0)
            return true;
    return false;
}

/* The choice among the points of the target of point `first`. Returns how many there are. */
static int choose(const struct dts_report *report, int first, struct dts_frontier *frontier)
{
    const struct dts_result *of = &report->points[first];
    int count = 0;
    *frontier = (struct dts_frontier){of->target.goal, of, of, of};
    for (int i = first; i < report->count; i++) {
        const struct dts_result *point = &report->points[i];
        if (!has_target(point) || strcmp(point->target.goal, of->target.goal) != 0)
            continue;
        count++;
        if (point->training.time_s < frontier->shortest->training.time_s)
            frontier->shortest = point;
        if (point->training.device_hours < frontier->leanest->training.device_hours)
            frontier->leanest = point;
        if (product(point) < product(frontier->knee))
            frontier->knee = point;
    }
    return count;
}

int dts_frontiers_find(const struct dts_report *report, struct dts_frontier *all)
{
    int count = 0;
    for (int i = 0; i < report->count; i++)
        if (has_target(&report->points[i]) && !is_known(report, i) &&
            choose(report, i, &all[count]) > 1)
            count++;
    return count;
}
