/* outer.h -- what ranks do with their weights when they meet: sums become means, and an outer
 * update is made by what the mean moved (train/strategy/synchrony.h). Where the weights are,
 * in the order of the kernels there.
 */
#ifndef DTS_TRAIN_NETWORK_OUTER_H
#define DTS_TRAIN_NETWORK_OUTER_H

#include "train/network/network.h"
#include "train/network/optimizer.h"

/* Weights and as many gradients of a rank: of a network, or of the parts that it has; the
 * caller's. */
struct dts_trained_arrays {
    float *weights, *gradients;
    size_t count;
    struct dts_space *space;     // that they are in; NULL: the host's memory
    struct dts_workers *workers; // of a CPU
};
struct dts_trained_arrays dts_network_arrays(struct dts_network *network);

/* The weights are the sum of those of so many ranks, and become the mean. */
void dts_weights_divide(const struct dts_trained_arrays *arrays, int ranks);

/* Two ranks meet: `own` becomes the mean of both, and `other` what `own` was, for the other
 * rank, which takes the mean, too: dts_weights_meet() has the same bits there. */
void dts_weights_answer(float *own, float *other, size_t count);
void dts_weights_meet(float *own, const float *other, size_t count);

struct dts_outer {
    double rate, momentum;
    struct dts_space *space;       // the caller's
    struct dts_optimizer_run *run; // SGD with Nesterov's momentum; owned
    float *begun;                  // weights of the last meeting; the space's; owned
    long updates;                  // that were made
};

/* For arrays of that layout in that space; the layout is not looked at later. */
bool dts_outer_open(struct dts_outer *outer, const struct dts_layout *layout,
                    struct dts_space *space, double rate, double momentum,
                    struct dts_error *err);
void dts_outer_close(struct dts_outer *outer); // leaves it empty

/* The weights of now are those from which the next update counts. */
void dts_outer_begin(struct dts_outer *outer, const struct dts_trained_arrays *arrays);

/* The weights are the mean; they become those of the outer update. Gradients are lost. */
void dts_outer_update(struct dts_outer *outer, const struct dts_trained_arrays *arrays);

#endif
