/* sentence.c -- the answer in one sentence, with the numbers of the tables. */
#include "cli/print/sentence.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "answer/target/frontier.h"
#include "answer/winner.h"
#include "base/mem.h"
#include "cli/print/text_columns.h"
#include "cli/print/text_notes.h"
#include "cli/print/time_unit.h"

static void add_time(struct dts_text *text, double seconds, const struct dts_time_unit *unit)
{
    dts_text_add_significant(text, seconds * unit->scale, 3);
    dts_text_add(text, " %s", unit->name);
}

static bool add_target(struct dts_text *text, const struct dts_report *report)
{
    struct dts_frontier *all = dts_alloc((size_t)report->count, sizeof(*all));
    const bool found = dts_frontiers_find(report, all) == 1;
    if (found) {
        const struct dts_result *point = all[0].shortest;
        const struct dts_time_unit *unit = dts_time_unit_training(point->training.time_high_s);
        char name[DTS_TEXT_POINT];
        dts_text_add(text, "Shortest: %s: ", dts_text_point(point, name));
        add_time(text, point->training.time_s, unit);
        dts_text_add(text, " (80 %% of runs: ");
        dts_text_add_significant(text, point->training.time_low_s * unit->scale, 3);
        dts_text_add(text, " to ");
        add_time(text, point->training.time_high_s, unit);
        dts_text_add(text, "), ");
        dts_text_add_significant(text, point->training.device_hours, 3);
        dts_text_add(text, " device-hours, to %s", all[0].target);
    }
    free(all);
    return found;
}

static double rate_of(const struct dts_result *point)
{
    return isfinite(point->throughput_samples_per_s) ? point->throughput_samples_per_s
                                                     : point->busbw_bytes_s;
}

/* More devices count first, then the rate. */
static bool is_larger(const struct dts_result *a, const struct dts_result *b)
{
    return a->devices != b->devices ? a->devices > b->devices : rate_of(a) > rate_of(b);
}

/* "ps, 352 devices: 240.7 ms a step, give or take 20 %, 46795 images/s" */
static void add_point(struct dts_text *text, const struct dts_result *point, const char *sample)
{
    const bool alone = isfinite(point->algbw_bytes_s);
    const struct dts_time_unit *unit = dts_time_unit_step(point->step.total_s);
    char name[DTS_TEXT_POINT];
    dts_text_add(text, "%s: ", dts_text_point(point, name));
    dts_text_add_significant(text, point->step.total_s * unit->scale, 4);
    dts_text_add(text, " %s%s", unit->name, alone ? "" : " a step");
    if (isfinite(point->error_p90_percent))
        dts_text_add(text, ", give or take %.0f %%", point->error_p90_percent);
    if (alone) {
        dts_text_add(text, ", busbw ");
        dts_text_add_significant(text, 1e-9 * point->busbw_bytes_s, 4);
        dts_text_add(text, " GB/s");
    } else if (isfinite(point->throughput_samples_per_s)) {
        dts_text_add(text, ", ");
        dts_text_add_significant(text, point->throughput_samples_per_s, 4);
        dts_text_add(text, " %ss/s", sample != NULL ? sample : "sample");
    }
    if (isfinite(point->mfu))
        dts_text_add(text, ", MFU %.1f %%", 100 * point->mfu);
    if (isfinite(point->training.time_s) && isfinite(point->training.epochs)) {
        dts_text_add(text, ", ");
        dts_text_add_epochs(text, point->training.epochs);
        dts_text_add(text, " in ");
        add_time(text, point->training.time_s, dts_time_unit_training(point->training.time_s));
    }
}

static void add_second(struct dts_text *text, const struct dts_winner *all, int count,
                       const struct dts_winner *first)
{
    int won = 0;
    for (int i = 0; i < count; i++)
        won += strcmp(all[i].best->strategy, first->best->strategy) == 0;
    dts_text_add(text, "; %.1f %% faster than %s%s", first->ahead_percent,
                 first->second->strategy, first->even ? ", less than dtsim can tell" : "");
    if (count > 1)
        dts_text_add(text, "; the fastest in %d of %d comparisons", won, count);
}

static const struct dts_winner *first_of(const struct dts_winner *all, int count)
{
    const struct dts_winner *first = count > 0 ? &all[0] : NULL;
    for (int i = 1; i < count; i++)
        if (is_larger(all[i].best, first->best))
            first = &all[i];
    return first;
}

static const struct dts_result *largest_of(const struct dts_report *report)
{
    const struct dts_result *largest = NULL;
    for (int i = 0; i < report->count; i++)
        if (!dts_result_refused(&report->points[i]) &&
            isfinite(report->points[i].step.total_s) &&
            (largest == NULL || is_larger(&report->points[i], largest)))
            largest = &report->points[i];
    return largest;
}

/* Who is the fastest on the most devices, or how fast the only one is. */
static void add_fastest(struct dts_text *text, const struct dts_report *report)
{
    struct dts_winner *all = dts_alloc((size_t)report->count, sizeof(*all));
    const int count = dts_winners(report, all, report->count);
    const struct dts_winner *first = first_of(all, count);
    const struct dts_result *point = first != NULL ? first->best : largest_of(report);
    if (point != NULL) {
        dts_text_add(text, first != NULL ? "Fastest: " : "Answer: ");
        add_point(text, point, report->sample);
        if (first != NULL)
            add_second(text, all, count, first);
    }
    free(all);
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Of a list of published cases: how far off they are. */
static bool add_cases(struct dts_text *text, const struct dts_report *report)
{
    double *errors = dts_alloc((size_t)report->count + 1, sizeof(*errors));
    const struct dts_result *worst = NULL;
    int count = 0;
    for (int i = 0; i < report->count && report->listed; i++) {
        const struct dts_result *point = &report->points[i];
        if (dts_result_refused(point) || !isfinite(point->reference.error_percent))
            continue;
        errors[count++] = fabs(point->reference.error_percent);
        if (worst == NULL || errors[count - 1] > fabs(worst->reference.error_percent))
            worst = point;
    }
    if (count > 0) {
        qsort(errors, (size_t)count, sizeof(*errors), by_value);
        const double median = (errors[(count - 1) / 2] + errors[count / 2]) / 2;
        dts_text_add(
            text,
            "%d published case%s: predictions are off by %.3g %% in the median, at most "
            "by %.3g %% (%s)",
            count, dts_plural(count), median, errors[count - 1], worst->setting);
    }
    free(errors);
    return count > 0;
}

void dts_sentence(const struct dts_report *report, struct dts_text *sentence)
{
    if (!add_cases(sentence, report) && !add_target(sentence, report))
        add_fastest(sentence, report);
}
