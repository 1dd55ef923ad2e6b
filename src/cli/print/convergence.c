/* convergence.c -- profiles with each of their batches left out: a table, JSON, CSV. */
#include "cli/print/convergence.h"

#include <stdlib.h>
#include <string.h>

#include "base/json/json_out.h"
#include "base/mem.h"
#include "base/table.h"
#include "base/text.h"
#include "cli/print/noise_left_out.h"

enum { COLUMNS = 10, WORD = 32 };

/* All batches of all laws, one after another. The caller frees them. */
static struct dts_left_out *all_of(const struct dts_convergence_series *all, int count,
                                   int *points)
{
    struct dts_left_out *list = dts_alloc((size_t)count * DTS_FIT_BATCHES + 1, sizeof(*list));
    *points = 0;
    for (int i = 0; i < count; i++)
        for (int p = 0; all[i].law && p < all[i].count; p++)
            list[(*points)++] = all[i].points[p];
    return list;
}

/* A row of the table: its words live in `words`. */
static void fill(struct dts_cell *row, char words[2][WORD], const char *name,
                 const struct dts_left_out *points, int count)
{
    const struct dts_left_out_score inner = dts_leave_out_score(points, count, true),
                                    edge = dts_leave_out_score(points, count, false);
    snprintf(words[0], WORD, "%d of %d", inner.covered, inner.count);
    snprintf(words[1], WORD, "%d of %d", edge.covered, edge.count);
    const struct dts_cell cells[COLUMNS] = {
        {.word = name},
        {.number = 100 * inner.median},
        {.number = 100 * inner.worst},
        {.number = 100 * inner.linear_median},
        {.number = 100 * inner.linear_worst},
        {.word = words[0]},
        {.number = 100 * edge.median},
        {.number = 100 * edge.worst},
        {.number = 100 * edge.linear_worst},
        {.word = words[1]},
    };
    memcpy(row, cells, sizeof(cells));
}

static void print_scores(const struct dts_convergence_series *all, int count, FILE *out)
{
    static const struct dts_column columns[COLUMNS] = {
        {.title = "profile"},
        {.title = "inner:\nmedian\n", .unit = "", .digits = 3, .text_unit = "%"},
        {.title = "inner:\nworst\n", .unit = "", .digits = 3, .text_unit = "%"},
        {.title = "linear:\nmedian\n", .unit = "", .digits = 3, .text_unit = "%"},
        {.title = "linear:\nworst\n", .unit = "", .digits = 3, .text_unit = "%"},
        {.title = "covered"},
        {.title = "edge:\nmedian\n", .unit = "", .digits = 3, .text_unit = "%"},
        {.title = "edge:\nworst\n", .unit = "", .digits = 3, .text_unit = "%"},
        {.title = "linear:\nworst\n", .unit = "", .digits = 3, .text_unit = "%"},
        {.title = "covered"},
    };
    struct dts_cell *cells = dts_alloc((size_t)(count + 1) * COLUMNS, sizeof(*cells));
    char(*words)[2][WORD] = dts_alloc((size_t)count + 1, sizeof(*words));
    int points;
    struct dts_left_out *laws = all_of(all, count, &points);
    for (int i = 0; i < count; i++)
        fill(&cells[i * COLUMNS], words[i], all[i].name, all[i].points, all[i].count);
    fill(&cells[count * COLUMNS], words[count], "all laws", laws, points);
    dts_table_print_text(out, columns, COLUMNS, cells, count + 1);
    free(laws);
    free(words);
    free(cells);
}

static void print_points(const struct dts_convergence_series *series, FILE *out)
{
    static const struct dts_column columns[] = {
        {.title = "batch\n", .unit = "", .digits = 1},
        {.title = "published\n", .unit = "", .digits = 4},
        {.title = "predicted\n", .unit = "", .digits = 4},
        {.title = "80 %\nfrom\n", .unit = "", .digits = 4},
        {.title = "\nto\n", .unit = "", .digits = 4},
        {.title = "error\n", .unit = "", .digits = 3, .text_unit = "%"},
        {.title = "linear\n", .unit = "", .digits = 3, .text_unit = "%"},
    };
    enum { COUNT = sizeof(columns) / sizeof(columns[0]) };
    struct dts_cell cells[DTS_FIT_BATCHES * COUNT];
    for (int i = 0; i < series->count; i++) {
        const struct dts_left_out *point = &series->points[i];
        const double numbers[COUNT] = {point->batch,
                                       point->published,
                                       point->predicted.mean,
                                       point->predicted.low,
                                       point->predicted.high,
                                       100 * point->error,
                                       100 * point->linear_error};
        for (int c = 0; c < COUNT; c++)
            cells[i * COUNT + c] = (struct dts_cell){.number = numbers[c]};
    }
    fprintf(out, "\n%s, %s\n", series->name, series->unit);
    dts_table_print_text(out, columns, COUNT, cells, series->count);
}

