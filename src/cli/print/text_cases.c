/* text_cases.c -- cases may be hours and seconds apart: each has its own unit. */
#include "cli/print/text_cases.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/table.h"
#include "base/text.h"

enum { COLUMNS = 6, WORD = 48 };

/* "29.0 h", "3.51 min" of seconds; of other metrics the number. */
static void say(const char *metric, double value, char word[WORD])
{
    static const struct {
        double least_s;
        const char *unit;
    } units[] = {{86400 * 4, "days"}, {3600, "h"}, {60, "min"}, {1, "s"}, {1e-3, "ms"}};
    const double scales[] = {86400, 3600, 60, 1, 1e-3};
    struct dts_text text = {0};
    size_t i = 0;
    const size_t length = strlen(metric);
    const bool seconds =
        length > 2 && strcmp(metric + length - 2, "_s") == 0 && strstr(metric, "per_s") == NULL;
    while (i + 1 < sizeof(scales) / sizeof(scales[0]) && value < units[i].least_s)
        i++;
    dts_text_add_significant(&text, seconds ? value / scales[i] : value, 3);
    snprintf(word, WORD, "%s%s%s", dts_text_string(&text), seconds ? " " : "",
             seconds ? units[i].unit : "");
    dts_text_free(&text);
}

static void fill(const struct dts_result *point, struct dts_cell *row, char words[2][WORD])
{
    const struct dts_held *held = &point->reference;
    const bool is_held = !dts_result_refused(point) && held->metric[0] != '\0';
    words[0][0] = words[1][0] = '\0';
    if (is_held) {
        say(held->metric, held->value, words[0]);
        say(held->metric, held->predicted, words[1]);
    }
    row[0].word = point->setting;
    row[1].number = point->devices;
    row[2].number = point->global_batch > 0 ? point->global_batch : NAN;
    row[3].word = words[0];
    row[4].word = words[1];
    row[5].number = is_held ? held->error_percent : NAN;
}

void dts_text_cases(const struct dts_report *report, FILE *out)
{
    static const struct dts_column columns[COLUMNS] = {
        {.title = "case"},
        {.title = "devices\n", .unit = "", .digits = 1},
        {.title = "batch\n", .unit = "", .digits = 1},
        {.title = "published"},
        {.title = "predicted"},
        {.title = "error\n", .unit = "", .digits = 3, .text_unit = "%"},
    };
    if (!report->listed)
        return;
    struct dts_cell *cells = dts_alloc((size_t)report->count * COLUMNS + 1, sizeof(*cells));
    char(*words)[2][WORD] = dts_alloc((size_t)report->count + 1, sizeof(*words));
    for (int i = 0; i < report->count; i++)
        fill(&report->points[i], &cells[i * COLUMNS], words[i]);
    dts_table_print_text(out, columns, COLUMNS, cells, report->count);
    fputc('\n', out);
    free(words);
    free(cells);
}
