/* text_neighbours.c -- a table with a line for each neighbour of each point, and below it what
 * jobs that are alike do together. */
#include "cli/print/text_neighbours.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/table.h"
#include "base/text.h"
#include "cli/print/text_notes.h"
#include "cli/print/time_unit.h"

enum { SETTING_ROOM = 64, COLUMNS_MOST = 9 };

/* Of all points: which columns there are, and the unit of the steps. */
struct shown {
    bool setting, rate;
    double longest_s;
    int lines;
};

static struct shown look(const struct dts_report *report)
{
    struct shown shown = {0};
    for (int i = 0; i < report->count; i++) {
        const struct dts_result *point = &report->points[i];
        for (int n = 0; n < point->beside_count && !dts_result_refused(point); n++) {
            const struct dts_result_beside *beside = &point->besides[n];
            shown.lines++;
            shown.longest_s =
                fmax(shown.longest_s, isfinite(beside->step_worst_s) ? beside->step_worst_s
                                                                     : point->step.total_s);
            shown.setting = shown.setting || point->setting[0] != '\0';
            shown.rate = shown.rate || isfinite(beside->throughput_samples_per_s);
        }
    }
    return shown;
}

static int columns_of(const struct shown *shown, const char *rate, struct dts_column *columns)
{
    const struct dts_time_unit *step = dts_time_unit_step(shown->longest_s);
    int c = 0;
    columns[c++] = (struct dts_column){.title = "strategy"};
    if (shown->setting)
        columns[c++] = (struct dts_column){.title = "setting"};
    columns[c++] = (struct dts_column){.title = "devices\n", .unit = "", .digits = 1};
    columns[c++] = (struct dts_column){.title = "beside it"};
    columns[c++] = (struct dts_column){.title = "jobs\n", .unit = "", .digits = 1};
    columns[c++] = (struct dts_column){.title = "devices\nof each\n", .unit = "", .digits = 1};
    for (int worst = 0; worst < 2; worst++)
        columns[c++] = (struct dts_column){.title = worst ? "worst\n" : "step,\nmean\n",
                                           .unit = "s",
                                           .digits = 4,
                                           .text_scale = step->scale,
                                           .text_unit = step->name};
    if (shown->rate)
        columns[c++] = (struct dts_column){.title = rate, .unit = "", .digits = 4};
    return c;
}

static void fill(const struct shown *shown, const struct dts_result *point, const char *setting,
                 int number, struct dts_cell *cell)
{
    const struct dts_result_beside *beside = &point->besides[number];
    (cell++)->word = point->strategy;
    if (shown->setting)
        (cell++)->word = setting;
    (cell++)->number = point->devices;
    (cell++)->word = beside->name;
    (cell++)->number = beside->jobs;
    (cell++)->number = beside->devices;
    (cell++)->number = beside->step_mean_s;
    (cell++)->number = beside->step_worst_s;
    if (shown->rate)
        cell->number = beside->throughput_samples_per_s;
}

/* "All 8 jobs that are alike: ring, 16 devices: step 21.3 ms (worst 22 ms), 4,711 images per s"
 */
static void tell_alike(const struct dts_report *report, FILE *out)
{
    for (int i = 0; i < report->count; i++) {
        const struct dts_result *point = &report->points[i];
        const struct dts_time_unit *step = dts_time_unit_step(point->jobs.step_worst_s);
        char name[DTS_TEXT_POINT];
        struct dts_text text = {0};
        if (dts_result_refused(point) || !isfinite(point->jobs.step_mean_s))
            continue;
        dts_text_add(&text, "%s, %g jobs alike: step ", dts_text_point(point, name),
                     point->jobs.alike);
        dts_text_add_significant(&text, point->jobs.step_mean_s * step->scale, 4);
        dts_text_add(&text, " %s, worst ", step->name);
        dts_text_add_significant(&text, point->jobs.step_worst_s * step->scale, 4);
        dts_text_add(&text, " %s; together ", step->name);
        dts_text_add_significant(&text, point->jobs.throughput_samples_per_s, 4);
        dts_text_add(&text, " %ss per s", report->sample != NULL ? report->sample : "sample");
        dts_text_paragraph(out, "  ", 4, dts_text_string(&text));
        dts_text_free(&text);
    }
}

void dts_text_neighbours(const struct dts_report *report, dts_table_printer *print, FILE *out)
{
    const struct shown shown = look(report);
    struct dts_column columns[COLUMNS_MOST];
    char rate[48];
    if (shown.lines == 0)
        return;
    snprintf(rate, sizeof(rate), "%ss\nper s\nof all\n",
             report->sample != NULL ? report->sample : "sample");
    const int count = columns_of(&shown, rate, columns);
    const size_t cells_count = (size_t)count * (size_t)shown.lines;
    struct dts_cell *cells = dts_alloc(cells_count, sizeof(*cells)), *at = cells;
    char(*settings)[SETTING_ROOM] = dts_alloc((size_t)report->count, sizeof(*settings));
    for (int i = 0; i < report->count; i++) {
        const struct dts_result *point = &report->points[i];
        dts_text_setting(point->setting, settings[i], sizeof(settings[i]));
        for (int n = 0; n < point->beside_count && !dts_result_refused(point); n++, at += count)
            fill(&shown, point, settings[i], n, at);
    }
    fprintf(out, "\nNeighbours\n");
    print(out, columns, count, cells, shown.lines);
    if (print == dts_table_print_text)
        tell_alike(report, out);
    free(settings);
    free(cells);
}
