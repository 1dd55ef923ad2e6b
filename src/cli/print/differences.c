/* differences.c -- a table with a row for each point of both results, and what was asked
 * differently. */
#include "cli/print/differences.h"

#include <math.h>
#include <stdlib.h>

#include "base/json/json_out.h"
#include "base/mem.h"
#include "base/table.h"
#include "base/text.h"
#include "cli/print/text_notes.h"
#include "cli/print/time_unit.h"
#include "cli/print/width.h"

enum { STEP, THROUGHPUT, MEMORY, TIME }; // rows of dts_compared
enum { SHOWN = 120 };                    // bytes of a value that was asked

/* Is the number in both, in some point, and is there room for it? */
static bool has(const struct dts_compare *c, int number, unsigned left_out)
{
    for (int i = 0; i < c->side[0].point_count && (left_out & 1u << number) == 0; i++)
        if (c->side[0].points[i].other >= 0 && isfinite(dts_compare_percent(c, i, number)))
            return true;
    return false;
}

static bool has_setting(const struct dts_compare *c)
{
    for (int i = 0; i < c->side[0].point_count; i++)
        if (c->side[0].points[i].other >= 0 && c->side[0].points[i].setting[0] != '\0')
            return true;
    return false;
}

static const struct {
    const char *a, *b, *change;
} titles[DTS_COMPARED] = {
    [STEP] = {"step\na\n", "\nb\n", "\nb - a\n"},
    [THROUGHPUT] = {"samples\nper s\na\n", "\nb\n", "\nb - a\n"},
    [MEMORY] = {"memory\na\n", "\nb\n", "\nb - a\n"},
    [TIME] = {"training\na\n", "\nb\n", "\nb - a\n"},
};

/* The unit and the scale of each number: those that fit the longest. */
static void find_units(const struct dts_compare *c, const char *unit[DTS_COMPARED],
                       double scale[DTS_COMPARED])
{
    double step_s = 0, time_s = 0, bytes = 0;
    for (int i = 0; i < c->side[0].point_count; i++) {
        bytes = fmax(bytes, c->side[0].points[i].number[MEMORY]);
        step_s = fmax(step_s, c->side[0].points[i].number[STEP]);
        time_s = fmax(time_s, c->side[0].points[i].number[TIME]);
    }
    const struct dts_time_unit *step = dts_time_unit_step(step_s),
                               *time = dts_time_unit_training(time_s);
    unit[STEP] = step->name, scale[STEP] = step->scale;
    unit[THROUGHPUT] = "", scale[THROUGHPUT] = 1;
    unit[MEMORY] = bytes >= 1e8 ? "GB" : "MB", scale[MEMORY] = bytes >= 1e8 ? 1e-9 : 1e-6;
    unit[TIME] = time->name, scale[TIME] = time->scale;
}

static int columns_of(const struct dts_compare *c, unsigned left_out,
                      struct dts_column *columns)
{
    const char *unit[DTS_COMPARED];
    double scale[DTS_COMPARED];
    int count = 0;
    find_units(c, unit, scale);
    columns[count++] = (struct dts_column){.title = "strategy"};
    if (has_setting(c))
        columns[count++] = (struct dts_column){.title = "setting"};
    columns[count++] = (struct dts_column){.title = "devices\n", .unit = "", .digits = 1};
    for (int n = 0; n < DTS_COMPARED; n++) {
        const struct dts_column value = {
            .unit = "", .digits = 4, .text_scale = scale[n], .text_unit = unit[n]};
        if (!has(c, n, left_out))
            continue;
        columns[count] = columns[count + 1] = value;
        columns[count++].title = titles[n].a;
        columns[count++].title = titles[n].b;
        columns[count++] = (struct dts_column){
            .title = titles[n].change, .unit = "", .digits = 3, .text_unit = "%"};
    }
    return count;
}

