/* text_notes.c -- what the text format says below its table. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "answer/winner.h"
#include "base/mem.h"
#include "base/text.h"
#include "cli/print/rests_on.h"
#include "cli/print/text_notes.h"
#include "cli/print/width.h"

enum { NOTES = 12 }; // under one heading

void dts_text_paragraph(FILE *out, const char *lead, int indent, const char *words)
{
    enum { MOST = 160 }; // columns in which prose is read
    const int width = dts_print_width(out);
    dts_text_wrap(out, lead, indent, width < MOST ? width : MOST, words);
}

const char *dts_text_setting(const char *setting, char *text, size_t room)
{
    const size_t before = strcspn(setting, "=");
    size_t used = 0, whole = setting[before] == '\0' ? before : 0; // the name of a case
    for (size_t i = 0; i < before && whole == 0; i++)
        if (setting[i] == ',')
            whole = i + 2;
    used = (size_t)snprintf(text, room, "%.*s", (int)whole, setting);
    setting += whole;
    while (*setting != '\0' && used < room) {
        size_t path = strcspn(setting, "="), length = path + strcspn(setting + path, ",");
        length += strspn(setting + length, ", ");
        const char *name = setting;
        for (size_t i = 0; i < path; i++)
            if (setting[i] == '.')
                name = setting + i + 1;
        int rest = (int)(length - (size_t)(name - setting));
        used += (size_t)snprintf(text + used, room - used, "%.*s", rest, name);
        setting += length;
    }
    return text;
}

const char *dts_text_point(const struct dts_result *point, char text[DTS_TEXT_POINT])
{
    char setting[256];
    snprintf(text, DTS_TEXT_POINT, "%s, %d device%s%s%s", point->strategy, point->devices,
             dts_plural(point->devices), point->setting[0] != '\0' ? ", " : "",
             dts_text_setting(point->setting, setting, sizeof(setting)));
    return text;
}

/* A note about a point: the first has a heading, and there are not more than NOTES. */
static void note(FILE *out, const char *heading, int *count, const struct dts_result *point,
                 const char *words)
{
    char name[DTS_TEXT_POINT], lead[DTS_TEXT_POINT + 4];
    if ((*count)++ == 0)
        fprintf(out, "\n%s\n", heading);
    if (*count > NOTES)
        return;
    snprintf(lead, sizeof(lead), "  %s: ", dts_text_point(point, name));
    dts_text_paragraph(out, lead, 4, words);
}

static void say_how_many_more(FILE *out, int count)
{
    if (count > NOTES)
        fprintf(out, "  and %d more; --format json has them all\n", count - NOTES);
}

static void refusals(const struct dts_report *report, FILE *out)
{
    int count = 0;
    for (int i = 0; i < report->count; i++)
        if (dts_result_refused(&report->points[i]))
            note(out, "Not predicted", &count, &report->points[i],
                 report->points[i].error.text);
    say_how_many_more(out, count);
}

static void reference(const struct dts_result *point, const struct dts_held *held, int *count,
                      FILE *out)
{
    struct dts_text text = {0};
    dts_text_add_held(&text, held);
    note(out, "Against what was published", count, point, dts_text_string(&text));
    dts_text_free(&text);
}

static void references(const struct dts_report *report, FILE *out)
{
    int count = 0;
    for (int i = 0; i < report->count; i++) {
        const struct dts_result *point = &report->points[i];
        if (dts_result_refused(point) || point->reference.metric[0] == '\0')
            continue;
        reference(point, &point->reference, &count, out);
        for (int r = 0; r < point->more_count; r++)
            reference(point, &point->more[r], &count, out);
    }
    say_how_many_more(out, count);
}

/* Points that differ in the number of devices alone. */
static bool same_series(const struct dts_result *a, const struct dts_result *b)
{
    return strcmp(a->strategy, b->strategy) == 0 && strcmp(a->setting, b->setting) == 0;
}

