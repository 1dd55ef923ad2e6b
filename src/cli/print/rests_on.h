/* rests_on.h -- what the points of a report rest on: the last heading of the text format. */
#ifndef DTS_CLI_PRINT_RESTS_ON_H
#define DTS_CLI_PRINT_RESTS_ON_H

#include "answer/result.h"

void dts_rests_on(const struct dts_report *report, FILE *out);

#endif
