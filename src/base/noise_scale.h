/* noise_scale.h -- the noise of gradients against their mean, from gradients of small and of
 * large batches (McCandlish et al. 2018, arXiv:1812.06162, section 2.2 and appendix A.1).
 *
 * The gradient g of b samples has the mean G and a covariance Sigma/b, so its expected square
 * is |G|^2 + tr(Sigma)/b. Squares of batches of b and of B > b samples give both, unbiased:
 *
 *     |G|^2     = (B |g_B|^2 - b |g_b|^2) / (B - b)
 *     tr(Sigma) = (|g_b|^2 - |g_B|^2) / (1/b - 1/B)
 *
 * The noise scale is tr(Sigma)/|G|^2, in samples. A step's quotient says nothing, since its
 * |G|^2 is often near 0 or below: both are averaged over steps, and the averages divided. But
 * averages of a whole training are those of its beginning, where gradients are ten times as
 * large and the noise scale is small. So the training is cut into stretches, and the mean of
 * their quotients counts, as in that paper.
 */
#ifndef DTS_BASE_NOISE_SCALE_H
#define DTS_BASE_NOISE_SCALE_H

#include <stddef.h>

/* Of one step; estimates of a single step may be negative. */
struct dts_noise_step {
    long step;                      // since the beginning of the training
    double trace, gradient_squared; // estimates of tr(Sigma) and of |G|^2
    double smoothed; // quotient of both, averaged until here; NAN: |G|^2 is not above 0
};

struct dts_noise_scale {
    double small, large;          // samples of the two batches, 0 < small < large
    struct dts_noise_step *steps; // owned
    size_t count, room;
    double trace, gradient_squared; // private: sums that fade
};

void dts_noise_free(struct dts_noise_scale *noise); // leaves it empty

/* The squared norm of a gradient of `small` samples (the mean over several such gradients), and
 * of that of `large` samples. Each step on its own: all steps have the same batches. */
void dts_noise_add(struct dts_noise_scale *noise, long step, double small_squared,
                   double large_squared);

/* A noise scale, and the 80 % interval from how much blocks of steps differ. */
struct dts_noise_ratio {
    double trace, gradient_squared; // averages over the steps
    double scale;                   // in samples; NAN: |G|^2 is not above 0
    double low, high;               // INFINITY: |G|^2 cannot be told from 0
    int stretches;                  // whose quotients were averaged
};

/* Of all steps: the mean over five stretches, or over as many fewer as leave each with a |G|^2
 * of twice its standard error; the interval is the mean +- t deviations. Of one stretch it is
 * that of Fieller's theorem. Of no step: NANs. */
struct dts_noise_ratio dts_noise_of_run(const struct dts_noise_scale *noise);

/* Of the end: one stretch, in which a step counts 0.99 times as much as the one behind it. What
 * changes in it counts as noise. */
struct dts_noise_ratio dts_noise_of_end(const struct dts_noise_scale *noise);

#endif