/* Is this the point of its strategy (and setting) with the most devices? */
static bool is_largest(const struct dts_report *report, int i)
{
    const struct dts_result *point = &report->points[i];
    if (dts_result_refused(point))
        return false;
    for (int j = 0; j < report->count; j++) {
        const struct dts_result *other = &report->points[j];
        if (!dts_result_refused(other) && same_series(other, point) &&
            (other->devices > point->devices || (other->devices == point->devices && j < i)))
            return false;
    }
    return true;
}

/* What the best needs more than another: "8 more nodes", "4.05 GB of memory in place of 2.1".
 */
static void add_need(struct dts_text *text, const struct dts_result *best,
                     const struct dts_result *other, bool nodes)
{
    const int more = best->nodes - other->nodes;
    if (nodes)
        dts_text_add(text, "%d more node%s", more, dts_plural(more));
    else
        dts_text_add(text, "%.3g GB of memory in place of %.3g", best->memory.total_bytes / 1e9,
                     other->memory.total_bytes / 1e9);
}

/* The best of those that need less: the second itself, or one behind it. */
static void add_other(struct dts_text *text, const struct dts_winner *w,
                      const struct dts_result *other, bool nodes)
{
    if (other == NULL)
        return;
    dts_text_add(text, other == w->second ? "; it takes " : "; without its ");
    add_need(text, w->best, other, nodes);
    if (other != w->second)
        dts_text_add(text, " %s is best, %.1f %% slower", other->strategy,
                     dts_faster_percent(other, w->best));
}

/* Who wins, for each number of devices, and what it takes. */
static void winners(const struct dts_report *report, FILE *out)
{
    struct dts_winner *all = dts_alloc((size_t)report->count, sizeof(*all));
    const int found = dts_winners(report, all, report->count);
    int count = 0;
    for (int i = 0; i < found; i++) {
        const struct dts_winner *w = &all[i];
        struct dts_text text = {0};
        dts_text_add(&text, "%.1f %% faster than %s", w->ahead_percent, w->second->strategy);
        if (w->even)
            dts_text_add(&text, ", even within what dtsim can tell (%d %%)", DTS_TELL_PERCENT);
        add_other(&text, w, w->fewer, true);
        add_other(&text, w, w->lean, false);
        note(out, "Fastest", &count, w->best, dts_text_string(&text));
        dts_text_free(&text);
    }
    say_how_many_more(out, count);
    free(all);
}

/* Why the largest point of each strategy is as fast as it is, and what physics alone gives. */
static void reasons(const struct dts_report *report, FILE *out)
{
    int count = 0;
    for (int i = 0; i < report->count; i++) {
        const struct dts_result *point = &report->points[i];
        bool bare = isfinite(point->bare_total_s);
        if (!is_largest(report, i) || (point->why[0] == '\0' && !bare))
            continue;
        struct dts_text text = {0};
        dts_text_add(&text, "%s%s", point->why, point->why[0] != '\0' ? ". " : "");
        if (bare) {
            dts_text_add(&text, "Without overheads, slowdown and noise: ");
            dts_text_add_significant(&text, 1e3 * point->bare_total_s, 4);
            dts_text_add(&text, " ms.");
        }
        note(out, "Why", &count, point, dts_text_string(&text));
        dts_text_free(&text);
    }
    say_how_many_more(out, count);
}

/* What the library of collectives chose for the largest point of each strategy. */
static void choices(const struct dts_report *report, FILE *out)
{
    int count = 0;
    for (int i = 0; i < report->count; i++) {
        const struct dts_result *point = &report->points[i];
        if (!is_largest(report, i) || point->chosen[0] == '\0')
            continue;
        struct dts_text text = {0};
        dts_text_add(&text, "%s. %s", point->chosen, point->chosen_why);
        note(out, "Collectives", &count, point, dts_text_string(&text));
        dts_text_free(&text);
    }
    say_how_many_more(out, count);
}

