/* gnuplot.h -- the program that draws: started without a shell, its script in a folder of our
 * own.
 */
#ifndef DTS_CLI_PICTURE_GNUPLOT_H
#define DTS_CLI_PICTURE_GNUPLOT_H

#include "cli/picture/draw.h"

enum dts_terminal { DTS_TERMINAL_SVG, DTS_TERMINAL_PNG, DTS_TERMINAL_PDF };

/* Is it here? DTS_UNSUPPORTED names the package. */
bool dts_gnuplot_check(struct dts_error *err);

/* The whole script, for a terminal that writes to standard output. */
void dts_gnuplot_script(const struct dts_draw *draw, enum dts_terminal terminal,
                        struct dts_text *script);

/* Draws; adds the bytes of the picture. */
bool dts_gnuplot_draw(const struct dts_draw *draw, enum dts_terminal terminal,
                      struct dts_text *picture, struct dts_error *err);

#endif
