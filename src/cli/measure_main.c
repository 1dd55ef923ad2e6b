/* measure_main.c -- dtsim-measure FILE: measures this machine's CPU into a device file. dtsim
 * starts it for the device `here`. */
#include <stdio.h>
#include <unistd.h>

#include "base/file.h"
#include "kernels/roofline.h"

static void say(const char *what)
{
    if (isatty(STDERR_FILENO))
        fprintf(stderr, "measuring this machine: %s ...\n", what);
}

int main(int count, char **words)
{
    const double budget_s = 2; // of each of four measurements
    struct dts_error err = {0};
    struct dts_roofline_words room;
    struct dts_roofline roofline;
    struct dts_output out;
    if (count != 2) {
        fprintf(stderr, "usage: dtsim-measure FILE\n");
        return DTS_BAD_INPUT;
    }
    bool good = dts_roofline_measure(&roofline, &room, budget_s, say, &err) &&
                dts_output_open(&out, words[1], &err);
    if (good) {
        dts_here_print(&roofline, out.stream);
        good = dts_output_close(&out, &err);
    }
    if (!good)
        fprintf(stderr, "dtsim-measure: %s\n", err.text);
    return good ? 0 : (int)err.cause;
}
