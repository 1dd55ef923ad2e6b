/* pace_slope.h -- how the seconds of a piece of work follow the machine's pace. */
#ifndef DTS_BASE_MEASURE_PACE_SLOPE_H
#define DTS_BASE_MEASURE_PACE_SLOPE_H

/* The power of the pace that seconds go with, from runs and the paces around each: 0 what does
 * not feel the neighbour (it waits for memory), 1 what is as slow as the pace. Between 0 and
 * 1.2. The median of the slopes between all pairs of runs in logarithms, each counted by how
 * far apart its paces are (Theil 1950; Sen 1968; the weights: Jaeckel 1972), so that no spike
 * moves it; 0 where paces hardly differ. All > 0. */
double dts_pace_slope(const double *seconds, const double *paces, int count);

#endif
