/* width.h -- how many columns a person sees. */
#ifndef DTS_CLI_PRINT_WIDTH_H
#define DTS_CLI_PRINT_WIDTH_H

#include <stdio.h>

/* What the environment variable COLUMNS says, else the terminal; 80 for files and pipes. */
int dts_print_width(FILE *out);

#endif
