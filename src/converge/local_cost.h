/* local_cost.h -- what local steps cost: samples to a target where ranks take the mean of their
 * weights after so many updates of their own (train/strategy/synchrony.h), over the samples of
 * ranks that sum gradients in each step.
 *
 * No law is known: it is what runs of a profile were measured to need, and between two numbers
 * of steps a line through them over the logarithm of that number. One local step without an
 * outer update costs nothing.
 */
#ifndef DTS_CONVERGE_LOCAL_COST_H
#define DTS_CONVERGE_LOCAL_COST_H

#include <stdbool.h>

struct dts_local_cost {
    int steps;
    double factor; // on the samples
    double within; // 80 % of runs have a factor within this factor of it; >= 1
    bool outer;    // with an outer update
    int batch;     // samples of a step of all ranks, where it was measured; 0: at any
};

enum { DTS_LOCAL_COSTS = 16 }; // of a profile

/* Fills *cost for so many local steps at a batch; false: nothing is known of them. `known`
 * ascend in their steps, those with an outer update apart, and those of each batch; they count
 * for batches within a factor of two of theirs. */
bool dts_local_cost_at(const struct dts_local_cost *known, int count, int steps, bool outer,
                       double batch, struct dts_local_cost *cost);

#endif
