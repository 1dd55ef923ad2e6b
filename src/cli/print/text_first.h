/* text_first.h -- the answer in a sentence: the first line of the text format. */
#ifndef DTS_CLI_PRINT_TEXT_FIRST_H
#define DTS_CLI_PRINT_TEXT_FIRST_H

#include "answer/result.h"

void dts_text_first(const struct dts_report *report, FILE *out);

#endif