static void print_text(const struct dts_convergence_series *all, int count, FILE *out)
{
    int points = 0;
    struct dts_text text = {0};
    for (int i = 0; i < count; i++)
        points += all[i].count;
    dts_text_add(&text,
                 "%d batch%s of %d series, each predicted from the others of its series.",
                 points, points == 1 ? "" : "es", count);
    dts_text_wrap(out, "", 0, DTS_TEXT_WIDTH, dts_text_string(&text));
    fputc('\n', out);
    dts_text_free(&text);
    print_scores(all, count, out);
    if (count == 1)
        print_points(&all[0], out);
    fputc('\n', out);
    dts_text_wrap(out, "", 0, DTS_TEXT_WIDTH,
                  "Errors of what runs needed, absolute. inner: there are smaller and larger "
                  "batches; edge: one step outside. Linear: on a line through the two nearest "
                  "batches. covered: the published mean lies in the 80 % interval. A series "
                  "without a trend (form constant) is no part of the last row.");
}

static void put_point(struct dts_json *json, const struct dts_left_out *point)
{
    dts_json_object(json, NULL);
    dts_json_number(json, "batch", point->batch);
    dts_json_bool(json, "inner", point->inner);
    dts_json_number(json, "published", point->published);
    dts_json_number(json, "predicted", point->predicted.mean);
    dts_json_number(json, "low", point->predicted.low);
    dts_json_number(json, "high", point->predicted.high);
    dts_json_number(json, "error_percent", 100 * point->error);
    dts_json_number(json, "linear_error_percent", 100 * point->linear_error);
    dts_json_bool(json, "covered", point->covered);
    dts_json_end(json);
}

static void print_json(const struct dts_convergence_series *all, int count, bool whole,
                       int lines, FILE *out)
{
    struct dts_json json = {.out = out, .lines = lines};
    dts_json_object(&json, NULL);
    dts_json_string(&json, "schema", "dtsim-convergence/1");
    dts_json_list(&json, "profiles");
    for (int i = 0; i < count; i++) {
        dts_json_object(&json, NULL);
        dts_json_string(&json, "profile", all[i].name);
        dts_json_string(&json, "unit", all[i].unit);
        dts_json_list(&json, "left_out");
        for (int p = 0; p < all[i].count; p++)
            put_point(&json, &all[i].points[p]);
        dts_json_end(&json);
        dts_json_end(&json);
    }
    dts_json_end(&json);
    if (whole)
        dts_noise_left_out_json(&json);
    dts_json_end(&json);
}

static void print_csv(const struct dts_convergence_series *all, int count, FILE *out)
{
    static const struct dts_column columns[] = {
        {.name = "profile"},
        {.name = "batch", .unit = ""},
        {.name = "place"},
        {.name = "unit"},
        {.name = "published", .unit = ""},
        {.name = "predicted", .unit = ""},
        {.name = "low", .unit = ""},
        {.name = "high", .unit = ""},
        {.name = "error", .unit = "percent"},
        {.name = "linear_error", .unit = "percent"},
        {.name = "covered"},
    };
    enum { COUNT = sizeof(columns) / sizeof(columns[0]) };
    struct dts_cell *cells =
        dts_alloc((size_t)count * DTS_FIT_BATCHES * COUNT + 1, sizeof(*cells));
    int rows = 0;
    for (int i = 0; i < count; i++)
        for (int p = 0; p < all[i].count; p++) {
            const struct dts_left_out *point = &all[i].points[p];
            const struct dts_cell row[COUNT] = {
                {.word = all[i].name},
                {.number = point->batch},
                {.word = point->inner ? "inner" : "edge"},
                {.word = all[i].unit},
                {.number = point->published},
                {.number = point->predicted.mean},
                {.number = point->predicted.low},
                {.number = point->predicted.high},
                {.number = 100 * point->error},
                {.number = 100 * point->linear_error},
                {.word = point->covered ? "yes" : "no"},
            };
            memcpy(&cells[rows++ * COUNT], row, sizeof(row));
        }
    dts_table_print_csv(out, columns, COUNT, cells, rows);
    free(cells);
}

void dts_convergence_series_print(const struct dts_convergence_series *all, int count,
                                  bool whole, const struct dts_format *format, FILE *out)
{
    if (strcmp(format->name, "csv") == 0)
        print_csv(all, count, out);
    else if (strcmp(format->name, "text") == 0) {
        print_text(all, count, out);
        if (whole)
            dts_noise_left_out_text(out);
    } else
        print_json(all, count, whole, strcmp(format->name, "json") == 0 ? 4 : 0, out);
}
