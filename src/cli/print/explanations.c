/* explanations.c -- what `dtsim explain` answers: a line on measurement and prediction, and a
 * row for each value that may differ. JSON ("dtsim-explanation/1") and CSV have SI units in
 * names. */
#include "cli/print/explanations.h"

#include <math.h>
#include <string.h>

#include "base/json/json_out.h"
#include "base/table.h"
#include "base/text.h"

enum { CELL = 200 };

double dts_explanations_in_unit(const struct dts_explanations *all, double step_s)
{
    return all->step ? step_s : all->predicted->global_batch / step_s;
}

static double off_percent(const struct dts_explanations *all)
{
    const double predicted = dts_explanations_in_unit(all, all->predicted->step.total_s);
    return 100 * (predicted / all->measured - 1);
}

/* "547 images/s", "936 ms" */
static void add_measure(struct dts_text *text, const struct dts_explanations *all, double value)
{
    dts_text_add_significant(text, all->step ? 1e3 * value : value, 4);
    if (all->step)
        dts_text_add(text, " ms");
    else
        dts_text_add(text, " %ss/s", all->scene->scenario.model.sample);
}

/* A value in the unit that people say it in. */
static void add_value(struct dts_text *text, const struct dts_suspect *suspect, double value)
{
    const bool rate = strcmp(suspect->unit, "bytes_per_s") == 0;
    const bool share = strcmp(suspect->unit, "share") == 0;
    if (isinf(value)) {
        dts_text_add(text, "no limit");
        return;
    }
    dts_text_add_significant(text, rate ? 8e-9 * value : share ? 100 * value : value, 3);
    dts_text_add(text, rate ? " Gb/s" : share ? " %%" : " x");
}

static void add_answer(struct dts_text *text, const struct dts_explanations *all,
                       const struct dts_explained *row)
{
    if (isnan(row->value)) {
        const double nearest = dts_explanations_in_unit(all, row->nearest_s);
        dts_text_add(text, "cannot explain it alone: at %s ",
                     nearest < all->measured ? "most" : "least");
        add_measure(text, all, nearest);
        return;
    }
    add_value(text, row->suspect, row->value);
    if (strcmp(row->suspect->unit, "bytes_per_s") != 0)
        return;
    if (!isinf(row->now)) {
        dts_text_add(text, " of ");
        dts_text_add_significant(text, 8e-9 * row->now, 3);
    }
    dts_text_add(text, " (");
    dts_text_add_significant(text, 1e-9 * row->value, 3);
    dts_text_add(text, " GB/s)");
}

static void copy(char cell[CELL], struct dts_text *text)
{
    snprintf(cell, CELL, "%s", dts_text_string(text));
    dts_text_free(text);
}

static void print_rows(const struct dts_explanations *all, FILE *out)
{
    static const struct dts_column columns[] = {
        {.title = "value"}, {.title = "in the files"}, {.title = "explains the measurement"}};
    enum { COLUMNS = 3 };
    char words[DTS_SUSPECTS_MOST][COLUMNS][CELL];
    struct dts_cell cells[DTS_SUSPECTS_MOST * COLUMNS];
    for (int i = 0; i < all->count; i++) {
        const struct dts_explained *row = &all->rows[i];
        struct dts_text now = {0}, answer = {0};
        row->suspect->describe(all->scene, words[i][0], CELL);
        add_value(&now, row->suspect, row->now);
        add_answer(&answer, all, row);
        copy(words[i][1], &now);
        copy(words[i][2], &answer);
        for (int c = 0; c < COLUMNS; c++)
            cells[COLUMNS * i + c] = (struct dts_cell){.word = words[i][c]};
    }
    dts_table_print_text(out, columns, COLUMNS, cells, all->count);
}