/* How old the weights were that gradients were computed with. */
static void stale(const struct dts_report *report, FILE *out)
{
    int count = 0;
    for (int i = 0; i < report->count; i++) {
        const struct dts_result *point = &report->points[i];
        if (!is_largest(report, i) || !isfinite(point->staleness.mean))
            continue;
        struct dts_text text = {0};
        dts_text_add(&text, "a gradient is ");
        dts_text_add_significant(&text, point->staleness.mean, 3);
        dts_text_add(&text,
                     " updates behind in the mean, %.0f in the median, 95 %% at most %.0f, "
                     "all at most %.0f",
                     point->staleness.median, point->staleness.p95, point->staleness.most);
        if (point->staleness.used < 1)
            dts_text_add(&text, "; %.1f %% are thrown away", 100 * (1 - point->staleness.used));
        note(out, "Staleness", &count, point, dts_text_string(&text));
        dts_text_free(&text);
    }
    say_how_many_more(out, count);
}

/* The point of the same strategy and setting with the fewest devices, and as many samples on
 * each; NULL: there is none with fewer. */
static const struct dts_result *smallest_like(const struct dts_report *report,
                                              const struct dts_result *point)
{
    const struct dts_result *found = NULL;
    for (int i = 0; i < report->count; i++) {
        const struct dts_result *other = &report->points[i];
        if (!dts_result_refused(other) && same_series(other, point) &&
            (int64_t)other->global_batch * point->devices ==
                (int64_t)point->global_batch * other->devices &&
            other->devices < (found != NULL ? found : point)->devices)
            found = other;
    }
    return found;
}

/* "+12.3"; what is less than a millionth of the step is the rounding of sums. */
static void add_ms(struct dts_text *text, double part_s, double step_s)
{
    const double rounding = 1e-6; // far below the three digits that are shown
    const double ms = fabs(part_s) > rounding * step_s ? 1e3 * part_s : 0;
    dts_text_add(text, "%s", ms < 0 ? "" : "+");
    dts_text_add_significant(text, ms, 3);
}

/* By what step b is longer than step a. */
static void growth(struct dts_text *text, const struct dts_step *a, const struct dts_step *b)
{
    const double slowdown_s = b->overlap_slowdown_s - a->overlap_slowdown_s;
    const double kernels_s = b->compute_s - a->compute_s - slowdown_s;
    dts_text_add(text, "exposed communication ");
    add_ms(text, b->exposed_comm_s - a->exposed_comm_s, b->total_s);
    dts_text_add(text, ", slowdown of kernels by overlap ");
    add_ms(text, slowdown_s, b->total_s);
    dts_text_add(text, ", stragglers ");
    add_ms(text, b->straggler_s - a->straggler_s, b->total_s);
    if (fabs(kernels_s) > 5e-4 * b->total_s) {
        dts_text_add(text, ", kernels ");
        add_ms(text, kernels_s, b->total_s);
    }
}

/* Weak scaling: from the smallest to the largest point. */
static void growths(const struct dts_report *report, FILE *out)
{
    int count = 0;
    for (int i = 0; i < report->count; i++) {
        const struct dts_result *point = &report->points[i];
        const struct dts_result *from =
            is_largest(report, i) ? smallest_like(report, point) : NULL;
        if (from == NULL || !isfinite(from->step.total_s) || !isfinite(from->step.compute_s))
            continue;
        struct dts_text text = {0};
        add_ms(&text, point->step.total_s - from->step.total_s, point->step.total_s);
        dts_text_add(&text, " ms from %d device%s on: ", from->devices,
                     dts_plural(from->devices));
        growth(&text, &from->step, &point->step);
        note(out, "Growth of the step", &count, point, dts_text_string(&text));
        dts_text_free(&text);
    }
    say_how_many_more(out, count);
}

void dts_text_notes(const struct dts_report *report, FILE *out)
{
    bool any = false;
    for (int i = 0; i < report->count; i++)
        any = any || !dts_result_refused(&report->points[i]);
    refusals(report, out);
    references(report, out);
    if (report->explain) {
        winners(report, out);
        reasons(report, out);
        choices(report, out);
    }
    stale(report, out);
    if (report->explain)
        growths(report, out);
    if (any && report->explain)
        dts_rests_on(report, out);
    else if (any)
        dts_rests_on_shortly(report, out);
    if (report->why != NULL && report->explain) {
        fputc('\n', out);
        dts_text_paragraph(out, "", 0, report->why);
    }
}
