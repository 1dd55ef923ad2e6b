/* text_first.c -- who is the fastest on the most devices, or how fast the only one is. */
#include "cli/print/text_first.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "answer/winner.h"
#include "base/mem.h"
#include "base/text.h"
#include "cli/print/text_notes.h"
#include "cli/print/time_unit.h"

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

void dts_text_first(const struct dts_report *report, FILE *out)
{
    struct dts_winner *all = dts_alloc((size_t)report->count, sizeof(*all));
    const int count = dts_winners(report, all, report->count);
    const struct dts_winner *first = first_of(all, count);
    const struct dts_result *point = first != NULL ? first->best : largest_of(report);
    struct dts_text text = {0};
    if (point != NULL && !report->listed) {
        add_point(&text, point, report->sample);
        if (first != NULL)
            add_second(&text, all, count, first);
        dts_text_paragraph(out, first != NULL ? "Fastest: " : "Answer: ", 2,
                           dts_text_string(&text));
        fputc('\n', out);
    }
    dts_text_free(&text);
    free(all);
}
