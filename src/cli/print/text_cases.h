/* text_cases.h -- what was published beside what is predicted, case by case. */
#ifndef DTS_CLI_PRINT_TEXT_CASES_H
#define DTS_CLI_PRINT_TEXT_CASES_H

#include "answer/result.h"
#include "base/table.h"

/* A table with a row for each case of a list; nothing for another report. */
void dts_text_cases(const struct dts_report *report, dts_table_printer *print, FILE *out);

#endif
