/* winner.c -- points that differ in the strategy alone, the fastest first. */
#include "answer/winner.h"

#include <math.h>
#include <string.h>

static double rate_of(const struct dts_result *point)
{
    return isfinite(point->throughput_samples_per_s) ? point->throughput_samples_per_s
                                                     : 1 / point->step.total_s;
}

double dts_faster_percent(const struct dts_result *a, const struct dts_result *b)
{
    return 100 * (rate_of(b) / rate_of(a) - 1);
}

/* Points are compared where the work is the same: as many samples, or as many bytes. */
static bool compare(const struct dts_result *a, const struct dts_result *b)
{
    const bool alone = isfinite(a->algbw_bytes_s);
    if (dts_result_refused(a) || dts_result_refused(b) || a->devices != b->devices ||
        strcmp(a->setting, b->setting) != 0 || alone != isfinite(b->algbw_bytes_s))
        return false;
    const double bytes_a = a->algbw_bytes_s * a->step.total_s,
                 bytes_b = b->algbw_bytes_s * b->step.total_s;
    return alone ? fabs(bytes_a - bytes_b) < 1e-6 * bytes_a
                 : a->global_batch == b->global_batch;
}

/* The fastest of those that are compared with point i, behind `than` (NULL: of all), on fewer
 * than `nodes` nodes and with at most `bytes` of memory. */
static const struct dts_result *fastest(const struct dts_report *report, int i,
                                        const struct dts_result *than, int nodes, double bytes)
{
    const struct dts_result *best = NULL;
    for (int j = 0; j < report->count; j++) {
        const struct dts_result *other = &report->points[j];
        if (!compare(&report->points[i], other) || other == than || other->nodes >= nodes ||
            other->memory.total_bytes > bytes)
            continue;
        if (best == NULL || rate_of(other) > rate_of(best))
            best = other;
    }
    return best;
}

static bool is_first(const struct dts_report *report, int i)
{
    for (int j = 0; j < i; j++)
        if (compare(&report->points[j], &report->points[i]))
            return false;
    return true;
}

int dts_winners(const struct dts_report *report, struct dts_winner *winners, int room)
{
    enum { ANY = 1 << 30 };
    int count = 0;
    for (int i = 0; i < report->count && count < room; i++) {
        if (dts_result_refused(&report->points[i]) || !is_first(report, i))
            continue;
        const struct dts_result *best = fastest(report, i, NULL, ANY, INFINITY);
        const struct dts_result *second = fastest(report, i, best, ANY, INFINITY);
        if (second == NULL)
            continue;
        struct dts_winner *winner = &winners[count++];
        *winner = (struct dts_winner){.best = best, .second = second};
        winner->ahead_percent = dts_faster_percent(second, best);
        winner->even = winner->ahead_percent < DTS_TELL_PERCENT;
        winner->fewer = fastest(report, i, best, best->nodes, INFINITY);
        if (best->memory.total_bytes > 0)
            winner->lean = fastest(report, i, best, ANY, 0.9 * best->memory.total_bytes);
    }
    return count;
}
