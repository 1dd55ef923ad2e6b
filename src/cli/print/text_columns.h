/* text_columns.h -- tables of the text format: a column is a member of the results, and those
 * that matter least are left out where the table would be wider than the screen. */
#ifndef DTS_CLI_PRINT_TEXT_COLUMNS_H
#define DTS_CLI_PRINT_TEXT_COLUMNS_H

#include "answer/result.h"
#include "base/table.h"
#include "base/text.h"

/* Where the cell of a column comes from. */
enum dts_text_kind {
    DTS_TEXT_WORD,   // char[]
    DTS_TEXT_COUNT,  // int; 0: absent
    DTS_TEXT_NUMBER, // double, as are those behind it
    DTS_TEXT_STEP,   // seconds of a step, in a unit for each cell where one for all does not do
    DTS_TEXT_TIME,   // the same of a training
};

struct dts_text_column {
    const char *title;
    size_t offset; // in struct dts_result
    enum dts_text_kind kind;
    const char *unit; // DTS_TEXT_NUMBER: as the table shows it
    double scale;
    int digits;
    bool always; // else only when it is not 0 in some point
    int rank;    // 0: always kept; the highest goes first where there is no room
};

double dts_text_largest(const struct dts_report *report, size_t offset);
bool dts_text_has_word(const struct dts_report *report, size_t offset);

/* Adds "90 epochs", "6.12 epochs": three digits, none of the integer part lost. */
void dts_text_add_epochs(struct dts_text *text, double epochs);

/* The same of what the trainings of all points are. Adds nothing, and returns false, where they
 * differ, there are none, or nobody asked for such a number: three digits do not say it. */
bool dts_text_add_common_epochs(struct dts_text *text, const struct dts_report *report);

/* Print the columns; as text those that fit, and below them which do not. */
void dts_text_columns(const struct dts_report *report, struct dts_text_column *columns,
                      int count, dts_table_printer *print_table, FILE *out);

#endif
