/* synchrony.h -- when the ranks of data-parallel training meet, if not in each step with the
 * gradients of that step.
 *
 *     local_steps H     Local SGD (Stich 2018, arXiv:1805.09767): each rank updates its own
 *                       weights with its own gradients, and after each H-th update all take
 *                       the mean of their weights.
 *     local_after S     Post-local SGD (Lin et al. 2018, arXiv:1808.07217): the first S steps
 *                       sum gradients.
 *     outer_rate        DiLoCo (Douillard et al. 2023, arXiv:2311.08105): what the mean of the
 *                       weights moved by since the last time is the gradient of an outer
 *                       update by SGD with Nesterov's momentum (kernels/update/nesterov.c).
 *     average pairs     Gossip: the mean of two ranks alone, synchronously. The pairs are the
 *                       edges of a hypercube, one dimension each time (D-PSGD, Lian et al.
 *                       2017, arXiv:1705.09056, on the one-peer hypercube of Ying et al. 2021,
 *                       arXiv:2110.13363).
 *     average           AD-PSGD (Lian et al. 2018, arXiv:1710.06952): the mean of two ranks,
 *     asynchronous_pairs  beside the next step, by ranks that ask and others that answer
 *                       (gossip.h).
 *     delay 1           The exchange of a step's gradients takes until the end of the next
 *                       step, whose update uses them (delayed SGD, Langford et al. 2009).
 *     delay_first N,    The same of the N layers with parameters nearest the input or the
 *     delay_last N      output alone: others are in time (delay.h).
 *
 *     local   compute  fwd | bwd | update | fwd | bwd | update |                     | average
 *             data                                            | all-reduce of weights |
 *     delay   compute  fwd | bwd | update | fwd | bwd | update |
 *             data                         | all-reduce |
 */
#ifndef DTS_TRAIN_STRATEGY_SYNCHRONY_H
#define DTS_TRAIN_STRATEGY_SYNCHRONY_H

#include "train/strategy/build.h"
#include "train/strategy/coll_choice.h"
#include "train/strategy/synchrony_keys.h"

/* Names of ways to average: "all", "pairs", "asynchronous_pairs"; NULL at the end. */
const char *dts_synchrony_average(int i);

/* Refuses keys that cannot act, and fills in what follows. */
bool dts_synchrony_prepare(struct dts_synchrony *synchrony, const struct dts_cfg *at,
                           struct dts_error *err);

/* The name of a strategy that sums by that algorithm: "ring_local_16". */
void dts_synchrony_name(const struct dts_synchrony *synchrony, const char *algorithm,
                        char *name, size_t room);

/* Refuses a point whose ranks cannot go so. */
bool dts_synchrony_check(const struct dts_synchrony *synchrony, const struct dts_point *point,
                         struct dts_error *err);

/* Does a step exchange its own gradients, or some of them, while backward computes? */
bool dts_synchrony_sums(const struct dts_synchrony *synchrony);

/* The steps in which gradients are exchanged. */
struct dts_when dts_synchrony_gradients(const struct dts_synchrony *synchrony);

/* What ranks that train alone have and meet with. */
struct dts_own_weights {
    struct dts_members members;   // who takes the mean; of one: nothing travels
    const struct dts_span *spans; // of the weights, in fp32: what travels together; borrowed
    int count;
    double parameters; // of a rank
};

/* Adds the all-reduces of weights behind the update, which is the last operation, and what is
 * done with their sums, which is the last one then. */
bool dts_synchrony_average_weights(const struct dts_synchrony *synchrony,
                                   const struct dts_coll_choice *choice,
                                   const struct dts_point *point, struct dts_plan *plan,
                                   const struct dts_own_weights *alone, struct dts_error *err);

/* Seconds of a call that goes once through memory, for so many values and operations of each of
 * so many parameters. */
double dts_synchrony_seconds(const struct dts_point *point, double parameters, double values,
                             double flops);

/* That of a point's strategy; of one that knows no other all are zero: ranks meet in each step.
 */
const struct dts_synchrony *dts_point_synchrony(const struct dts_point *point);

/* Do ranks make updates of their own in that step? */
static inline bool dts_synchrony_is_local(const struct dts_synchrony *synchrony, long step)
{
    return synchrony->local_steps > 0 && step >= synchrony->local_after;
}

/* Of each weight, for an outer update: that of the last one, and a momentum. */
static inline size_t dts_synchrony_outer_bytes(const struct dts_synchrony *synchrony)
{
    return synchrony->outer ? 2 * sizeof(float) : 0;
}

/* Bytes that a device keeps beside what it keeps in any case: the weights of the last outer
 * update and its momentum; gradients that are under way. */
double dts_synchrony_bytes(const struct dts_synchrony *synchrony,
                           const struct dts_point *point);

#endif
