/* text_phases.h -- the phases of trainings, one a line. */
#ifndef DTS_CLI_PRINT_TEXT_PHASES_H
#define DTS_CLI_PRINT_TEXT_PHASES_H

#include "answer/result.h"
#include "base/table.h"

/* Prints nothing where no point has any. */
void dts_text_phases(const struct dts_report *report, dts_table_printer *print, FILE *out);

#endif
