/* when.h -- operations of a plan that do not act in every step.
 */
#ifndef DTS_PLAN_WHEN_H
#define DTS_PLAN_WHEN_H

#include <stdbool.h>

/* The steps in which an operation acts, of those of a training, counted from 0: `from` and
 * later ones, before `until` (0: without end), that leave a remainder of `at` when divided by
 * `every`. All zero: each step. In any other step the operation is left out, and who waits for
 * it does not wait. */
struct dts_when {
    int every, at;
    long from, until;
};

static inline bool dts_when_acts(const struct dts_when *when, long step)
{
    return step >= when->from && (when->until == 0 || step < when->until) &&
           (when->every <= 1 || step % when->every == when->at);
}

/* The share of all steps, in the long run. */
static inline double dts_when_share(const struct dts_when *when)
{
    return when->until > 0 ? 0 : when->every > 1 ? 1.0 / when->every : 1;
}

#endif
