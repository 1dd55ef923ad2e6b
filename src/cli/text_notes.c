/* text_notes.c -- what the text format says below its table. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "cli/text_notes.h"

enum { NOTES = 12 }; // under one heading

void dts_text_paragraph(FILE *out, const char *lead, int indent, const char *words)
{
    dts_text_wrap(out, lead, indent, DTS_TEXT_WIDTH, words);
}

const char *dts_text_setting(const char *setting, char *text, size_t room)
{
    size_t used = 0;
    text[0] = '\0';
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

/* "ring, 256 devices, topology=star: " begins a note about a point. */
static const char *lead_of(const struct dts_result *point, char *text, size_t room)
{
    char setting[256];
    snprintf(text, room, "  %s, %d device%s%s%s: ", point->strategy, point->devices,
             dts_plural(point->devices), point->setting[0] != '\0' ? ", " : "",
             dts_text_setting(point->setting, setting, sizeof(setting)));
    return text;
}

/* A note about a point: the first has a heading, and there are not more than NOTES. */
static void note(FILE *out, const char *heading, int *count, const struct dts_result *point,
                 const char *words)
{
    char lead[600];
    if ((*count)++ == 0)
        fprintf(out, "\n%s\n", heading);
    if (*count <= NOTES)
        dts_text_paragraph(out, lead_of(point, lead, sizeof(lead)), 4, words);
}

static void say_how_many_more(FILE *out, int count)
{
    if (count > NOTES)
        fprintf(out, "  and %d more; --format json has them all\n", count - NOTES);
}

static bool refused(const struct dts_result *point)
{
    return point->error.cause != DTS_NO_ERROR;
}

static void refusals(const struct dts_report *report, FILE *out)
{
    int count = 0;
    for (int i = 0; i < report->count; i++)
        if (refused(&report->points[i]))
            note(out, "Not predicted", &count, &report->points[i],
                 report->points[i].error.text);
    say_how_many_more(out, count);
}

static const char *unit_of(const char *reference)
{
    const struct dts_metric *metric = dts_metric_find(reference);
    if (metric == NULL || metric->unit == NULL)
        return "";
    return strcmp(metric->unit, "s") == 0 ? " s" : " samples/s";
}

static void reference(const struct dts_result *point, const struct dts_held *held, int *count,
                      FILE *out)
{
    const char *unit = unit_of(held->metric);
    struct dts_text text = {0};
    dts_text_add(&text, "%s %.4g%s, published %.4g%s: %+.1f %%. %s", held->metric,
                 held->predicted, unit, held->value, unit, held->error_percent, held->source);
    note(out, "Against what was published", count, point, dts_text_string(&text));
    dts_text_free(&text);
}

static void references(const struct dts_report *report, FILE *out)
{
    int count = 0;
    for (int i = 0; i < report->count; i++) {
        const struct dts_result *point = &report->points[i];
        if (refused(point) || point->reference.metric[0] == '\0')
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
    if (refused(point))
        return false;
    for (int j = 0; j < report->count; j++) {
        const struct dts_result *other = &report->points[j];
        if (!refused(other) && same_series(other, point) &&
            (other->devices > point->devices || (other->devices == point->devices && j < i)))
            return false;
    }
    return true;
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

/* The point of the same strategy and setting with the fewest devices, and as many samples on
 * each; NULL: there is none with fewer. */
static const struct dts_result *smallest_like(const struct dts_report *report,
                                              const struct dts_result *point)
{
    const struct dts_result *found = NULL;
    for (int i = 0; i < report->count; i++) {
        const struct dts_result *other = &report->points[i];
        if (!refused(other) && same_series(other, point) &&
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

static bool is_among(const char *const *words, int count, const char *word)
{
    for (int i = 0; i < count; i++)
        if (strcmp(words[i], word) == 0)
            return true;
    return false;
}

/* What a word of all points is, each one once: "fluid; exact". */
static void distinct(const struct dts_report *report, const char *lead, size_t offset,
                     FILE *out)
{
    enum { SEEN = 16 };
    struct dts_text text = {0};
    const char *seen[SEEN];
    int count = 0;
    for (int i = 0; i < report->count; i++) {
        const char *word = (const char *)&report->points[i] + offset;
        if (refused(&report->points[i]) || word[0] == '\0' || is_among(seen, count, word) ||
            count == SEEN)
            continue;
        dts_text_add(&text, "%s%s", count > 0 ? "; " : "", word);
        seen[count++] = word;
    }
    if (count > 0)
        dts_text_paragraph(out, lead, 12, dts_text_string(&text));
    dts_text_free(&text);
}

/* "big_basin: nics.latency_us, storage; caffe2_gloo: fixed_s": whose they are is said once. */
static void assumptions(const struct dts_report *report, FILE *out)
{
    enum { SEEN = 4 * DTS_RESULT_ASSUMED };
    struct dts_text text = {0};
    const char *seen[SEEN];
    size_t owner = 0; // letters of the last one's "big_basin: "
    int count = 0;
    for (int i = 0; i < report->count; i++)
        for (int j = 0; j < report->points[i].assumed_count; j++) {
            const char *word = report->points[i].assumed[j];
            if (is_among(seen, count, word) || count == SEEN)
                continue;
            bool same = owner > 0 && strncmp(seen[count - 1], word, owner) == 0;
            dts_text_add(&text, "%s%s",
                         count == 0 ? ""
                         : same     ? ", "
                                    : "; ",
                         same ? word + owner : word);
            const char *colon = strstr(word, ": ");
            owner = colon != NULL ? (size_t)(colon + 2 - word) : 0;
            seen[count++] = word;
        }
    if (count > 0)
        dts_text_paragraph(out, "  assumed", 12, dts_text_string(&text));
    dts_text_free(&text);
}

void dts_text_notes(const struct dts_report *report, FILE *out)
{
    bool any = false;
    refusals(report, out);
    references(report, out);
    reasons(report, out);
    growths(report, out);
    for (int i = 0; i < report->count; i++)
        any = any || !refused(&report->points[i]);
    if (any) {
        fprintf(out, "\nRests on\n");
        distinct(report, "  engine", offsetof(struct dts_result, engine), out);
        distinct(report, "  limits", offsetof(struct dts_result, limits), out);
        distinct(report, "  seconds", offsetof(struct dts_result, basis), out);
        distinct(report, "  overlap", offsetof(struct dts_result, slowdown_source), out);
        distinct(report, "  noise", offsetof(struct dts_result, noise_source), out);
        assumptions(report, out);
    }
    if (report->why != NULL) {
        fputc('\n', out);
        dts_text_paragraph(out, "", 0, report->why);
    }
}
