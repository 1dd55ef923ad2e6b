/* svg.h -- what gnuplot wrote as SVG, made fit for pages: marks say what they are on hover,
 * nothing runs, and several pictures share one document. */
#ifndef DTS_CLI_PICTURE_SVG_H
#define DTS_CLI_PICTURE_SVG_H

#include "cli/picture/draw.h"

/* `title` is the picture's for who cannot see it. `inside`: part of a page, without the XML
 * head, and names in it begin with this word; NULL: a file. */
void dts_svg_write(const char *svg, const struct dts_draw *draw, const char *title,
                   const char *inside, FILE *out);

#endif
