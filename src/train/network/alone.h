/* alone.h -- several ranks' weights, one network: local SGD in one process, rank after rank
 * (train/strategy/synchrony.h says what it is).
 *
 *     for each rank:
 *         dts_alone_take(&alone, rank);     the network has the weights of that rank
 *         ... forward and backward, an update by alone.optimizers[rank] ...
 *         dts_alone_give(&alone, rank);     and the rank has those of the network
 *     dts_alone_meet(&alone);               after so many steps
 *
 * The network computes on the host, and all its gradients are dense.
 */
#ifndef DTS_TRAIN_NETWORK_ALONE_H
#define DTS_TRAIN_NETWORK_ALONE_H

#include "train/network/network.h"
#include "train/network/optimizer.h"

struct dts_alone_request {
    int ranks;

    /* Of the outer update: m = momentum m + moved, w = begun - rate (moved + momentum m), moved
     * = begun - mean. rate 1 and momentum 0: the mean. */
    double outer_rate, outer_momentum;
};

struct dts_alone {
    struct dts_network *network; // the caller's
    struct dts_alone_request request;
    size_t count;                          // of weights of a rank
    float *weights;                        // [ranks, count]; owned
    double *begun, *moving;                // weights of the last meeting, m; owned
    struct dts_optimizer_run **optimizers; // of each rank; owned
};

/* All ranks begin with the weights of the network. */
bool dts_alone_open(struct dts_alone *alone, struct dts_network *network,
                    const struct dts_optimizer *optimizer,
                    const struct dts_alone_request *request, struct dts_error *err);
void dts_alone_close(struct dts_alone *alone); // leaves it empty

void dts_alone_take(struct dts_alone *alone, int rank);
void dts_alone_give(struct dts_alone *alone, int rank);

/* All ranks, and the network, get the weights that follow from the mean. */
void dts_alone_meet(struct dts_alone *alone);

/* The network has the mean of the ranks' weights, to be evaluated; ranks keep their own. */
void dts_alone_mean(struct dts_alone *alone);

#endif
