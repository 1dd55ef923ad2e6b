/* table.h -- rows and columns as aligned text or CSV. The report decides what the columns are,
 * this decides how they look. Units are data: text shows "step [ms]", CSV "step_ms".
 */
#ifndef DTS_BASE_TABLE_H
#define DTS_BASE_TABLE_H

#include <stdbool.h>
#include <stdio.h>

struct dts_column {
    const char *title; // words for the text table; a newline begins another line: "exposed\n"
    const char *name;  // for CSV, without the unit: "exposed_comm"
    const char *unit;  // "s", "samples_per_s"; "": a bare number; NULL: words
    int digits;        // significant digits of the text table, none of the integer part lost
    double text_scale; // text shows number * text_scale; 0 means 1
    const char *text_unit; // unit of the text table; NULL: unit
    bool right;            // words are aligned right
    bool valued;           // words stand for numbers, which cells have, too, for who sorts
};

/* A word or a number, as the column's unit tells. NAN prints as "-" (CSV: empty). */
struct dts_cell {
    const char *word;
    double number;
};

/* How a table is printed: rows x columns cells, row after row. */
typedef void dts_table_printer(FILE *out, const struct dts_column *columns, int column_count,
                               const struct dts_cell *cells, int rows);

/* What a cell says in text; the caller frees it. */
char *dts_table_cell(const struct dts_column *column, const struct dts_cell *cell);

/* As a <table> of HTML, with the same words as in text. Cells with numbers have them as data-v,
 * for who sorts. */
void dts_table_print_html(FILE *out, const struct dts_column *columns, int column_count,
                          const struct dts_cell *cells, int rows);

/* Words are aligned left, numbers right. */
void dts_table_print_text(FILE *out, const struct dts_column *columns, int column_count,
                          const struct dts_cell *cells, int rows);

/* How many columns of characters the text takes. */
int dts_table_width(const struct dts_column *columns, int column_count,
                    const struct dts_cell *cells, int rows);

/* CSV, quoted as RFC 4180 says; lines end in "\n". Numbers have 9 significant digits and are
 * not scaled. A word that begins with =, +, - or @ gets an apostrophe in front. */
void dts_table_print_csv(FILE *out, const struct dts_column *columns, int column_count,
                         const struct dts_cell *cells, int rows);

#endif
