/* parts_fit.h -- what a call's time is made of, told from calls that were measured.
 *
 * The time of a call is a sum of parts, each a number of seconds at the rates of the device,
 * times multiples that calls of a kind have in common. The multiples are those whose sums tell
 * the measured times best: weighted least squares of ln(told / measured), none of them
 * negative. One that the measured calls do not tell stays near the usual one, the weighted mean
 * of what their times are of their parts' sums (a ridge of 0.3 of the part's own square,
 * ASSUMED).
 */
#ifndef DTS_DEVICE_PARTS_FIT_H
#define DTS_DEVICE_PARTS_FIT_H

enum { DTS_PARTS = 4 };

struct dts_parts_row {
    double parts[DTS_PARTS]; // seconds, >= 0, not all 0
    double seconds;          // measured, > 0
    double weight;           // > 0
};

/* Seconds of what has these parts, as told by the rows (one at least); within the multiples of
 * the parts' sum that were measured. */
double dts_parts_seconds(const struct dts_parts_row *rows, int count,
                         const double asked[DTS_PARTS]);

double dts_parts_sum(const double parts[DTS_PARTS]);

#endif
