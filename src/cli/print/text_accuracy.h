/* text_accuracy.h -- what a training reaches in its epochs, batch by batch. */
#ifndef DTS_CLI_PRINT_TEXT_ACCURACY_H
#define DTS_CLI_PRINT_TEXT_ACCURACY_H

#include "answer/result.h"
#include "base/table.h"

/* A table with a row for each batch; nothing where no point has an accuracy. */
void dts_text_accuracy(const struct dts_report *report, dts_table_printer *print, FILE *out);

#endif
