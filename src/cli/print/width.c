/* width.c -- asks the environment, then the terminal. */
#include "cli/print/width.h"

#include <stdlib.h>

#include "base/os/file.h"
#include "base/os/terminal.h"

enum { PIPE = 80, LEAST = 40, MOST = 1000 };

int dts_print_width(FILE *out)
{
    const char *word = getenv("COLUMNS");
    const long said = word != NULL ? strtol(word, NULL, 10) : 0;
    const int terminal =
        said > 0 && said <= MOST ? (int)said : dts_terminal_columns(dts_output_file(out));
    return terminal == 0 ? PIPE : terminal < LEAST ? LEAST : terminal;
}
