/* rests_on.c -- each source once, and the points that reach beyond it. */
#include "cli/print/rests_on.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "cli/print/text_notes.h"

/* A word of a point. */
static const char *at(const struct dts_report *report, int i, size_t offset)
{
    return (const char *)&report->points[i] + offset;
}

static bool is_among(const char *const *words, int count, const char *word)
{
    for (int i = 0; i < count; i++)
        if (strcmp(words[i], word) == 0)
            return true;
    return false;
}

/* "(ring, 1 device; ring, 2 devices)": the points of which this word of all of them is. */
static void add_points(struct dts_text *text, const struct dts_report *report, size_t offset,
                       const char *word)
{
    enum { NAMED = 4 }; // the others are counted
    char name[DTS_TEXT_POINT];
    int of = 0, answered = 0;
    for (int i = 0; i < report->count; i++) {
        answered += !dts_result_refused(&report->points[i]);
        of +=
            !dts_result_refused(&report->points[i]) && strcmp(at(report, i, offset), word) == 0;
    }
    if (of == answered) {
        dts_text_add(text, answered > 1 ? " (all points)" : "");
        return;
    }
    for (int i = 0, named = 0; i < report->count && named < NAMED; i++)
        if (!dts_result_refused(&report->points[i]) && strcmp(at(report, i, offset), word) == 0)
            dts_text_add(text, "%s%s", named++ > 0 ? "; " : " (",
                         dts_text_point(&report->points[i], name));
    if (of > NAMED)
        dts_text_add(text, "; and %d more", of - NAMED);
    dts_text_add(text, ")");
}

/* A word of all points, each one once. The caller frees the list; returns how many there are.
 */
static int find_words(const struct dts_report *report, size_t offset, const char ***words)
{
    int count = 0;
    *words = dts_alloc((size_t)report->count, sizeof(**words));
    for (int i = 0; i < report->count; i++) {
        const char *word = at(report, i, offset);
        if (!dts_result_refused(&report->points[i]) && word[0] != '\0' &&
            !is_among(*words, count, word))
            (*words)[count++] = word;
    }
    return count;
}

