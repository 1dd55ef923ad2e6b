/* trials.c -- prints batches, the law, and the noise scale. */
#include "cli/print/trials.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json/json_out.h"
#include "base/mem.h"
#include "base/table.h"
#include "base/text.h"

static const struct dts_column columns[] = {
    {.title = "batch\n", .name = "batch", .unit = "", .digits = 1},
    {.title = "learning\nrate\n", .name = "learning_rate", .unit = "", .digits = 3},
    {.title = "runs\n", .name = "seeds", .unit = "", .digits = 1},
    {.title = "samples\n", .name = "samples", .unit = "", .digits = 4},
    {.title = "spread\n",
     .name = "cv",
     .unit = "",
     .digits = 2,
     .text_scale = 100,
     .text_unit = "%"},
    {.title = "steps\n", .name = "steps", .unit = "", .digits = 4},
    {.title = "by others:\nsamples\n",
     .name = "left_out",
     .unit = "samples",
     .digits = 4,
     .text_unit = ""},
    {.title = "by others:\nfrom\n",
     .name = "left_out_low",
     .unit = "samples",
     .digits = 4,
     .text_unit = ""},
    {.title = "by others:\nto\n",
     .name = "left_out_high",
     .unit = "samples",
     .digits = 4,
     .text_unit = ""},
    {.title = "noise scale\n",
     .name = "noise_scale",
     .unit = "samples",
     .digits = 3,
     .text_unit = ""},
    {.title = "from\n",
     .name = "noise_scale_low",
     .unit = "samples",
     .digits = 3,
     .text_unit = ""},
    {.title = "to\n",
     .name = "noise_scale_high",
     .unit = "samples",
     .digits = 3,
     .text_unit = ""},
};

enum { COLUMNS = sizeof(columns) / sizeof(columns[0]) };

static double known(bool is, double value)
{
    return is && isfinite(value) ? value : NAN;
}

static void fill(const struct dts_target_row *row, double numbers[COLUMNS])
{
    const struct dts_target_point *p = &row->point;
    double noise[3];
    dts_target_noise_of(p, noise);
    const double all[COLUMNS] = {
        p->batch,
        known(p->reached, p->rate),
        p->seeds,
        known(p->reached, p->mean),
        known(p->reached && p->seeds > 1, p->cv),
        known(p->reached, p->mean / p->batch),
        known(p->reached, row->left_out.mean),
        known(p->reached, row->left_out.low),
        known(p->reached, row->left_out.high),
        noise[0],
        noise[1],
        known(true, noise[2]),
    };
    memcpy(numbers, all, sizeof(all));
}

static struct dts_cell *cells_of(const struct dts_target_answer *a)
{
    struct dts_cell *cells = dts_alloc((size_t)a->count * COLUMNS, sizeof(*cells));
    for (int i = 0; i < a->count; i++) {
        double numbers[COLUMNS];
        fill(&a->rows[i], numbers);
        for (int c = 0; c < COLUMNS; c++)
            cells[i * COLUMNS + c].number = numbers[c];
    }
    return cells;
}

static void add(struct dts_text *text, const char *name, const double value[3])
{
    dts_text_add(text, "%s ", name);
    dts_text_add_significant(text, value[0], 3);
    dts_text_add(text, " (");
    dts_text_add_significant(text, value[1], 3);
    if (isfinite(value[2])) {
        dts_text_add(text, " to ");
        dts_text_add_significant(text, value[2], 3);
    } else {
        dts_text_add(text, " or more");
    }
    dts_text_add(text, ")");
}

static void print_law(const struct dts_target_answer *a, FILE *out)
{
    const struct dts_law *law = &a->profile.fit.law;
    struct dts_text text = {0};
    if (!isfinite(a->b_c[0]) || a->b_c[0] < 1 || a->b_c[0] > 1e9 || a->e_min[0] < 1) {
        fprintf(out,
                "These batches do not tell a law: more seeds, or batches further apart, or "
                "evaluations more\noften.\n");
        return;
    }
    add(&text, "Least training", a->e_min);
    add(&text, " samples; least steps", a->s_min);
    add(&text, "; critical batch", a->b_c);
    add(&text, " samples; sharpness", a->g);
    dts_text_add(&text, ". Twice the least training at a batch of ");
    dts_text_add_significant(&text, dts_law_batch(law, DTS_LAW_TWICE), 3);
    dts_text_add(&text, ", 20 %% more at ");
    dts_text_add_significant(&text, dts_law_batch(law, DTS_LAW_FIFTH), 3);
    dts_text_add(&text, ". In brackets: 80 %% intervals.");
    dts_text_wrap(out, "", 0, DTS_TEXT_WIDTH, dts_text_string(&text));
    dts_text_free(&text);
}

