/* fair.h -- max-min fair rates (share.h), found anew only where a change reaches.
 *
 * All rates rise together from nothing. In each round the next link is full, or the next flow
 * at its most, and those that stop there have their rate; the rest rise on. From one question
 * to the next a flow or two come or go among hundreds, and hardly another one's rate changes.
 * So the rounds of the last question are gone through again. What is looked at are links that
 * another flow crosses than last time, or that one of theirs crosses at another time; those
 * that stop in a round for other links stop there as they did. Links that were not full have no
 * say: where they turn out to have no room for all rates, it is done once more with them.
 *
 * The answers are those of asking from nothing, bit for bit: what happens on a link is added up
 * in the same order, and where rates are so close that rounding decides who stops with whom
 * (1e-9), links are looked at whatever happened on them.
 */
#ifndef DTS_SIM_FLUID_FAIR_H
#define DTS_SIM_FLUID_FAIR_H

#include "sim/load/load.h"

struct dts_fair;

struct dts_fair *dts_fair_new(const struct dts_net *net);
void dts_fair_free(struct dts_fair *fair);

/* rates[i] becomes the bytes/s of the flow that costs[i] is of. Costs stay where and as they
 * are until none of them was in the last question. */
void dts_fair_find(struct dts_fair *fair, const struct dts_step_cost *const costs[], int count,
                   double rates[]);

#endif
