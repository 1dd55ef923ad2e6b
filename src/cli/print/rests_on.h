/* rests_on.h -- what the points of a report rest on: the end of the text format. */
#ifndef DTS_CLI_PRINT_RESTS_ON_H
#define DTS_CLI_PRINT_RESTS_ON_H

#include "answer/result.h"

void dts_rests_on(const struct dts_report *report, FILE *out);

/* What is to be doubted, then the rest in a line. */
void dts_rests_on_shortly(const struct dts_report *report, FILE *out);

#endif
