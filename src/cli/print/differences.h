/* differences.h -- two results side by side, as text and as JSON. */
#ifndef DTS_CLI_PRINT_DIFFERENCES_H
#define DTS_CLI_PRINT_DIFFERENCES_H

#include <stdio.h>

#include "answer/compare/compare.h"

/* `a` and `b` are the files, as the command line named them. */
void dts_differences_text(const struct dts_compare *compare, const char *a, const char *b,
                          FILE *out);

/* One object, schema "dtsim-compare/1". */
void dts_differences_json(const struct dts_compare *compare, const char *a, const char *b,
                          FILE *out);

#endif
