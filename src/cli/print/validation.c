/* validation.c -- prints scores and cases. Shares become percent for people. */
#include "cli/print/validation.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json/json_out.h"
#include "base/mem.h"
#include "base/table.h"
#include "base/text.h"

enum { WORST = 12, CELL = 160 };

static int count_of(const struct dts_validation *all, enum dts_case_role role)
{
    int count = 0;
    for (int i = 0; i < all->set->count; i++)
        count += all->set->cases[i].role == role;
    return count;
}

static void print_head(const struct dts_validation *all, FILE *out)
{
    const int predicted = count_of(all, DTS_CASE_PREDICTED);
    struct dts_text text = {0};
    const int anchors = count_of(all, DTS_CASE_ANCHOR);
    dts_text_add(&text,
                 "%d published configuration%s of %d system%s: %d predicted, %d anchor%s, %d "
                 "calibrated. %d free constant%s, %.1f %% of the predicted.",
                 all->set->count, dts_plural(all->set->count), all->set->systems,
                 dts_plural(all->set->systems), predicted, anchors, dts_plural(anchors),
                 count_of(all, DTS_CASE_CALIBRATED), all->constants, dts_plural(all->constants),
                 predicted > 0 ? 100.0 * all->constants / predicted : 0);
    dts_text_wrap(out, "", 0, DTS_TEXT_WIDTH, dts_text_string(&text));
    fprintf(out, "\n");
    dts_text_free(&text);
}

static void print_scores(const struct dts_validation *all, FILE *out)
{
    static const struct dts_column columns[] = {
        {.title = "class"},
        {.title = "devices"},
        {.title = "cases\n", .unit = "", .digits = 1},
        {.title = "anchor:\nmedian\n", .unit = "", .digits = 3, .text_unit = "%"},
        {.title = "anchor:\np90\n", .unit = "", .digits = 3, .text_unit = "%"},
        {.title = "anchor:\nbias\n", .unit = "", .digits = 3, .text_unit = "%"},
        {.title = "anchor:\nlinear\n", .unit = "", .digits = 3, .text_unit = "%"},
        {.title = "others:\nmedian\n", .unit = "", .digits = 3, .text_unit = "%"},
        {.title = "others:\np90\n", .unit = "", .digits = 3, .text_unit = "%"},
        {.title = "others:\nnearest\n", .unit = "", .digits = 3, .text_unit = "%"},
        {.title = "others:\npower\n", .unit = "", .digits = 3, .text_unit = "%"},
    };
    enum { COLUMNS = sizeof(columns) / sizeof(columns[0]) };
    struct dts_cell cells[DTS_SCORES_MOST * COLUMNS];
    for (int i = 0; i < all->score_count; i++) {
        const struct dts_class_score *score = &all->scores[i];
        const struct dts_error_score *by = score->by;
        const double numbers[] = {
            score->count,
            100 * by[DTS_BY_ANCHOR].median,
            100 * by[DTS_BY_ANCHOR].p90,
            100 * by[DTS_BY_ANCHOR].bias,
            100 * by[DTS_BY_LINEAR].median,
            100 * by[DTS_BY_OTHERS].median,
            100 * by[DTS_BY_OTHERS].p90,
            100 * by[DTS_BY_NEAREST].median,
            100 * by[DTS_BY_POWER].median,
        };
        struct dts_cell *row = &cells[i * COLUMNS];
        row[0] = (struct dts_cell){.word = dts_case_class_name((int)score->class)};
        row[1] = (struct dts_cell){.word = dts_band_name(score->band)};
        for (int c = 2; c < COLUMNS; c++)
            row[c] = (struct dts_cell){.number = numbers[c - 2]};
    }
    dts_table_print_text(out, columns, COLUMNS, cells, all->score_count);
    fprintf(out, "\n");
    dts_text_wrap(
        out, "", 0, DTS_TEXT_WIDTH,
        "Errors of the throughput: median and 90th percentile of the absolute ones, "
        "and the median of the signed ones (bias; + is too fast). anchor: predicted "
        "from the smallest point of the system alone; others: from all points of the "
        "system but the predicted one. Linear, nearest and power know the same points "
        "and no physics.");
    fprintf(out, "\n");
}

/* The case with its error first. */
struct listed {
    int at;
    double error;
};

static int by_error(const void *a, const void *b)
{
    const struct listed *x = a, *y = b;
    const double first = fabs(x->error), second = fabs(y->error);
    return first != second ? (first < second) - (first > second)
                           : (x->at > y->at) - (x->at < y->at);
}