/* "fluid; exact"; where `named`, with the points of each. */
static void distinct(const struct dts_report *report, const char *lead, size_t offset,
                     bool named, FILE *out)
{
    struct dts_text text = {0};
    const char **seen;
    const int count = find_words(report, offset, &seen);
    for (int i = 0; i < count; i++) {
        dts_text_add(&text, "%s%s", i > 0 ? "; " : "", seen[i]);
        if (named)
            add_points(&text, report, offset, seen[i]);
    }
    if (count > 0)
        dts_text_paragraph(out, lead, 12, dts_text_string(&text));
    dts_text_free(&text);
    free(seen);
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

/* "ring, 2 devices: 10.1 to 12.3 ms": steps on transports whose spread is known. */
static void intervals(const struct dts_report *report, FILE *out)
{
    enum { NAMED = 4 }; // the others are in JSON
    char name[DTS_TEXT_POINT];
    struct dts_text text = {0};
    int named = 0;
    for (int i = 0; i < report->count && named < NAMED; i++) {
        const struct dts_result *point = &report->points[i];
        if (dts_result_refused(point) || !isfinite(point->low_s))
            continue;
        dts_text_add(&text, "%s%s: ", named++ > 0 ? "; " : "messages as sure as measured: ",
                     dts_text_point(point, name));
        dts_text_add_significant(&text, 1e3 * point->low_s, 4);
        dts_text_add(&text, " to ");
        dts_text_add_significant(&text, 1e3 * point->high_s, 4);
        dts_text_add(&text, " ms");
    }
    if (named > 0)
        dts_text_paragraph(out, "  interval", 12, dts_text_string(&text));
    dts_text_free(&text);
}

void dts_rests_on(const struct dts_report *report, FILE *out)
{
    fprintf(out, "\nRests on\n");
    distinct(report, "  engine", offsetof(struct dts_result, engine), false, out);
    distinct(report, "  limits", offsetof(struct dts_result, limits), false, out);
    distinct(report, "  seconds", offsetof(struct dts_result, basis), false, out);
    intervals(report, out);
    distinct(report, "  outside", offsetof(struct dts_result, outside), true, out);
    distinct(report, "  doubt", offsetof(struct dts_result, doubt), true, out);
    distinct(report, "  target", offsetof(struct dts_result, target.profile), false, out);
    distinct(report, "  rule", offsetof(struct dts_result, target.rule), false, out);
    distinct(report, "  law", offsetof(struct dts_result, target.law), false, out);
    distinct(report, "  late", offsetof(struct dts_result, target.late), true, out);
    distinct(report, "  unsure", offsetof(struct dts_result, target.doubt), true, out);
    distinct(report, "  accuracy", offsetof(struct dts_result, accuracy.table), false, out);
    distinct(report, "  rule", offsetof(struct dts_result, accuracy.rule), false, out);
    distinct(report, "  unsure", offsetof(struct dts_result, accuracy.doubt), true, out);
    distinct(report, "  unlike", offsetof(struct dts_result, unlike), true, out);
    distinct(report, "  messages", offsetof(struct dts_result, transports), false, out);
    distinct(report, "  overlap", offsetof(struct dts_result, slowdown_source), false, out);
    distinct(report, "  noise", offsetof(struct dts_result, noise_source), false, out);
    assumptions(report, out);
}

/* "published resnet50 on p100, fp32, batch 32": up to who says it. */
static void add_basis(struct dts_text *text, const struct dts_report *report)
{
    const char **seen = dts_alloc((size_t)report->count, sizeof(*seen));
    int count = 0;
    for (int i = 0; i < report->count; i++) {
        const char *word = report->points[i].basis;
        if (dts_result_refused(&report->points[i]) || word[0] == '\0' ||
            is_among(seen, count, word))
            continue;
        seen[count++] = word;
    }
    if (count > 0)
        dts_text_add(text, "; %.*s", (int)strcspn(seen[0], ":;"), seen[0]);
    if (count > 1)
        dts_text_add(text, " and %d more", count - 1);
    free(seen);
}

static int count_assumed(const struct dts_report *report)
{
    enum { SEEN = 4 * DTS_RESULT_ASSUMED };
    const char *seen[SEEN];
    int count = 0;
    for (int i = 0; i < report->count; i++)
        for (int j = 0; j < report->points[i].assumed_count && count < SEEN; j++)
            if (!is_among(seen, count, report->points[i].assumed[j]))
                seen[count++] = report->points[i].assumed[j];
    return count;
}

/* What "off by" is, or why it is not there. */
static void add_error(struct dts_text *text, const struct dts_report *report)
{
    for (int i = 0; i < report->count; i++) {
        const struct dts_result *point = &report->points[i];
        if (!dts_result_refused(point) && point->roofline && point->basis[0] != '\0') {
            dts_text_add(text, ", which may be off by a factor of two");
            return;
        }
        if (dts_result_refused(point) || !isfinite(point->error_p90_percent))
            continue;
        dts_text_add(text, "; off by: nine in ten published cases were no further off");
        return;
    }
}

/* The first ones, and how many more there are. */
static void doubts(const struct dts_report *report, const char *lead, size_t offset, FILE *out)
{
    enum { SHOWN = 2 };
    struct dts_text text = {0};
    const char **seen;
    const int count = find_words(report, offset, &seen);
    for (int i = 0; i < count && i < SHOWN; i++)
        dts_text_add(&text, "%s%s", i > 0 ? "; " : "", seen[i]);
    if (count > SHOWN)
        dts_text_add(&text, "; and %d more", count - SHOWN);
    if (count > 0)
        dts_text_paragraph(out, lead, 2, dts_text_string(&text));
    dts_text_free(&text);
    free(seen);
}

void dts_rests_on_shortly(const struct dts_report *report, FILE *out)
{
    struct dts_text text = {0};
    const char *engine = NULL;
    bool limits = false;
    const int assumed = count_assumed(report);
    doubts(report, "\nOutside: ", offsetof(struct dts_result, outside), out);
    doubts(report, "\nDoubt: ", offsetof(struct dts_result, doubt), out);
    doubts(report, "\nUnsure: ", offsetof(struct dts_result, target.doubt), out);
    doubts(report, "\nUnsure: ", offsetof(struct dts_result, accuracy.doubt), out);
    for (int i = 0; i < report->count; i++) {
        const struct dts_result *point = &report->points[i];
        if (!dts_result_refused(point) && engine == NULL)
            engine = point->engine;
        limits = limits || (!dts_result_refused(point) && point->limits[0] != '\0');
    }
    dts_text_add(&text, "engine %s%s", engine, limits ? " (less sure here)" : "");
    add_basis(&text, report);
    add_error(&text, report);
    if (assumed > 0)
        dts_text_add(&text, "; %d assumed value%s", assumed, dts_plural(assumed));
    dts_text_add(&text, ". --explain has all.");
    dts_text_paragraph(out, "\nRests on: ", 2, dts_text_string(&text));
    dts_text_free(&text);
}