static void print_limit(const struct dts_target_answer *a, FILE *out)
{
    const double limited = a->profile.fit.limited_batch;
    if (limited > 0)
        fprintf(out,
                "Batch %.0f is beyond the useful range (its rate had to fall, its steps hardly "
                "do): the law is\nwithout it.\n",
                limited);
}

static void print_held(const struct dts_target_answer *a, FILE *out)
{
    struct dts_text text = {0};
    if (a->foretold > 0)
        dts_text_add(&text,
                     "The law of the other batches holds %d of %d batches within its 80 %% "
                     "interval.",
                     a->held, a->foretold);
    if (!isnan(a->noise[0])) {
        char name[48];
        snprintf(name, sizeof(name),
                 "%sGradient noise scale at batch %d:", text.length > 0 ? " " : "",
                 a->noise_batch);
        add(&text, name, a->noise);
        dts_text_add(&text, " samples, ");
        dts_text_add_significant(&text, a->noise[0] / a->b_c[0], 2);
        dts_text_add(&text, " times the critical batch.");
    }
    dts_text_wrap(out, "", 0, DTS_TEXT_WIDTH, dts_text_string(&text));
    dts_text_free(&text);
}

static void print_text(const struct dts_target_answer *a, const char *title, FILE *out)
{
    struct dts_cell *cells = cells_of(a);
    dts_text_wrap(out, "", 0, DTS_TEXT_WIDTH, title);
    fputc('\n', out);
    dts_table_print_text(out, columns, COLUMNS, cells, a->count);
    fputc('\n', out);
    print_law(a, out);
    print_limit(a, out);
    print_held(a, out);
    free(cells);
}

static void value_json(const char *key, const double value[3], struct dts_json *json)
{
    dts_json_object(json, key);
    dts_json_number(json, "value", value[0]);
    dts_json_number(json, "low", value[1]);
    dts_json_number(json, "high", value[2]);
    dts_json_end(json);
}

static void rows_json(const struct dts_target_answer *a, struct dts_json *json)
{
    dts_json_list(json, "batches");
    for (int i = 0; i < a->count; i++) {
        double numbers[COLUMNS];
        fill(&a->rows[i], numbers);
        dts_json_object(json, NULL);
        for (int c = 0; c < COLUMNS; c++)
            dts_json_number(json, columns[c].name, numbers[c]);
        dts_json_bool(json, "reached", a->rows[i].point.reached);
        dts_json_integer(json, "rates_tried", a->rows[i].point.rates);
        dts_json_end(json);
    }
    dts_json_end(json);
}

static void print_json(const struct dts_target_answer *a, const char *title, FILE *out)
{
    const struct dts_law *law = &a->profile.fit.law;
    struct dts_json json = {.out = out, .lines = 2};
    dts_json_object(&json, NULL);
    dts_json_string(&json, "schema", "dtsim-converge/1");
    dts_json_string(&json, "title", title);
    rows_json(a, &json);
    value_json("e_min_samples", a->e_min, &json);
    value_json("s_min_steps", a->s_min, &json);
    value_json("b_c_samples", a->b_c, &json);
    value_json("g", a->g, &json);
    dts_json_number(&json, "twice_batch", dts_law_batch(law, DTS_LAW_TWICE));
    dts_json_number(&json, "fifth_batch", dts_law_batch(law, DTS_LAW_FIFTH));
    dts_json_number(&json, "limited_batch",
                    a->profile.fit.limited_batch > 0 ? a->profile.fit.limited_batch : NAN);
    dts_json_integer(&json, "left_out_held", a->held);
    dts_json_integer(&json, "left_out_count", a->foretold);
    value_json("noise_scale_samples", a->noise, &json);
    dts_json_number(&json, "noise_scale_batch", a->noise_batch > 0 ? a->noise_batch : NAN);
    dts_json_end(&json);
}

void dts_target_print(const struct dts_target_answer *a, const char *title,
                      const struct dts_format *format, FILE *out)
{
    if (strcmp(format->name, "text") == 0) {
        print_text(a, title, out);
    } else if (strcmp(format->name, "csv") == 0) {
        struct dts_cell *cells = cells_of(a);
        dts_table_print_csv(out, columns, COLUMNS, cells, a->count);
        free(cells);
    } else {
        print_json(a, title, out);
    }
}