/* What is shown: each case in the order of the files, or the worst. The caller frees it. */
static struct listed *list(const struct dts_validation *all, int *count)
{
    struct listed *listed = dts_alloc((size_t)all->set->count, sizeof(*listed));
    *count = 0;
    for (int i = 0; i < all->set->count; i++)
        if (all->each || all->set->cases[i].role == DTS_CASE_PREDICTED)
            listed[(*count)++] = (struct listed){i, all->judged[i].error[DTS_KNOWS_ANCHOR]};
    if (all->each)
        return listed;
    qsort(listed, (size_t)*count, sizeof(*listed), by_error);
    *count = *count < WORST ? *count : WORST;
    return listed;
}

static void print_cases(const struct dts_validation *all, FILE *out)
{
    static const struct dts_column columns[] = {
        {.title = "case"},
        {.title = "system"},
        {.title = "devices\n", .unit = "", .digits = 1},
        {.title = "published\n", .unit = "", .digits = 4},
        {.title = "predicted\n", .unit = "", .digits = 4},
        {.title = "anchor:\nerror\n", .unit = "", .digits = 3, .text_unit = "%"},
        {.title = "others:\nerror\n", .unit = "", .digits = 3, .text_unit = "%"},
        {.title = "role"},
    };
    enum { COLUMNS = sizeof(columns) / sizeof(columns[0]) };
    int count;
    struct listed *listed = list(all, &count);
    struct dts_cell *cells = dts_alloc((size_t)count * COLUMNS + 1, sizeof(*cells));
    char(*names)[CELL] = dts_alloc((size_t)count + 1, sizeof(*names));
    for (int i = 0; i < count; i++) {
        const struct dts_case *one = &all->set->cases[listed[i].at];
        const struct dts_judged *judged = &all->judged[listed[i].at];
        snprintf(names[i], CELL, "%.80s[%d]", all->set->families[one->family].name, one->row);
        const struct dts_cell row[COLUMNS] = {
            {.word = names[i]},
            {.word = one->words},
            {.number = one->devices},
            {.number = one->value},
            {.number = judged->predicted[DTS_KNOWS_ANCHOR]},
            {.number = 100 * judged->error[DTS_KNOWS_ANCHOR]},
            {.number = 100 * judged->error[DTS_KNOWS_OTHERS]},
            {.word = dts_case_role_name(one->role)},
        };
        memcpy(&cells[i * COLUMNS], row, sizeof(row));
    }
    fprintf(out, all->each ? "Each case\n" : "The worst\n");
    dts_table_print_text(out, columns, COLUMNS, cells, count);
    free(names);
    free(cells);
    free(listed);
}

/* To so many digits as an error can have that somebody published. */
static double rounded(double value)
{
    char text[32];
    snprintf(text, sizeof(text), "%.6g", value);
    return isfinite(value) ? strtod(text, NULL) : NAN;
}

/* What each half would have chosen, and how the other half fares with it. */
static void print_folds(const struct dts_validation *all, FILE *out)
{
    const struct dts_folds *folds = all->folds;
    if (folds == NULL)
        return;
    fprintf(
        out,
        "Folds: median %.3g %% with constants that the other half chose, %.3g %% as they are "
        "(%.2f times)\n",
        100 * folds->others, 100 * folds->whole, folds->others / folds->whole);
    for (int c = 0; c < folds->constant_count; c++)
        fprintf(out, "  %s %.4g: %.4g and %.4g\n", folds->constants[c].path,
                folds->constants[c].value, folds->chosen[0][c], folds->chosen[1][c]);
    fprintf(out, "\n");
}

static void put_folds(struct dts_json *json, const struct dts_folds *folds)
{
    if (folds == NULL)
        return;
    dts_json_object(json, "folds");
    dts_json_number(json, "median_percent", rounded(100 * folds->whole));
    dts_json_number(json, "other_half_median_percent", rounded(100 * folds->others));
    dts_json_list(json, "constants");
    for (int c = 0; c < folds->constant_count; c++) {
        dts_json_object(json, NULL);
        dts_json_string(json, "path", folds->constants[c].path);
        dts_json_number(json, "value", folds->constants[c].value);
        dts_json_number(json, "first_half", rounded(folds->chosen[0][c]));
        dts_json_number(json, "second_half", rounded(folds->chosen[1][c]));
        dts_json_end(json);
    }
    dts_json_end(json);
    dts_json_end(json);
}

static void put_score(struct dts_json *json, const struct dts_class_score *score)
{
    dts_json_object(json, NULL);
    dts_json_string(json, "class", dts_case_class_name((int)score->class));
    dts_json_string(json, "devices", dts_band_name(score->band));
    dts_json_integer(json, "cases", score->count);
    for (int by = 0; by < DTS_PREDICTORS; by++) {
        const struct dts_error_score *error = &score->by[by];
        if (!isfinite(error->median))
            continue;
        dts_json_object(json, dts_predictor_name((enum dts_predictor)by));
        dts_json_number(json, "median_percent", rounded(100 * error->median));
        dts_json_number(json, "p90_percent", rounded(100 * error->p90));
        dts_json_number(json, "bias_percent", rounded(100 * error->bias));
        dts_json_end(json);
    }
    dts_json_end(json);
}

