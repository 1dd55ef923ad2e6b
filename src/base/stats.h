/* stats.h -- statistics that one spike cannot move, and the expected maximum of n normals. */
#ifndef DTS_BASE_STATS_H
#define DTS_BASE_STATS_H

/* These sort `values` in place; count >= 1. */
double dts_median(double *values, int count);
double dts_quantile(double *values, int count, double q); // linear between order statistics

/* At x on the line through (a, at_a) and (b, at_b); at_a where a is b. */
double dts_on_line(double x, double a, double b, double at_a, double at_b);

/* The largest; 0 where all are below, or there are none (NULL). */
double dts_largest(const double *values, int count);

/* Median absolute deviation from the median, not scaled. Reorders `values`. */
double dts_mad(double *values, int count);

/* E[max of n independent standard normal numbers]; 0 for n = 1, 1.1630 for n = 5, 2.5076 for
 * n = 100. By numerical integration; error < 1e-6 for n up to 1e6. */
double dts_expected_maximum(int n);

#endif
