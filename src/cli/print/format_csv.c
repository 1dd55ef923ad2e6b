/* format_csv.c -- one row for each point, units in the names of the columns (RFC 4180). */
#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/table.h"
#include "cli/print/format.h"

static const struct dts_column words[] = {
    {.name = "scenario"},
    {.name = "strategy"},
    {.name = "setting"},
    {.name = "devices", .unit = ""},
    {.name = "nodes", .unit = ""},
    {.name = "global_batch", .unit = ""},
    {.name = "model"},
    {.name = "platform"},
    {.name = "stack"},
    {.name = "engine"},
};

static const struct dts_column last[] = {
    {.name = "reference_metric"},
    {.name = "reference_value", .unit = ""},
    {.name = "reference_predicted", .unit = ""},
    {.name = "reference_error", .unit = "percent"},
    {.name = "error"},
};

enum {
    WORDS = sizeof(words) / sizeof(words[0]),
    LAST = sizeof(last) / sizeof(last[0]),
    METRICS_MOST = 64, // room for rows of dts_metrics
    NAME_ROOM = 64,
};

static double count_of(int count)
{
    return count > 0 ? count : NAN;
}

/* Is there such a number, or a column for it in any case? */
static bool is_shown(const struct dts_metric *metric, const struct dts_report *reports,
                     int count)
{
    bool shown = !metric->rare;
    for (int i = 0; i < count; i++)
        for (int p = 0; p < reports[i].count; p++)
            shown = shown || isfinite(dts_metric_value(metric, &reports[i].points[p]));
    return shown;
}

static void fill(struct dts_cell *row, const char *scenario, const struct dts_result *point,
                 const bool *shown)
{
    struct dts_cell *cell = row;
    (cell++)->word = scenario;
    (cell++)->word = point->strategy;
    (cell++)->word = point->setting;
    (cell++)->number = count_of(point->devices);
    (cell++)->number = count_of(point->nodes);
    (cell++)->number = count_of(point->global_batch);
    (cell++)->word = point->model;
    (cell++)->word = point->platform;
    (cell++)->word = point->stack;
    (cell++)->word = point->engine;
    for (int i = 0; dts_metrics[i].name != NULL; i++)
        if (shown[i])
            (cell++)->number = dts_metric_value(&dts_metrics[i], point);
    (cell++)->word = point->reference.metric;
    (cell++)->number = point->reference.value;
    (cell++)->number = point->reference.predicted;
    (cell++)->number = point->reference.error_percent;
    cell->word = point->error.text;
}

static void print(const struct dts_report *reports, int count, FILE *out)
{
    struct dts_column columns[WORDS + METRICS_MOST + LAST];
    char names[METRICS_MOST][NAME_ROOM];
    bool shown[METRICS_MOST];
    int c = 0, rows = 0;
    for (int i = 0; i < WORDS; i++)
        columns[c++] = words[i];
    for (int i = 0; dts_metrics[i].name != NULL; i++) {
        assert(i < METRICS_MOST);
        shown[i] = is_shown(&dts_metrics[i], reports, count);
        if (!shown[i])
            continue;
        const char *group = dts_metrics[i].group, *unit = dts_metrics[i].unit;
        snprintf(names[i], NAME_ROOM, "%s%s%s", group != NULL ? group : "",
                 group != NULL ? "_" : "", dts_metrics[i].name);
        columns[c++] = (struct dts_column){.name = names[i], .unit = unit != NULL ? unit : ""};
    }
    for (int i = 0; i < LAST; i++)
        columns[c++] = last[i];
    for (int i = 0; i < count; i++)
        rows += reports[i].count;

    struct dts_cell *cells = dts_alloc((size_t)c * (size_t)rows, sizeof(*cells)), *row = cells;
    for (int i = 0; i < count; i++)
        for (int p = 0; p < reports[i].count; p++, row += c)
            fill(row, reports[i].scenario, &reports[i].points[p], shown);
    dts_table_print_csv(out, columns, c, cells, rows);
    free(cells);
}

const struct dts_format dts_format_csv = {
    .name = "csv",
    .summary = "one row for each point, units in the names of the columns",
    .suffix = ".csv",
    .print = print,
};
