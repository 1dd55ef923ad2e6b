/* outer.h -- what ranks do with their weights when they meet: sums become means, and an outer
 * update is made by what the mean moved (train/strategy/synchrony.h). Where the network
 * computes, in the order of its kernels.
 */
#ifndef DTS_TRAIN_NETWORK_OUTER_H
#define DTS_TRAIN_NETWORK_OUTER_H

#include "train/network/network.h"
#include "train/network/optimizer.h"

/* The weights of the network are the sum of those of so many ranks, and become the mean. */
void dts_weights_divide(struct dts_network *network, int ranks);

/* Two ranks meet: `own` becomes the mean of both, and `other` what `own` was, for the other
 * rank, which takes the mean, too: dts_weights_meet() has the same bits there. */
void dts_weights_answer(float *own, float *other, size_t count);
void dts_weights_meet(float *own, const float *other, size_t count);

struct dts_outer {
    double rate, momentum;
    struct dts_network *network;   // the caller's
    struct dts_optimizer_run *run; // SGD with Nesterov's momentum; owned
    float *begun;                  // weights of the last meeting; the space's; owned
    long updates;                  // that were made
};

bool dts_outer_open(struct dts_outer *outer, struct dts_network *network, double rate,
                    double momentum, struct dts_error *err);
void dts_outer_close(struct dts_outer *outer); // leaves it empty

/* The weights of now are those from which the next update counts. */
void dts_outer_begin(struct dts_outer *outer);

/* The weights are the mean; they become those of the outer update. Gradients are lost. */
void dts_outer_update(struct dts_outer *outer);

#endif
