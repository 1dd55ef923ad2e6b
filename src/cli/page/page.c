/* page.c -- the format html: one page with everything that is known. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/version.h"
#include "base/xml.h"
#include "cli/page/page.h"
#include "cli/picture/gnuplot.h"
#include "cli/picture/picture.h"
#include "cli/print/format.h"
#include "cli/print/question.h"
#include "cli/print/sentence.h"
#include "cli/print/text_accuracy.h"
#include "cli/print/text_cases.h"
#include "cli/print/text_neighbours.h"
#include "cli/print/text_phases.h"
#include "cli/print/text_tables.h"

static void put(FILE *out, const char *before, const char *words, const char *after)
{
    if (words == NULL || *words == '\0')
        return;
    fputs(before, out);
    dts_xml_isolated(out, words);
    fputs(after, out);
}

static void put_head(const struct dts_report *reports, int count, FILE *out)
{
    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
          "style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:; "
          "base-uri 'none'; form-action 'none'\">\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
          "<link rel=\"icon\" href=\"data:,\">\n",
          out);
    fprintf(out, "<meta name=\"generator\" content=\"dtsim %s\">\n<title>", dts_version());
    for (int r = 0; r < count; r++)
        put(out, r > 0 ? ", " : "", reports[r].scenario, "");
    fputs("</title>\n<style>\n", out);
    fputs(dts_page_css, out);
    fputs("</style>\n</head>\n<body>\n<main>\n", out);
}

/* The question, and the answer in a sentence. */
static void put_question(const struct dts_report *report, FILE *out)
{
    struct dts_page_memory memory;
    struct dts_text sentence = {0};
    put(out, "<h1>", report->scenario, "</h1>\n");
    put(out, "<p class=\"question\">", report->summary, "</p>\n");
    dts_sentence(report, &sentence);
    put(out, "<p class=\"answer\">", dts_text_string(&sentence), "</p>\n");
    put(out, "<p>", report->why, "</p>\n");
    dts_text_free(&sentence);
    for (int i = 0; i < report->count && !report->listed; i++) {
        const struct dts_result *point = &report->points[i];
        if (dts_result_refused(point) || point->model[0] == '\0')
            continue;
        put(out, "<p class=\"small\">", point->model, "");
        put(out, " on ", point->platform, "");
        put(out, ", stack ", point->stack, "");
        fputs("</p>\n", out);
        break;
    }
    dts_page_memory_open(&memory);
    dts_question_text(report, memory.stream);
    char *words = dts_page_memory_take(&memory);
    fputs("<div class=\"small\">", out);
    dts_page_paragraph(words, out);
    fputs("</div>\n", out);
    free(words);
}

static void put_tables(const struct dts_report *report, FILE *out)
{
    struct dts_page_memory memory;
    fputs("<h2>Numbers</h2>\n", out);
    dts_text_cases(report, dts_table_print_html, out);
    dts_text_points(report, dts_table_print_html, out);
    dts_text_targets(report, dts_table_print_html, out);
    dts_page_memory_open(&memory);
    dts_text_frontier(report, memory.stream);
    char *words = dts_page_memory_take(&memory);
    dts_page_paragraph(words, out);
    free(words);
    dts_text_neighbours(report, dts_table_print_html, out);
    dts_text_phases(report, dts_table_print_html, out);
    dts_text_accuracy(report, dts_table_print_html, out);
}

/* One that fails costs no page: where others stand beside it, it says why. */
static bool put_picture(const struct dts_report *report, const struct dts_plot *plot,
                        const struct dts_drawing *drawing, const char *name, FILE *out,
                        struct dts_error *err)
{
    struct dts_page_memory memory;
    struct dts_error why = {0};
    dts_page_memory_open(&memory);
    const bool good = dts_picture_inside(report, plot, drawing, name, memory.stream, &why);
    char *picture = dts_page_memory_take(&memory);
    if (good)
        fputs(picture, out);
    else if (drawing->plot == NULL)
        put(out, "<p>", why.text, "</p>\n");
    else
        *err = why;
    free(picture);
    return good;
}

/* The kind that --plot names, or all that say something. */
static bool put_pictures(const struct dts_report *report, int number,
                         const struct dts_drawing *drawing, FILE *out, struct dts_error *err)
{
    struct dts_error missing = {0};
    const struct dts_plot *only = NULL;
    if (drawing->plot != NULL && (only = dts_plot_for(report, drawing, err)) == NULL)
        return false;
    fputs("<h2>Pictures</h2>\n", out);
    if (!dts_gnuplot_check(&missing)) {
        put(out, "<p>", missing.text, "</p>\n");
        return true;
    }
    for (int p = 0; dts_plots[p] != NULL; p++) {
        const struct dts_plot *plot = dts_plots[p];
        char name[32];
        const bool shown = only != NULL
                               ? plot == only
                               : plot->lacks(report, drawing) == NULL && plot->says(report) > 0;
        if (!shown)
            continue;
        snprintf(name, sizeof(name), "r%dp%d", number, p);
        put(out, "<figure aria-label=\"", plot->summary, "\">\n");
        if (!put_picture(report, plot, drawing, name, out, err) && only != NULL)
            return false;
        fputs("</figure>\n", out);
    }
    return true;
}

static bool put_report(const struct dts_report *report, int number,
                       const struct dts_drawing *drawing, FILE *out, struct dts_error *err)
{
    fputs("<section>\n", out);
    put_question(report, out);
    if (!put_pictures(report, number, drawing, out, err))
        return false;
    put_tables(report, out);
    fputs("<h2>Why, and what it rests on</h2>\n", out);
    dts_page_notes(report, out);
    fputs("</section>\n", out);
    return true;
}

static bool draw(const struct dts_report *reports, int count, const struct dts_drawing *drawing,
                 FILE *out, struct dts_error *err)
{
    put_head(reports, count, out);
    for (int r = 0; r < count; r++) {
        struct dts_drawing own = *drawing;
        if (r < count - 1)
            own.trace = own.links = NULL; // they are of the last point of all
        if (!put_report(&reports[r], r, &own, out, err))
            return false;
    }
    fputs("<h2>The command that made this page</h2>\n<pre>", out);
    dts_page_command(drawing->line, out);
    fputs("</pre>\n</main>\n", out);
    dts_page_data(reports, count, out);
    fputs("<script>\n", out);
    fputs(dts_page_js, out);
    fputs("</script>\n</body>\n</html>\n", out);
    return true;
}

/* Without gnuplot a page has no pictures, and says so. */
static bool ready(int count, const struct dts_drawing *drawing, struct dts_error *err)
{
    struct dts_error missing = {0};
    (void)count;
    if (drawing->plot != NULL)
        return dts_gnuplot_check(err);
    if (!dts_gnuplot_check(&missing))
        fprintf(stderr, "dtsim: note: %s\n", missing.text);
    return true;
}

const struct dts_format dts_format_html = {
    .name = "html",
    .summary = "a page with all of it: answer, tables, pictures, sources; needs no network",
    .suffix = ".html",
    .draw = draw,
    .whole = true,
    .ready = ready,
};
