/* gossip.h -- AD-PSGD (Lian et al. 2018, arXiv:1710.06952, "Asynchronous Decentralized Parallel
 * Stochastic Gradient Descent"): ranks take the mean of their weights with one other's beside
 * their steps, and wait for no step of it.
 *
 * The first half of the ranks asks, the other half answers: in a graph of two sides nobody asks
 * who asks, so nobody waits in a circle. Who asks sends its weights behind an update, and gets
 * those of the other one while it computes the next step, whose update begins with their mean.
 * Who answers takes the mean when the weights are there, whatever its own step does, and sends
 * back what it had; its own updates are of the weights of that moment:
 *
 *     asks     compute  fwd | bwd | average | update | fwd | bwd | average | update |
 *              push                         | give | take |
 *     answers  compute  fwd | bwd | update | fwd | bwd | update |
 *              push     ...................  hear | mix | tell | ........
 *
 * With h ranks on each side, rank a asks rank h + (a + d) mod h; d is 0, 1, 3, 7, ... below h,
 * each time the next one: the exponential graph of two sides (Assran et al. 2019,
 * arXiv:1811.10792). Device 2 a asks, device 2 a + 1 answers.
 */
#ifndef DTS_TRAIN_STRATEGY_GOSSIP_H
#define DTS_TRAIN_STRATEGY_GOSSIP_H

#include "train/strategy/synchrony.h"

/* Buffers of the plan behind gradients and weights, of as many values in fp32: the weights that
 * who asks gets; those that who answers gets of its t-th neighbour, DTS_MET + t. */
enum { DTS_MET = 2 };

/* How many neighbours each has, of so many ranks. */
int dts_gossip_turns(int ranks);

/* Refuses keys that cannot act, and points without two sides. */
bool dts_gossip_check_keys(const struct dts_synchrony *synchrony, const struct dts_cfg *at,
                           struct dts_error *err);
bool dts_gossip_check(const struct dts_point *point, struct dts_error *err);

/* The job of a point with two devices or more. */
void dts_gossip_build(const struct dts_synchrony *synchrony, const struct dts_point *point,
                      struct dts_job *job);

/* The device of a rank; of points whose ranks do not ask, too. */
int dts_gossip_device_of(const struct dts_point *point, int rank);

/* Bytes that who answers keeps beside weights, gradients and state: the weights that others
 * change, and those of each neighbour that are on their way. */
double dts_gossip_bytes(const struct dts_point *point);

#endif
