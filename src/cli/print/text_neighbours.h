/* text_neighbours.h -- the other jobs on the machine, one entry a line. */
#ifndef DTS_CLI_PRINT_TEXT_NEIGHBOURS_H
#define DTS_CLI_PRINT_TEXT_NEIGHBOURS_H

#include "answer/result.h"
#include "base/table.h"

/* Nothing where no point has neighbours. */
void dts_text_neighbours(const struct dts_report *report, dts_table_printer *print, FILE *out);

#endif
