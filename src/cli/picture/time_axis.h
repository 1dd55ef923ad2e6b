/* time_axis.h -- a logarithmic axis of times, with tics that people count in. */
#ifndef DTS_CLI_PICTURE_TIME_AXIS_H
#define DTS_CLI_PICTURE_TIME_AXIS_H

#include "cli/picture/draw.h"
#include "cli/print/time_unit.h"

/* The unit of data between two times, and of the axis where `one`. Else they lie so far apart
 * that each tic has its own: "30 s", "10 min", "2 h". */
struct dts_time_axis {
    const struct dts_time_unit *unit;
    bool one;
    double low_s, high_s;
};

struct dts_time_axis dts_time_axis(double low_s, double high_s);

/* Sets the axis, "x" or "y", and its tics; without their names where another axis beside it has
 * them. */
void dts_time_axis_draw(struct dts_draw *draw, const char *axis,
                        const struct dts_time_axis *times, bool names);

/* Sets the label of that axis: "what [h]", or "what" where tics have units. */
void dts_time_axis_label(struct dts_draw *draw, const char *axis,
                         const struct dts_time_axis *times, const char *what);

#endif
