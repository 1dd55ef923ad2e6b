/* staleness.h -- what late gradients cost: a gradient of weights that are tau updates old when
 * it is applied.
 *
 *     E(B, tau) = e_min (1 + (B (1 + c tau)/b_c)^g)^(1/g) = E(B (1 + c tau))
 *
 * The delay multiplies the least number of steps and not the noise term: a batch B whose
 * gradients are late counts as one of B (1 + c tau), as n workers of batch b that wait for
 * nobody are about as good as one batch n b. It costs nothing while that is far below b_c. The
 * steps are E(B, tau)/B, so they grow by the same factor as the training.
 *
 * c is 1, within a factor of two: on a noisy quadratic function it is 1.2, and no table of
 * trained networks is published. tau is sqrt(most mean) for a fixed learning rate, and the mean
 * where the rate is divided by one plus the delay (Koloskova et al. 2022, arXiv:2206.08307,
 * abstract). docs/convergence.md has the reasons.
 */
#ifndef DTS_CONVERGE_STALENESS_H
#define DTS_CONVERGE_STALENESS_H

#include "converge/forecast.h"
#include "converge/law.h"

/* Of the gradients of a training, in updates of the weights; both 0: none is late. */
struct dts_staleness {
    double mean, most;
};

/* c, and the factor to both ends of its 80 % interval. */
struct dts_staleness_cost {
    double c, factor;
};

extern const struct dts_staleness_cost dts_staleness_cost_assumed; // 1, 2

/* tau of a distribution, in updates. `adapted`: the rate is divided by one plus the delay. */
double dts_staleness_delay(const struct dts_staleness *staleness, bool adapted);

/* B (1 + c tau): the batch as which one of late gradients counts. */
double dts_staleness_batch(double batch, double delay, double c);

/* Steps with late gradients over steps without, by the law: 1 or more. */
double dts_staleness_factor(const struct dts_law *law, double batch, double delay, double c);

/* The forecast of a batch that late gradients make count as another, with the doubt about c:
 * `least` and `most` are the means at the ends of the interval of c. Both doubts are
 * independent. */
struct dts_forecast dts_staleness_widen(const struct dts_forecast *forecast, double least,
                                        double most);

#endif
