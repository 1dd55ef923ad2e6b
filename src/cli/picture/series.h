/* series.h -- the points of an answer as lines of a picture: those of one strategy and setting,
 * fewest devices first. */
#ifndef DTS_CLI_PICTURE_SERIES_H
#define DTS_CLI_PICTURE_SERIES_H

#include "answer/result.h"
#include "cli/picture/draw.h"

enum { DTS_SERIES_NAME = 200, DTS_SERIES_SHOWN = 16 };

struct dts_series {
    char name[DTS_SERIES_NAME];       // strategy, setting: what tells it from the others
    char keys[DTS_SERIES_NAME];       // of what the values in all names are; "": names say it
    const struct dts_result **points; // owned; the results are the report's
    int count;
};

/* Those that have a point with an answer, in the order of the report; at most DTS_SERIES_SHOWN.
 * Returns how many; *more: there are further ones. */
int dts_series_find(const struct dts_report *report, struct dts_series **series, bool *more);
void dts_series_free(struct dts_series *series, int count);

/* Of the i-th: how its lines and its points are drawn. */
void dts_series_style(struct dts_draw *draw, int i, bool lines, bool points);

/* What was published for a point, in a metric of references; NAN: nothing. */
double dts_series_published(const struct dts_result *point, const char *metric);

/* How what was published is drawn. */
#define DTS_SERIES_PUBLISHED "pointtype 4 pointsize 1.3 linewidth 2 linecolor rgb \"#000000\""

/* Where lines end and their legend begins, in parts of the picture, and its letters. */
#define DTS_SERIES_EDGE "0.73"
#define DTS_SERIES_KEY  "0.745"
#define DTS_SERIES_FONT "font \",10\""

/* Says how many points have no place in the picture, as no answer is known. */
void dts_series_refused(struct dts_draw *draw, const struct dts_report *report);

/* Says above the legend what the values in its names are of. */
void dts_series_keys(struct dts_draw *draw, const struct dts_series *series, int count);

/* Adds the name as that legend has room for it. */
void dts_series_word(struct dts_draw *draw, const char *name);

/* Says that there are further ones. */
void dts_series_more(struct dts_draw *draw, bool more);

/* Ends a plot with the names of all series, and of what was published. */
void dts_series_legend(struct dts_draw *draw, const struct dts_series *series, int count,
                       bool published);

/* Tics of the x axis, which has room for so many: the numbers of devices of all points. */
void dts_series_devices(struct dts_draw *draw, const struct dts_series *series, int count,
                        int room);

/* Do the points differ in the number of devices? */
bool dts_report_scales(const struct dts_report *report);

#endif
