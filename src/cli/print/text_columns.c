/* text_columns.c -- cells of a table, and the choice of columns. */
#include "cli/print/text_columns.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/table.h"
#include "cli/print/text_notes.h"
#include "cli/print/time_unit.h"
#include "cli/print/width.h"

enum { CELL_ROOM = 64 }; // bytes of a setting, or of a time with its unit

double dts_text_largest(const struct dts_report *report, size_t offset)
{
    double most = 0;
    for (int i = 0; i < report->count; i++) {
        double value;
        memcpy(&value, (const char *)&report->points[i] + offset, sizeof(value));
        if (report->points[i].error.cause == DTS_NO_ERROR && fabs(value) > most)
            most = fabs(value);
    }
    return most;
}

bool dts_text_has_word(const struct dts_report *report, size_t offset)
{
    for (int i = 0; i < report->count; i++)
        if (((const char *)&report->points[i])[offset] != '\0')
            return true;
    return false;
}

/* 6.125: 6.12; 1281: 1281 */
static double three_digits(double number)
{
    struct dts_text text = {0};
    dts_text_add_significant(&text, number, 3);
    const double rounded = strtod(dts_text_string(&text), NULL);
    dts_text_free(&text);
    return rounded;
}

void dts_text_add_epochs(struct dts_text *text, double epochs)
{
    dts_text_add(text, "%.12g epoch%s", three_digits(epochs), epochs == 1 ? "" : "s");
}

bool dts_text_add_common_epochs(struct dts_text *text, const struct dts_report *report)
{
    double epochs = NAN;
    for (int i = 0; i < report->count; i++) {
        const double own = report->points[i].training.epochs;
        if (dts_result_refused(&report->points[i]) || !(own > 0))
            continue;
        if (isfinite(epochs) && own != epochs)
            return false;
        epochs = own;
    }
    if (!isfinite(epochs) || three_digits(epochs) != epochs)
        return false;
    dts_text_add_epochs(text, epochs);
    return true;
}

static struct dts_cell cell_of(const struct dts_text_column *column,
                               const struct dts_result *point)
{
    const char *at = (const char *)point + column->offset;
    struct dts_cell cell = {0};
    int count;
    switch (column->kind) {
    case DTS_TEXT_WORD:
        cell.word = at;
        break;
    case DTS_TEXT_COUNT:
        memcpy(&count, at, sizeof(count));
        cell.number = count > 0 ? count : NAN;
        break;
    case DTS_TEXT_NUMBER:
    case DTS_TEXT_STEP:
    case DTS_TEXT_TIME:
        memcpy(&cell.number, at, sizeof(cell.number));
        if (dts_result_refused(point))
            cell.number = NAN;
        break;
    }
    return cell;
}

static const struct dts_time_unit *unit_of(const struct dts_text_column *column, double seconds)
{
    return column->kind == DTS_TEXT_STEP ? dts_time_unit_step(seconds)
                                         : dts_time_unit_training(seconds);
}

/* Have the times of trainings of a table one unit? Else each has its own. Parts of a step are
 * compared with the step: they have its unit. */
static bool needs_own_units(const struct dts_report *report,
                            const struct dts_text_column *columns, int count)
{
    double least = INFINITY, most = 0;
    for (int c = 0; c < count; c++) {
        for (int i = 0; i < report->count && columns[c].kind == DTS_TEXT_TIME; i++) {
            const double seconds = cell_of(&columns[c], &report->points[i]).number;
            if (isfinite(seconds) && seconds > 0) {
                least = fmin(least, seconds);
                most = fmax(most, seconds);
            }
        }
    }
    return most > 0 && dts_time_unit_training(least) != dts_time_unit_training(most);
}

/* A table whose cells are made: column c of row r is cells[r * count + c]. */
struct table {
    struct dts_column *columns;
    struct dts_cell *cells;
    char (*words)[CELL_ROOM]; // of cells that are made here
    int count;
    bool own_units; // of the times of trainings
};

