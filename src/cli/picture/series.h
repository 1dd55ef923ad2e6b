/* series.h -- the points of an answer as lines of a picture: those of one strategy and setting,
 * fewest devices first. */
#ifndef DTS_CLI_PICTURE_SERIES_H
#define DTS_CLI_PICTURE_SERIES_H

#include "answer/result.h"
#include "cli/picture/draw.h"

enum { DTS_SERIES_NAME = 200, DTS_SERIES_SHOWN = 16, DTS_SERIES_LEGEND = 30 };

struct dts_series {
    char name[DTS_SERIES_NAME];       // strategy, setting: what tells it from the others
    const struct dts_result **points; // owned; the results are the report's
    int count;
};

/* Those that have a point with an answer, in the order of the report; at most DTS_SERIES_SHOWN.
 * Returns how many; *left_out is how many more there are. */
int dts_series_find(const struct dts_report *report, struct dts_series **series, int *left_out);
void dts_series_free(struct dts_series *series, int count);

/* Of the i-th: how its lines and its points are drawn. */
void dts_series_style(struct dts_draw *draw, int i, bool lines, bool points);

/* Tics of the x axis: the numbers of devices of all points, logarithmic. */
void dts_series_devices(struct dts_draw *draw, const struct dts_series *series, int count);

/* Do the points differ in the number of devices? */
bool dts_report_scales(const struct dts_report *report);

#endif
