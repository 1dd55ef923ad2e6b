/* law.h -- how much training a target needs as a function of the global batch.
 *
 *     E(B) = e_min (1 + (B/b_c)^g)^(1/g)         steps S(B) = E(B)/B
 *
 * E is in the unit of the profile (epochs, samples, tokens), B in samples of a step. With g = 1
 * it is the law of McCandlish 2018 (arXiv:1812.06162): (S/S_min - 1)(E/e_min - 1) = 1, where
 * S_min = e_min/b_c is the least number of steps. g = 2 has a smooth floor, and with g growing
 * it becomes max(e_min, e_min B/b_c). docs/convergence.md has the reasons.
 */
#ifndef DTS_CONVERGE_LAW_H
#define DTS_CONVERGE_LAW_H

struct dts_law {
    double e_min; // unit of the profile: the limit of small batches
    double b_c;   // samples of a step, where the limits of small and large batches cross
    double g;     // sharpness of the bend; no unit
};

/* Training that a well tuned run needs at a batch, before evaluations round it up. */
double dts_law_at(const struct dts_law *law, double batch);

/* The batch at which `extra` times more training is needed than at the least: E = (1 + extra)
 * e_min. Both definitions of "critical" come from it: DTS_LAW_TWICE is the batch that takes
 * twice the least number of steps when g is 1 (McCandlish), DTS_LAW_FIFTH the one with 20 %
 * overhead (Zhang 2024, arXiv:2410.21676). */
double dts_law_batch(const struct dts_law *law, double extra);

#define DTS_LAW_TWICE 1.0
#define DTS_LAW_FIFTH 0.2

/* "perfect": below the 20 % batch, steps fall as the batch grows. "diminishing": up to twice
 * the least training. "maximal": above. */
const char *dts_law_region(const struct dts_law *law, double batch);

/* What a log shows of a need: a run is evaluated every `interval`, and it is over at the first
 * evaluation at or after its need, which is normal with mean `need` and standard deviation
 * cv * need. The mean is sum over i >= 0 of interval * P(X > i interval); need + interval/2
 * where seeds spread over more than an interval. Interval 0: the need itself. */
double dts_law_seen(double need, double cv, double interval);

#endif
