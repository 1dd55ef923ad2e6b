/* inert.c -- points that differ in one sweep alone are compared, number by number. */
#include "answer/notes/inert.h"

#include <math.h>
#include <stdio.h>

#include "base/text.h"

static bool same(const struct dts_result *a, const struct dts_result *b)
{
    if (dts_result_refused(a) || dts_result_refused(b))
        return false;
    for (const struct dts_metric *metric = dts_metrics; metric->name != NULL; metric++) {
        const double x = dts_metric_value(metric, a), y = dts_metric_value(metric, b);
        if (!(isnan(x) && isnan(y)) && x != y)
            return false;
    }
    return true;
}

bool dts_sweep_is_inert(const struct dts_changes *changes, int s,
                        const struct dts_result *points, int count)
{
    const int combinations = dts_changes_combinations(changes);
    const int values = changes->sweeps[s].count, each = count / combinations;
    int stride = 1; // combinations between two values of this sweep
    for (int later = s + 1; later < changes->sweep_count; later++)
        stride *= changes->sweeps[later].count;
    if (values < 2 || each * combinations != count || each == 0)
        return false;
    for (int k = 0; k < combinations; k++) {
        const int first =
            k - k / stride % values * stride; // the same with the sweep's first value
        for (int i = 0; i < each && first != k; i++)
            if (!same(&points[k * each + i], &points[first * each + i]))
                return false;
    }
    return true;
}

void dts_inert_tell(const struct dts_changes *changes, const struct dts_report *report)
{
    for (int s = 0; s < changes->sweep_count; s++) {
        struct dts_text path = {0};
        if (!dts_sweep_is_inert(changes, s, report->points, report->count))
            continue;
        dts_text_add_line(&path, changes->sweeps[s].path);
        fprintf(stderr, "dtsim: note: --sweep %s: all its values give the same answers\n",
                dts_text_string(&path));
        dts_text_free(&path);
    }
}