static void fill(const struct dts_compare *c, int point, unsigned left_out,
                 struct dts_cell *cell)
{
    const struct dts_compare_point *a = &c->side[0].points[point],
                                   *b = &c->side[1].points[a->other];
    (cell++)->word = a->strategy;
    if (has_setting(c))
        (cell++)->word = a->setting;
    (cell++)->number = a->devices;
    for (int n = 0; n < DTS_COMPARED; n++)
        if (has(c, n, left_out)) {
            (cell++)->number = a->number[n];
            (cell++)->number = b->number[n];
            (cell++)->number = dts_compare_percent(c, point, n);
        }
}

/* The numbers that go first where there is no room, and their words below the table. */
static const struct {
    int number;
    const char *words;
} leaves[] = {{MEMORY, "memory"}, {THROUGHPUT, "samples per s"}, {TIME, "training"}};

enum { LEAVES = sizeof(leaves) / sizeof(leaves[0]) };

/* The table without some numbers, if it is no wider than that; NULL: never mind the width. */
static bool try_table(const struct dts_compare *c, unsigned left_out, const int *width,
                      FILE *out)
{
    struct dts_column columns[3 + 3 * DTS_COMPARED];
    const int count = columns_of(c, left_out, columns);
    struct dts_cell *cells = dts_alloc((size_t)count * (size_t)c->matched + 1, sizeof(*cells));
    int row = 0;
    for (int i = 0; i < c->side[0].point_count; i++)
        if (c->side[0].points[i].other >= 0)
            fill(c, i, left_out, &cells[count * row++]);
    const bool fits =
        width == NULL || dts_table_width(columns, count, cells, c->matched) <= *width;
    if (fits)
        dts_table_print_text(out, columns, count, cells, c->matched);
    free(cells);
    return fits;
}

static void print_table(const struct dts_compare *c, FILE *out)
{
    const int width = dts_print_width(out);
    struct dts_text dropped = {0};
    unsigned left_out = 0;
    for (int i = 0; !try_table(c, left_out, i < LEAVES ? &width : NULL, out); i++) {
        if (has(c, leaves[i].number, 0))
            dts_text_add(&dropped, "%s%s", dropped.length > 0 ? ", " : "", leaves[i].words);
        left_out |= 1u << leaves[i].number;
    }
    if (dropped.length > 0)
        dts_text_paragraph(out, "on a wider screen also: ", 2, dts_text_string(&dropped));
    dts_text_free(&dropped);
}

static void print_asked(const struct dts_compare *c, FILE *out)
{
    if (c->asked_count == 0) {
        fputs("\nNothing was asked differently\n", out);
        return;
    }
    fputs("\nAsked differently\n", out);
    for (int i = 0; i < c->asked_count; i++) {
        const struct dts_compare_asked *asked = &c->asked[i];
        char lead[64];
        struct dts_text text = {0};
        snprintf(lead, sizeof(lead), "  %-12s ", asked->what);
        dts_text_add_cut(&text, asked->a, SHOWN);
        dts_text_add(&text, " -> ");
        dts_text_add_cut(&text, asked->b, SHOWN);
        if (asked->first >= 0 && asked->count < c->matched)
            dts_text_add(&text, " (%d of %d points)", asked->count, c->matched);
        dts_text_paragraph(out, lead, 15, dts_text_string(&text));
        dts_text_free(&text);
    }
}

/* Points that only one of both has, and those that were refused. */
static void print_rest(const struct dts_compare_side *side, const char *name, FILE *out)
{
    enum { NAMED = 8 };
    int count = 0;
    struct dts_text text = {0};
    for (int i = 0; i < side->point_count; i++) {
        const struct dts_compare_point *point = &side->points[i];
        if (point->other >= 0 || count++ >= NAMED)
            continue;
        dts_text_add(&text, "%s", count > 1 ? "; " : "");
        dts_text_add_cut(&text, side->report_count > 1 ? point->scenario : "", SHOWN);
        dts_text_add(&text, "%s", side->report_count > 1 ? " " : "");
        dts_text_add_cut(&text, point->strategy, SHOWN);
        dts_text_add(&text, ", %d device%s%s", point->devices, dts_plural(point->devices),
                     point->setting[0] != '\0' ? ", " : "");
        dts_text_add_cut(&text, point->setting, SHOWN);
    }
    if (count > NAMED)
        dts_text_add(&text, "; and %d more", count - NAMED);
    if (count > 0) {
        char lead[32];
        snprintf(lead, sizeof(lead), "\nOnly in %s: ", name);
        dts_text_paragraph(out, lead, 2, dts_text_string(&text));
    }
    dts_text_free(&text);
}

