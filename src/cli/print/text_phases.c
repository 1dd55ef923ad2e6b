/* text_phases.c -- a table with a line for each phase of each point. */
#include "cli/print/text_phases.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/table.h"
#include "cli/print/text_notes.h"
#include "cli/print/time_unit.h"

enum { SETTING_ROOM = 64 }; // bytes of a setting in the table

/* A line: where it stands, and its phase. */
struct line {
    const struct dts_result *point;
    char setting[SETTING_ROOM];
    int number; // of the phase
};

/* What the lines need. */
struct lines {
    struct line *all; // owned
    int count;
    double longest_step_s, longest_s;
    bool setting, energy; // some line has one
};

static void add_point(struct lines *lines, const struct dts_result *point)
{
    for (int p = 0; p < point->phase_count; p++) {
        const struct dts_result_phase *phase = &point->phases[p];
        struct line *line = &lines->all[lines->count++];
        *line = (struct line){.point = point, .number = p};
        dts_text_setting(point->setting, line->setting, sizeof(line->setting));
        lines->longest_step_s = fmax(lines->longest_step_s, phase->step_s);
        lines->longest_s = fmax(lines->longest_s, phase->time_s);
        lines->setting = lines->setting || point->setting[0] != '\0';
        lines->energy = lines->energy || isfinite(phase->energy_kwh);
    }
}

static struct lines find(const struct dts_report *report)
{
    struct lines lines = {0};
    lines.all = dts_alloc((size_t)report->count * DTS_RESULT_PHASES, sizeof(*lines.all));
    for (int i = 0; i < report->count; i++)
        if (!dts_result_refused(&report->points[i]))
            add_point(&lines, &report->points[i]);
    return lines;
}

static void fill(const struct lines *lines, int l, struct dts_cell *cell)
{
    const struct line *line = &lines->all[l];
    const struct dts_result_phase *phase = &line->point->phases[line->number];
    (cell++)->word = line->point->strategy;
    if (lines->setting)
        (cell++)->word = line->setting;
    (cell++)->number = line->point->devices;
    (cell++)->number = line->number;
    (cell++)->number = phase->global_batch;
    (cell++)->number = phase->epochs;
    (cell++)->number = phase->steps;
    (cell++)->number = phase->step_s;
    (cell++)->number = phase->time_s;
    if (lines->energy)
        cell->number = phase->energy_kwh;
}

static int columns_of(const struct lines *lines, struct dts_column *columns)
{
    const struct dts_time_unit *step = dts_time_unit_step(lines->longest_step_s),
                               *time = dts_time_unit_training(lines->longest_s);
    int c = 0;
    columns[c++] = (struct dts_column){.title = "strategy"};
    if (lines->setting)
        columns[c++] = (struct dts_column){.title = "setting"};
    columns[c++] = (struct dts_column){.title = "devices", .unit = "", .digits = 1};
    columns[c++] = (struct dts_column){.title = "phase", .unit = "", .digits = 1};
    columns[c++] = (struct dts_column){.title = "batch", .unit = "", .digits = 1};
    columns[c++] = (struct dts_column){.title = "epochs", .unit = "", .digits = 4};
    columns[c++] = (struct dts_column){.title = "steps", .unit = "", .digits = 4};
    columns[c++] = (struct dts_column){.title = "step",
                                       .unit = "s",
                                       .digits = 4,
                                       .text_scale = step->scale,
                                       .text_unit = step->name};
    columns[c++] = (struct dts_column){.title = "time",
                                       .unit = "s",
                                       .digits = 3,
                                       .text_scale = time->scale,
                                       .text_unit = time->name};
    if (lines->energy)
        columns[c++] = (struct dts_column){.title = "energy", .unit = "kWh", .digits = 3};
    return c;
}

void dts_text_phases(const struct dts_report *report, dts_table_printer *print, FILE *out)
{
    enum { COLUMNS_MOST = 10 };
    struct lines lines = find(report);
    struct dts_column columns[COLUMNS_MOST];
    const int count = columns_of(&lines, columns);
    struct dts_cell *cells = dts_alloc((size_t)count * (size_t)lines.count + 1, sizeof(*cells));
    for (int l = 0; l < lines.count; l++)
        fill(&lines, l, &cells[l * count]);
    if (lines.count > 0) {
        fprintf(out, "\nPhases of the training\n");
        print(out, columns, count, cells, lines.count);
    }
    free(cells);
    free(lines.all);
}
