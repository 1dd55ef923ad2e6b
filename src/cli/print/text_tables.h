/* text_tables.h -- the tables of an answer, for the text and for pages. */
#ifndef DTS_CLI_PRINT_TEXT_TABLES_H
#define DTS_CLI_PRINT_TEXT_TABLES_H

#include "answer/result.h"
#include "base/table.h"

/* A row for each point: its step, throughput, efficiency. */
void dts_text_points(const struct dts_report *report, dts_table_printer *print_table,
                     FILE *out);

/* The time to a target, with the interval that 80 % of runs lie in; nothing where there is
 * none.
 */
void dts_text_targets(const struct dts_report *report, dts_table_printer *print_table,
                      FILE *out);

/* In words, which points reach the target first and at the least cost. */
void dts_text_frontier(const struct dts_report *report, FILE *out);

#endif
