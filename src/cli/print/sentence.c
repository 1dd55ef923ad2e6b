/* sentence.c -- the answer in one sentence, with the numbers of the tables. */
#include "cli/print/sentence.h"

#include <math.h>
#include <stdlib.h>

#include "answer/target/frontier.h"
#include "answer/winner.h"
#include "base/mem.h"
#include "cli/print/text_notes.h"
#include "cli/print/time_unit.h"

static void add_time(struct dts_text *text, double seconds, const struct dts_time_unit *unit)
{
    dts_text_add_significant(text, seconds * unit->scale, 3);
    dts_text_add(text, " %s", unit->name);
}

/* "32969 images per second, 248 ms a step, 90 epochs in 0.975 h" */
static void add_numbers(struct dts_text *text, const struct dts_report *report,
                        const struct dts_result *point)
{
    if (isfinite(point->throughput_samples_per_s)) {
        dts_text_add_significant(text, point->throughput_samples_per_s, 4);
        dts_text_add(text, " %ss per second, ",
                     report->sample != NULL ? report->sample : "sample");
    }
    if (isfinite(point->busbw_bytes_s)) {
        dts_text_add_significant(text, 1e-9 * point->busbw_bytes_s, 4);
        dts_text_add(text, " GB/s of bus bandwidth, ");
    }
    add_time(text, point->step.total_s, dts_time_unit_step(point->step.total_s));
    dts_text_add(text, isfinite(point->busbw_bytes_s) ? " in all" : " a step");
    if (isfinite(point->training.time_s) && isfinite(point->training.epochs)) {
        dts_text_add(text, ", %.6g epoch%s in ", point->training.epochs,
                     dts_plural((long)point->training.epochs));
        add_time(text, point->training.time_s, dts_time_unit_training(point->training.time_s));
    }
}

static bool add_target(struct dts_text *text, const struct dts_report *report)
{
    struct dts_frontier *all = dts_alloc((size_t)report->count, sizeof(*all));
    const bool found = dts_frontiers_find(report, all) == 1;
    if (found) {
        const struct dts_result *point = all[0].shortest;
        const struct dts_time_unit *unit = dts_time_unit_training(point->training.time_high_s);
        char name[DTS_TEXT_POINT];
        dts_text_add(text, "%s: the shortest to %s, ", dts_text_point(point, name),
                     all[0].target);
        add_time(text, point->training.time_s, unit);
        dts_text_add(text, " (80 %% of runs: ");
        dts_text_add_significant(text, point->training.time_low_s * unit->scale, 3);
        dts_text_add(text, " to ");
        add_time(text, point->training.time_high_s, unit);
        dts_text_add(text, "), ");
        dts_text_add_significant(text, point->training.device_hours, 3);
        dts_text_add(text, " device-hours.");
    }
    free(all);
    return found;
}

/* On the most devices; of equal ones the last. */
static bool add_winner(struct dts_text *text, const struct dts_report *report)
{
    struct dts_winner *all = dts_alloc((size_t)report->count, sizeof(*all));
    const int count = dts_winners(report, all, report->count);
    const struct dts_winner *most = NULL;
    for (int i = 0; i < count; i++)
        if (most == NULL || all[i].best->devices >= most->best->devices)
            most = &all[i];
    if (most != NULL) {
        char name[DTS_TEXT_POINT];
        dts_text_add(text, "%s: the fastest with ", dts_text_point(most->best, name));
        add_numbers(text, report, most->best);
        dts_text_add(text, "; %.1f %% faster than %s", most->ahead_percent,
                     most->second->strategy);
        if (most->even)
            dts_text_add(text, ", even within what dtsim can tell (%d %%)", DTS_TELL_PERCENT);
        dts_text_add(text, ".");
    }
    free(all);
    return most != NULL;
}

static void add_largest(struct dts_text *text, const struct dts_report *report)
{
    const struct dts_result *largest = NULL;
    char name[DTS_TEXT_POINT];
    for (int i = 0; i < report->count; i++)
        if (!dts_result_refused(&report->points[i]) &&
            (largest == NULL || report->points[i].devices >= largest->devices))
            largest = &report->points[i];
    if (largest == NULL)
        return;
    dts_text_add(text, "%s: ", dts_text_point(largest, name));
    add_numbers(text, report, largest);
    dts_text_add(text, ".");
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
            "by %.3g %% (%s).",
            count, dts_plural(count), median, errors[count - 1], worst->setting);
    }
    free(errors);
    return count > 0;
}

void dts_sentence(const struct dts_report *report, struct dts_text *sentence)
{
    if (!add_cases(sentence, report) && !add_target(sentence, report) &&
        !add_winner(sentence, report))
        add_largest(sentence, report);
}
