/* text_accuracy.c -- accuracy depends on the batch alone: a row for each one. */
#include "cli/print/text_accuracy.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/table.h"

/* The same batch with the same accuracy has a row: sweeps change rules, too. */
static bool is_new(const struct dts_report *report, int i)
{
    const struct dts_result *point = &report->points[i];
    for (int j = 0; j < i; j++) {
        const struct dts_result *other = &report->points[j];
        if (!dts_result_refused(other) && other->global_batch == point->global_batch &&
            other->training.accuracy_percent == point->training.accuracy_percent)
            return false;
    }
    return true;
}

void dts_text_accuracy(const struct dts_report *report, dts_table_printer *print, FILE *out)
{
    static const struct dts_column columns[] = {
        {.title = "batch\n", .unit = "", .digits = 1},
        {.title = "accuracy\n", .unit = "", .digits = 3, .text_unit = "%"},
        {.title = "80 %\nfrom\n", .unit = "", .digits = 3, .text_unit = "%"},
        {.title = "\nto\n", .unit = "", .digits = 3, .text_unit = "%"},
        {.title = "lost by\nthe batch\n", .unit = "", .digits = 2, .text_unit = "points"},
    };
    enum { COUNT = sizeof(columns) / sizeof(columns[0]) };
    struct dts_cell *cells = dts_alloc((size_t)report->count * COUNT + 1, sizeof(*cells));
    int rows = 0;
    for (int i = 0; i < report->count; i++) {
        const struct dts_result *point = &report->points[i];
        if (dts_result_refused(point) || !isfinite(point->training.accuracy_percent) ||
            !is_new(report, i))
            continue;
        struct dts_cell *row = &cells[rows++ * COUNT];
        row[0].number = point->global_batch;
        row[1].number = point->training.accuracy_percent;
        row[2].number = point->training.accuracy_low_percent;
        row[3].number = point->training.accuracy_high_percent;
        row[4].number = point->training.accuracy_lost_points;
    }
    if (rows > 0) {
        fputc('\n', out);
        print(out, columns, COUNT, cells, rows);
    }
    free(cells);
}
