/* noise_law.h -- the critical batch of a benchmark that nobody trained at several batches, from
 * the noise of its gradients.
 *
 *     b_c = scale/2.5, times or over 3.4 (80 %)         g = 1.1
 *     E(B) = e_min (1 + (B/b_c)^g)^(1/g)                e_min from one run at a small batch
 *
 * scale is B_simple = tr(Sigma)/|G|^2 (McCandlish et al. 2018, arXiv:1812.06162), averaged over
 * a run until its target. 2.5 is the geometric mean of scale over critical batch of the three
 * published classifiers and language models; 3.4 is what three such quotients leave open about
 * a fourth: exp(t sd sqrt(1 + 1/3)), sd of their logs, t = 1.886 of two degrees of freedom.
 * Autoencoders are another matter, and so are trainings at a constant rate that is the largest
 * good one (docs/convergence.md).
 */
#ifndef DTS_CONVERGE_NOISE_LAW_H
#define DTS_CONVERGE_NOISE_LAW_H

#include <stdbool.h>

#include "converge/forecast.h"
#include "converge/law.h"

#define DTS_NOISE_RATIO  2.5
#define DTS_NOISE_FACTOR 3.4
#define DTS_NOISE_G      1.1

/* A benchmark of which both are known, in samples (tokens of the language model). */
struct dts_noise_row {
    const char *name, *kind;
    double scale, critical_batch;
    bool basis; // the quotient rests on it
    const char *source;
};

extern const struct dts_noise_row dts_noise_rows[]; // ended by .name NULL

/* Its critical batch from its noise scale. A row of the basis is left out of the quotient. */
struct dts_noise_left_out {
    double ratio; // scale over critical batch, of the others
    double predicted, low, high;
    bool covered;
};
struct dts_noise_left_out dts_noise_leave_out(const struct dts_noise_row *row);

/* One run, at a small batch, and the noise scale of its gradients: what is known. In samples.
 */
struct dts_noise_run {
    double scale, batch, samples;
};

/* The law that goes through the run, with b_c so many times scale/2.5. */
struct dts_law dts_noise_law(const struct dts_noise_run *run, double times);

/* What a run at another batch needs; the interval is that of b_c alone. */
struct dts_forecast dts_noise_predict(const struct dts_noise_run *run, double batch);

#endif
