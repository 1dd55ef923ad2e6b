/* network_reuse.h -- whose memory a call's scratch was before.
 *
 * Scratch is the passing part of a step's memory (train/network/arena.h): the same bytes are
 * other calls' scratch, outputs and gradients. What others have just used lies in the caches; a
 * call with more scratch than all others finds the rest as it left it itself.
 */
#ifndef DTS_TRAIN_NETWORK_NETWORK_REUSE_H
#define DTS_TRAIN_NETWORK_NETWORK_REUSE_H

#include "train/network/network.h"

/* The shares of a call's scratch that other calls have used since its weights were used last:
 * forward since the update, backward since forward. 1 where it has no scratch. */
struct dts_reuse {
    double forward, backward;
};

/* Of each layer of the network that dts_network_make() would make. Takes no memory for it. */
bool dts_network_reuse(const struct dts_model *model, const struct dts_network_options *options,
                       struct dts_reuse *layers, struct dts_error *err);

#endif