static void print_text(const struct dts_explanations *all, FILE *out)
{
    struct dts_text line = {0};
    const struct dts_result *predicted = all->predicted;
    dts_text_add(&line, "%s, %s, %d device%s: measured ", all->scene->scenario.name,
                 predicted->strategy, predicted->devices, dts_plural(predicted->devices));
    add_measure(&line, all, all->measured);
    dts_text_add(&line, ", predicted ");
    add_measure(&line, all, dts_explanations_in_unit(all, predicted->step.total_s));
    dts_text_add(&line, " (%+.1f %%), engine %s", off_percent(all), predicted->engine);
    if (!isnan(predicted->level_kernels))
        dts_text_add(
            &line,
            "; as measured points say, kernels take %.3g times and the step %.3g times "
            "as long",
            predicted->level_kernels, predicted->level_step);
    dts_text_wrap(out, "", 0, DTS_TEXT_WIDTH, dts_text_string(&line));
    dts_text_free(&line);
    fprintf(out, "\n");
    if (all->count == 0) {
        fprintf(out, "Nothing that takes part here has a value that could be another.\n");
        return;
    }
    print_rows(all, out);
    fprintf(out, "\nOne value is changed at a time, all else is as in the files.\n");
    if (fabs(off_percent(all)) < 1)
        fprintf(out, "The prediction is within 1 %%: nothing has to be explained.\n");
}

static double to_digits(double value)
{
    char text[32];
    double rounded = NAN;
    snprintf(text, sizeof(text), "%.4g", value);
    return isfinite(value) && sscanf(text, "%lf", &rounded) == 1 ? rounded : NAN;
}

static void print_json(const struct dts_explanations *all, int lines, FILE *out)
{
    struct dts_json json = {.out = out, .lines = lines};
    const struct dts_result *predicted = all->predicted;
    dts_json_object(&json, NULL);
    dts_json_string(&json, "schema", "dtsim-explanation/1");
    dts_json_string(&json, "scenario", all->scene->scenario.name);
    dts_json_string(&json, "strategy", predicted->strategy);
    dts_json_integer(&json, "devices", predicted->devices);
    dts_json_string(&json, "engine", predicted->engine);
    dts_json_string(&json, "metric", all->step ? "step_s" : "throughput_samples_per_s");
    dts_json_number(&json, "measured", all->measured);
    dts_json_number(&json, "predicted",
                    to_digits(dts_explanations_in_unit(all, predicted->step.total_s)));
    if (!isnan(predicted->level_kernels)) {
        dts_json_number(&json, "level_kernels", to_digits(predicted->level_kernels));
        dts_json_number(&json, "level_step", to_digits(predicted->level_step));
    }
    dts_json_list(&json, "explanations");
    for (int i = 0; i < all->count; i++) {
        const struct dts_explained *row = &all->rows[i];
        dts_json_object(&json, NULL);
        dts_json_string(&json, "value", row->suspect->name);
        dts_json_string(&json, "unit", row->suspect->unit);
        dts_json_number(&json, "in_the_files", to_digits(row->now));
        dts_json_number(&json, "explains", to_digits(row->value));
        dts_json_number(
            &json, "nearest",
            isnan(row->value) ? to_digits(dts_explanations_in_unit(all, row->nearest_s)) : NAN);
        dts_json_end(&json);
    }
    dts_json_end(&json);
    dts_json_end(&json);
}

static void print_csv(const struct dts_explanations *all, FILE *out)
{
    static const struct dts_column columns[] = {
        {.name = "value"},
        {.name = "unit"},
        {.name = "in_the_files", .unit = ""},
        {.name = "explains", .unit = ""},
        {.name = "nearest", .unit = ""},
    };
    enum { COLUMNS = sizeof(columns) / sizeof(columns[0]) };
    struct dts_cell cells[DTS_SUSPECTS_MOST * COLUMNS];
    for (int i = 0; i < all->count; i++) {
        const struct dts_explained *row = &all->rows[i];
        struct dts_cell *cell = &cells[COLUMNS * i];
        cell[0] = (struct dts_cell){.word = row->suspect->name};
        cell[1] = (struct dts_cell){.word = row->suspect->unit};
        cell[2] = (struct dts_cell){.number = to_digits(row->now)};
        cell[3] = (struct dts_cell){.number = to_digits(row->value)};
        cell[4] = (struct dts_cell){
            .number = isnan(row->value)
                          ? to_digits(dts_explanations_in_unit(all, row->nearest_s))
                          : NAN};
    }
    dts_table_print_csv(out, columns, COLUMNS, cells, all->count);
}

void dts_explanations_print(const struct dts_explanations *all, const struct dts_format *format,
                            FILE *out)
{
    if (strcmp(format->name, "csv") == 0)
        print_csv(all, out);
    else if (strcmp(format->name, "text") == 0)
        print_text(all, out);
    else
        print_json(all, strcmp(format->name, "json") == 0 ? 2 : 0, out);
}