void dts_differences_text(const struct dts_compare *c, const char *a, const char *b, FILE *out)
{
    const char *const files[] = {a, b};
    for (int s = 0; s < 2; s++) {
        struct dts_text text = {0};
        dts_text_add_line(&text, files[s]);
        fprintf(out, "%s: %s\n", s == 0 ? "a" : "b", dts_text_string(&text));
        dts_text_free(&text);
    }
    fputc('\n', out);
    print_table(c, out);
    print_asked(c, out);
    print_rest(&c->side[0], "a", out);
    print_rest(&c->side[1], "b", out);
}

static void put_name(struct dts_json *json, const struct dts_compare_point *point)
{
    if (point->scenario[0] != '\0')
        dts_json_string(json, "scenario", point->scenario);
    dts_json_string(json, "strategy", point->strategy);
    if (point->setting[0] != '\0')
        dts_json_string(json, "setting", point->setting);
    dts_json_integer(json, "devices", point->devices);
}

static void put_numbers(struct dts_json *json, const char *key,
                        const struct dts_compare_point *point)
{
    dts_json_object(json, key);
    for (int n = 0; n < DTS_COMPARED; n++)
        dts_json_number(json, dts_compared[n].name, point->number[n]);
    if (point->error != NULL)
        dts_json_string(json, "error", point->error);
    dts_json_end(json);
}

static void put_points(struct dts_json *json, const struct dts_compare *c)
{
    dts_json_list(json, "points");
    for (int i = 0; i < c->side[0].point_count; i++) {
        const struct dts_compare_point *point = &c->side[0].points[i];
        if (point->other < 0)
            continue;
        dts_json_object(json, NULL);
        put_name(json, point);
        put_numbers(json, "a", point);
        put_numbers(json, "b", &c->side[1].points[point->other]);
        dts_json_object(json, "change_percent");
        for (int n = 0; n < DTS_COMPARED; n++) {
            char text[32];
            snprintf(text, sizeof(text), "%.9g", dts_compare_percent(c, i, n));
            dts_json_number(json, dts_compared[n].name, strtod(text, NULL));
        }
        dts_json_end(json);
        dts_json_end(json);
    }
    dts_json_end(json);
}

void dts_differences_json(const struct dts_compare *c, const char *a, const char *b, FILE *out)
{
    struct dts_json json = {.out = out, .lines = 3};
    dts_json_object(&json, NULL);
    dts_json_string(&json, "schema", "dtsim-compare/1");
    dts_json_string(&json, "a", a);
    dts_json_string(&json, "b", b);
    dts_json_list(&json, "asked");
    for (int i = 0; i < c->asked_count; i++) {
        dts_json_object(&json, NULL);
        dts_json_string(&json, "what", c->asked[i].what);
        dts_json_string(&json, "a", c->asked[i].a);
        dts_json_string(&json, "b", c->asked[i].b);
        if (c->asked[i].first >= 0)
            dts_json_integer(&json, "points", c->asked[i].count);
        dts_json_end(&json);
    }
    dts_json_end(&json);
    put_points(&json, c);
    for (int s = 0; s < 2; s++) {
        dts_json_list(&json, s == 0 ? "only_a" : "only_b");
        for (int i = 0; i < c->side[s].point_count; i++)
            if (c->side[s].points[i].other < 0) {
                dts_json_object(&json, NULL);
                put_name(&json, &c->side[s].points[i]);
                dts_json_end(&json);
            }
        dts_json_end(&json);
    }
    dts_json_end(&json);
}
