/* bars.h -- a bar for each point, of parts that lie end to end. */
#ifndef DTS_CLI_PICTURE_BARS_H
#define DTS_CLI_PICTURE_BARS_H

#include "answer/result.h"
#include "cli/picture/draw.h"

struct dts_bar_part {
    const char *name, *colour;
    double (*value)(const struct dts_result *point); // not negative; NAN counts as 0
};

struct dts_bars {
    const char *title;
    const struct dts_bar_part *parts;                // ended by .name NULL
    double (*total)(const struct dts_result *point); // NAN: the point has no bar
    const char *unit;                                // of the axis: "ms"
    double scale;                                    // values times it are in the unit
};

/* Bars from the top in the order of the report; those that there is no room for are counted. */
void dts_bars_draw(struct dts_draw *draw, const struct dts_report *report,
                   const struct dts_bars *bars);

/* The largest total; NAN: no point has one. */
double dts_bars_largest(const struct dts_report *report,
                        double (*total)(const struct dts_result *point));

#endif
