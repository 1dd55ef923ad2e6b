/* picture.h -- a picture of one answer. */
#ifndef DTS_CLI_PICTURE_PICTURE_H
#define DTS_CLI_PICTURE_PICTURE_H

#include "cli/picture/plot.h"

/* The picture of one kind as SVG, part of a page: `name` begins the names in it. */
bool dts_picture_inside(const struct dts_report *report, const struct dts_plot *plot,
                        const struct dts_drawing *drawing, const char *name, FILE *out,
                        struct dts_error *err);

/* What was drawn, as the format svg, png, pdf or gp has it; `name` is the kind of picture,
 * `title` is for who cannot see it. */
bool dts_picture_write(const struct dts_draw *draw, const struct dts_format *format,
                       const char *name, const char *title, FILE *out, struct dts_error *err);

#endif
