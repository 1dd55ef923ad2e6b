/* text_cases.c -- cases may be hours and seconds apart: each has its own unit. */
#include "cli/print/text_cases.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/table.h"
#include "base/text.h"

enum { COLUMNS = 6, WORD = 48, NAME = 256 };

/* "29.0 h", "3.51 min" of seconds; of rates the number. */
static void say(double value, bool seconds, char word[WORD])
{
    static const struct {
        double least_s, one_s;
        const char *unit;
    } units[] = {
        {4 * 86400, 86400, "days"},
        {3600, 3600, "h"},
        {60, 60, "min"},
        {1, 1, "s"},
        {0, 1e-3, "ms"},
    };
    struct dts_text text = {0};
    size_t i = 0;
    while (value < units[i].least_s)
        i++;
    dts_text_add_significant(&text, seconds ? value / units[i].one_s : value, 3);
    snprintf(word, WORD, "%s%s%s", dts_text_string(&text), seconds ? " " : "",
             seconds ? units[i].unit : "");
    dts_text_free(&text);
}

/* What was published and what is predicted for it. Where the question is another than the
 * published one, the time of the training, or of the step. */
static void fill(const struct dts_result *point, struct dts_cell *row, char words[2][WORD])
{
    const struct dts_held *held = &point->reference;
    const bool is_held = held->metric[0] != '\0';
    const struct dts_metric *metric = dts_metric_find(is_held ? held->metric : "time_s");
    const bool seconds = metric->unit != NULL && strcmp(metric->unit, "s") == 0;
    const double time_s = point->training.time_s;
    const double predicted = is_held            ? held->predicted
                             : isfinite(time_s) ? time_s
                                                : point->step.total_s;
    words[0][0] = words[1][0] = '\0';
    row[3].number = is_held ? held->value : NAN;
    row[4].number = dts_result_refused(point) ? NAN : predicted;
    if (is_held)
        say(held->value, seconds, words[0]);
    if (!dts_result_refused(point))
        say(predicted, seconds, words[1]);
    row[1].number = point->devices;
    row[2].number = point->global_batch > 0 ? point->global_batch : NAN;
    row[3].word = words[0];
    row[4].word = words[1];
    row[5].number = is_held ? held->error_percent : NAN;
}

/* The name of a case, with the strategy where there are several. */
static void name(const struct dts_report *report, int i, char text[NAME])
{
    bool several = false;
    for (int j = 1; j < report->count; j++)
        several =
            several || strcmp(report->points[j].strategy, report->points[0].strategy) != 0;
    snprintf(text, NAME, "%.100s%s%.100s", report->points[i].setting, several ? ", " : "",
             several ? report->points[i].strategy : "");
}

void dts_text_cases(const struct dts_report *report, dts_table_printer *print, FILE *out)
{
    static const struct dts_column columns[COLUMNS] = {
        {.title = "case"},
        {.title = "devices\n", .unit = "", .digits = 1},
        {.title = "batch\n", .unit = "", .digits = 1},
        {.title = "published", .valued = true},
        {.title = "predicted", .valued = true},
        {.title = "error\n", .unit = "", .digits = 3, .text_unit = "%"},
    };
    if (!report->listed)
        return;
    struct dts_cell *cells = dts_alloc((size_t)report->count * COLUMNS + 1, sizeof(*cells));
    char(*words)[2][WORD] = dts_alloc((size_t)report->count + 1, sizeof(*words));
    char(*names)[NAME] = dts_alloc((size_t)report->count + 1, sizeof(*names));
    for (int i = 0; i < report->count; i++) {
        name(report, i, names[i]);
        cells[i * COLUMNS].word = names[i];
        fill(&report->points[i], &cells[i * COLUMNS], words[i]);
    }
    print(out, columns, COLUMNS, cells, report->count);
    fputc('\n', out);
    free(names);
    free(words);
    free(cells);
}