static void fill_column(const struct dts_report *report, const struct dts_text_column *source,
                        int c, double longest_step_s, struct table *table)
{
    const bool own = source->kind == DTS_TEXT_TIME && table->own_units;
    const double most = source->kind == DTS_TEXT_STEP
                            ? longest_step_s
                            : dts_text_largest(report, source->offset);
    struct dts_column *column = &table->columns[c];
    *column = (struct dts_column){.title = source->title,
                                  .name = source->title,
                                  .unit = source->kind == DTS_TEXT_WORD || own ? NULL : "",
                                  .digits = source->digits,
                                  .text_scale = source->scale,
                                  .text_unit = source->unit,
                                  .right = own};
    if (source->kind > DTS_TEXT_NUMBER && !own) {
        column->text_scale = unit_of(source, most)->scale;
        column->text_unit = unit_of(source, most)->name;
    }
    for (int r = 0; r < report->count; r++) {
        const int i = r * table->count + c;
        table->cells[i] = cell_of(source, &report->points[r]);
        if (own && isfinite(table->cells[i].number)) {
            const double seconds = table->cells[i].number;
            struct dts_text text = {0};
            dts_text_add_significant(&text, seconds * unit_of(source, seconds)->scale,
                                     source->digits);
            dts_text_add(&text, " %s", unit_of(source, seconds)->name);
            dts_text_copy(table->words[i], CELL_ROOM, dts_text_string(&text));
            dts_text_free(&text);
            table->cells[i].word = table->words[i];
        }
        if (source->offset == offsetof(struct dts_result, setting))
            table->cells[i].word =
                dts_text_setting(report->points[r].setting, table->words[i], CELL_ROOM);
    }
}

static struct table make(const struct dts_report *report, const struct dts_text_column *sources,
                         int count, bool text)
{
    const size_t cells = (size_t)count * (size_t)report->count;
    struct table table = {.columns = dts_alloc((size_t)count, sizeof(*table.columns)),
                          .cells = dts_alloc(cells, sizeof(*table.cells)),
                          .words = dts_alloc(cells, sizeof(*table.words)),
                          .count = count,
                          .own_units = text && needs_own_units(report, sources, count)};
    const double step_s = dts_text_largest(report, offsetof(struct dts_result, step.total_s));
    for (int c = 0; c < count; c++)
        fill_column(report, &sources[c], c, step_s, &table);
    return table;
}

static void release(struct table *table)
{
    free(table->columns);
    free(table->cells);
    free(table->words);
}

/* The column that goes first; -1: all are kept. */
static int least(const struct dts_text_column *columns, int count)
{
    int found = -1;
    for (int c = 0; c < count; c++)
        if (columns[c].rank > 0 && (found < 0 || columns[c].rank >= columns[found].rank))
            found = c;
    return found;
}

/* "exposed\ncomm\n" as words: "exposed comm", "strag-\ngler\n": "straggler". */
static void add_title(struct dts_text *text, const char *title)
{
    for (; *title != '\0'; title++) {
        if (*title == '-' && title[1] == '\n' && title[2] != '\0')
            title++;
        else if (*title != '\n')
            dts_text_add_bytes(text, title, 1);
        else if (title[1] != '\0')
            dts_text_add(text, " ");
    }
}

void dts_text_columns(const struct dts_report *report, struct dts_text_column *columns,
                      int count, dts_table_printer *print_table, FILE *out)
{
    const bool text = print_table == dts_table_print_text;
    const int width = text ? dts_print_width(out) : INT_MAX;
    struct dts_text dropped = {0};
    struct table table = make(report, columns, count, text);
    int drop;
    while (dts_table_width(table.columns, table.count, table.cells, report->count) > width &&
           (drop = least(columns, count)) >= 0) {
        if (dropped.length > 0)
            dts_text_add(&dropped, ", ");
        add_title(&dropped, columns[drop].title);
        memmove(&columns[drop], &columns[drop + 1],
                (size_t)(count - drop - 1) * sizeof(*columns));
        count--;
        release(&table);
        table = make(report, columns, count, text);
    }
    print_table(out, table.columns, table.count, table.cells, report->count);
    if (dropped.length > 0)
        dts_text_paragraph(out, "on a wider screen also: ", 2, dts_text_string(&dropped));
    dts_text_free(&dropped);
    release(&table);
}
