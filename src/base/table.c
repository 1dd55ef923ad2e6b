/* table.c -- cells as aligned text and as CSV. */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/table.h"
#include "base/text.h"

enum { WORD_BYTES = 200 };

char *dts_table_cell(const struct dts_column *column, const struct dts_cell *cell)
{
    struct dts_text text = {0};
    double scale = column->text_scale != 0 ? column->text_scale : 1;
    if (column->unit == NULL && cell->word != NULL)
        dts_text_add_cut(&text, cell->word, WORD_BYTES);
    else if (column->unit == NULL || isnan(cell->number))
        dts_text_add(&text, "-");
    else if (isinf(cell->number))
        dts_text_add(&text, cell->number > 0 ? "inf" : "-inf");
    else
        dts_text_add_significant(&text, cell->number * scale, column->digits);
    return dts_text_take(&text);
}

static int line_count(const char *title)
{
    int lines = 1;
    for (; *title != '\0'; title++)
        lines += *title == '\n';
    return lines;
}

/* One line of a title, counted from its last, 0; "" above its first. */
static char *title_of(const struct dts_column *column, int above_last)
{
    struct dts_text text = {0};
    const char *unit = column->text_unit != NULL ? column->text_unit : column->unit;
    const char *line = column->title;
    int after = line_count(line) - 1 - above_last; // newlines before the line
    for (int i = 0; i < after; i++)
        line = strchr(line, '\n') + 1;
    if (after >= 0)
        dts_text_add_bytes(&text, line, strcspn(line, "\n"));
    if (above_last == 0 && unit != NULL && *unit != '\0')
        dts_text_add(&text, "%s[%s]", text.length > 0 ? " " : "", unit);
    return text.chars != NULL ? dts_text_take(&text) : dts_copy("");
}

/* Characters of UTF-8, not bytes. */
static int width_of(const char *string)
{
    int width = 0;
    for (; *string != '\0'; string++)
        width += (*string & 0xC0) != 0x80;
    return width;
}

static void print_cell(FILE *out, const char *string, int width, bool left, bool last)
{
    int padding = width - width_of(string);
    if (!left && !(last && *string == '\0'))
        fprintf(out, "%*s", padding, "");
    fputs(string, out);
    if (left && !last)
        fprintf(out, "%*s", padding, "");
    fputs(last ? "\n" : "  ", out);
}

/* The table as strings: the lines of the titles, then row after row. */
struct laid {
    char **strings;
    int *widths;
    size_t columns, count;
};

static struct laid lay(const struct dts_column *columns, int column_count,
                       const struct dts_cell *cells, int rows)
{
    int lines = 0; // of the titles
    for (int c = 0; c < column_count; c++)
        if (line_count(columns[c].title) > lines)
            lines = line_count(columns[c].title);
    const size_t width = (size_t)column_count, titles = width * (size_t)lines;
    struct laid laid = {.columns = width, .count = titles + width * (size_t)rows};
    laid.strings = dts_alloc(laid.count, sizeof(*laid.strings));
    laid.widths = dts_alloc(width, sizeof(*laid.widths));
    for (size_t i = 0; i < laid.count; i++) {
        const size_t c = i % width;
        laid.strings[i] = i < titles ? title_of(&columns[c], lines - 1 - (int)(i / width))
                                     : dts_table_cell(&columns[c], &cells[i - titles]);
        if (width_of(laid.strings[i]) > laid.widths[c])
            laid.widths[c] = width_of(laid.strings[i]);
    }
    return laid;
}

static void release(struct laid *laid)
{
    for (size_t i = 0; i < laid->count; i++)
        free(laid->strings[i]);
    free(laid->strings);
    free(laid->widths);
}

int dts_table_width(const struct dts_column *columns, int column_count,
                    const struct dts_cell *cells, int rows)
{
    struct laid laid = lay(columns, column_count, cells, rows);
    int width = 0;
    for (size_t c = 0; c < laid.columns; c++)
        width += laid.widths[c] + (c > 0 ? 2 : 0);
    release(&laid);
    return width;
}

void dts_table_print_text(FILE *out, const struct dts_column *columns, int column_count,
                          const struct dts_cell *cells, int rows)
{
    struct laid laid = lay(columns, column_count, cells, rows);
    for (size_t row = 0; row < laid.count; row += laid.columns) {
        size_t last = laid.columns - 1;
        while (last > 0 && laid.strings[row + last][0] == '\0')
            last--;
        for (size_t c = 0; c <= last; c++)
            print_cell(out, laid.strings[row + c], laid.widths[c],
                       columns[c].unit == NULL && !columns[c].right, c == last);
    }
    release(&laid);
}

/* A spreadsheet would compute what begins like a formula, whoever wrote it: the apostrophe
 * tells it that this is text. */
static void print_quoted(FILE *out, const char *word)
{
    const char *mark = *word != '\0' && strchr("=+-@", *word) != NULL ? "'" : "";
    if (strpbrk(word, ",\"\r\n") == NULL) {
        fprintf(out, "%s%s", mark, word);
        return;
    }
    fprintf(out, "\"%s", mark);
    for (; *word != '\0'; word++) {
        if (*word == '"')
            fputc('"', out);
        fputc(*word, out);
    }
    fputc('"', out);
}

static void print_csv_cell(FILE *out, const struct dts_column *column,
                           const struct dts_cell *cell)
{
    if (column->unit != NULL && !isnan(cell->number))
        fprintf(out, "%.9g", cell->number);
    else if (column->unit == NULL && cell->word != NULL)
        print_quoted(out, cell->word);
}

void dts_table_print_csv(FILE *out, const struct dts_column *columns, int column_count,
                         const struct dts_cell *cells, int rows)
{
    for (int c = 0; c < column_count; c++) {
        bool has_unit = columns[c].unit != NULL && *columns[c].unit != '\0';
        fprintf(out, "%s%s%s%s", c > 0 ? "," : "", columns[c].name, has_unit ? "_" : "",
                has_unit ? columns[c].unit : "");
    }
    fputc('\n', out);
    for (int r = 0; r < rows; r++) {
        for (int c = 0; c < column_count; c++) {
            if (c > 0)
                fputc(',', out);
            print_csv_cell(out, &columns[c],
                           &cells[(size_t)r * (size_t)column_count + (size_t)c]);
        }
        fputc('\n', out);
    }
}
