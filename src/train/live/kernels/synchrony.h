/* synchrony.h -- what ranks do that do not sum gradients in each step
 * (train/strategy/synchrony.h): updates of their own, means of weights, outer updates,
 * gradients of the step before.
 */
#ifndef DTS_TRAIN_LIVE_KERNELS_SYNCHRONY_H
#define DTS_TRAIN_LIVE_KERNELS_SYNCHRONY_H

#include "train/live/kernels/rank.h"

/* Fails where a rank cannot train so. A rank whose gradients are summed in each step has
 * nothing to do here: all that follows does nothing then. Before the mirrors are opened. */
bool dts_live_synchrony_open(struct dts_live_kernels *kernels, struct dts_error *err);
void dts_live_synchrony_close(struct dts_live_kernels *kernels);

/* Are the weights of the network a buffer of the plan, and its gradients? Not those of which
 * tables are left out there (tables/served.h). */
bool dts_live_weights_travel(const struct dts_live_kernels *kernels);
bool dts_live_gradients_travel(const struct dts_live_kernels *kernels);

/* Have replicas weights of their own between steps? */
bool dts_live_trains_alone(const struct dts_live_kernels *kernels);

/* Among how many ranks the gradients of a step are summed. */
int dts_live_summed_ranks(const struct dts_live_kernels *kernels, long step);

/* The optimizer of a rank that has all weights: of those whose gradients are in time. */
struct dts_optimizer_run;
bool dts_live_synchrony_optimizer(struct dts_live_kernels *kernels,
                                  struct dts_optimizer_run **run, struct dts_error *err);

/* Before the update of a step: puts in the place of the network's gradients those that it is
 * made with. Returns the step that they are of; -1: none are there yet, and the update is left
 * out. */
long dts_live_synchrony_update(struct dts_live_kernels *kernels, long step);

/* Behind that update: the one of weights whose gradients alone are those of the step before. */
void dts_live_synchrony_late(struct dts_live_kernels *kernels, long step);

/* Behind the exchange of weights: their sums become means, and an outer update is made. */
void dts_live_synchrony_average(struct dts_live_kernels *kernels, const struct dts_op *op,
                                long step);

/* Pairs that do not wait (gossip.c); where ranks are no such ones, nothing happens. start:
 * before the first step, when all have the same weights. begin and end: around the update of a
 * step. average: of a call of that pass. settle: weights as the next update would find them. */
void dts_live_gossip_open(struct dts_live_kernels *kernels);
void dts_live_gossip_close(struct dts_live_kernels *kernels);
void dts_live_gossip_start(struct dts_live_kernels *kernels);
void dts_live_gossip_update_begin(struct dts_live_kernels *kernels);
void dts_live_gossip_update_end(struct dts_live_kernels *kernels);
void dts_live_gossip_average(struct dts_live_kernels *kernels, const struct dts_op *op);
void dts_live_gossip_settle(const struct dts_live_kernels *kernels, float *weights);

/* Every rank calls both, between runs. The weights become the mean of those of all ranks, which
 * is the network that a training has at that moment, until they are put back. Nothing happens
 * where all have the same. */
void dts_live_mean_begin(struct dts_live_kernels *kernels);
void dts_live_mean_end(struct dts_live_kernels *kernels);

#endif