static void put_case(struct dts_json *json, const struct dts_validation *all, int i)
{
    const struct dts_case *one = &all->set->cases[i];
    const struct dts_family *family = &all->set->families[one->family];
    const struct dts_judged *judged = &all->judged[i];
    dts_json_object(json, NULL);
    dts_json_string(json, "family", family->name);
    dts_json_integer(json, "row", one->row);
    dts_json_string(json, "class", dts_case_class_name((int)family->class));
    dts_json_string(json, "system", one->words);
    dts_json_integer(json, "devices", one->devices);
    dts_json_string(json, "role", dts_case_role_name(one->role));
    dts_json_string(json, "calibrated", one->role_text);
    dts_json_string(json, "metric", dts_case_value_name((int)family->value));
    dts_json_number(json, "published", one->value);
    dts_json_number(json, "predicted", rounded(judged->predicted[DTS_KNOWS_ANCHOR]));
    for (int by = 0; by < DTS_PREDICTORS; by++) {
        char key[64];
        snprintf(key, sizeof(key), "error_%s_percent",
                 dts_predictor_name((enum dts_predictor)by));
        dts_json_number(json, key,
                        rounded(100 * dts_judged_error(judged, (enum dts_predictor)by)));
    }
    dts_json_string(json, "basis", judged->basis);
    dts_json_string(json, "note", one->note);
    dts_json_string(json, "source", one->source != NULL ? one->source : family->source);
    dts_json_end(json);
}

static void print_json(const struct dts_validation *all, int lines, FILE *out)
{
    struct dts_json json = {.out = out, .lines = lines};
    dts_json_object(&json, NULL);
    dts_json_string(&json, "schema", "dtsim-validation/1");
    dts_json_integer(&json, "free_constants", all->constants);
    put_folds(&json, all->folds);
    dts_json_list(&json, "scores");
    for (int i = 0; i < all->score_count; i++)
        put_score(&json, &all->scores[i]);
    dts_json_end(&json);
    dts_json_list(&json, "cases");
    for (int i = 0; i < all->set->count; i++)
        put_case(&json, all, i);
    dts_json_end(&json);
    dts_json_end(&json);
}

static void print_csv(const struct dts_validation *all, FILE *out)
{
    static const struct dts_column columns[] = {
        {.name = "family"},
        {.name = "row", .unit = ""},
        {.name = "class"},
        {.name = "system"},
        {.name = "devices", .unit = ""},
        {.name = "role"},
        {.name = "published", .unit = ""},
        {.name = "predicted", .unit = ""},
        {.name = "error_anchor", .unit = "percent"},
        {.name = "error_linear", .unit = "percent"},
        {.name = "error_others", .unit = "percent"},
        {.name = "error_nearest", .unit = "percent"},
        {.name = "error_power", .unit = "percent"},
    };
    enum { COLUMNS = sizeof(columns) / sizeof(columns[0]), WORDS = 8 };
    struct dts_cell *cells = dts_alloc((size_t)all->set->count * COLUMNS, sizeof(*cells));
    for (int i = 0; i < all->set->count; i++) {
        const struct dts_case *one = &all->set->cases[i];
        const struct dts_family *family = &all->set->families[one->family];
        const struct dts_cell row[WORDS] = {
            {.word = family->name},
            {.number = one->row},
            {.word = dts_case_class_name((int)family->class)},
            {.word = one->words},
            {.number = one->devices},
            {.word = dts_case_role_name(one->role)},
            {.number = one->value},
            {.number = rounded(all->judged[i].predicted[DTS_KNOWS_ANCHOR])},
        };
        memcpy(&cells[i * COLUMNS], row, sizeof(row));
        for (int by = 0; by < DTS_PREDICTORS; by++)
            cells[i * COLUMNS + WORDS + by] = (struct dts_cell){
                .number =
                    rounded(100 * dts_judged_error(&all->judged[i], (enum dts_predictor)by))};
    }
    dts_table_print_csv(out, columns, COLUMNS, cells, all->set->count);
    free(cells);
}

void dts_validation_print(const struct dts_validation *all, const struct dts_format *format,
                          FILE *out)
{
    if (strcmp(format->name, "csv") == 0) {
        print_csv(all, out);
    } else if (strcmp(format->name, "text") == 0) {
        print_head(all, out);
        print_scores(all, out);
        print_folds(all, out);
        print_cases(all, out);
    } else {
        print_json(all, strcmp(format->name, "json") == 0 ? 3 : 0, out);
    }
}
