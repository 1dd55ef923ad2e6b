/* first_weights.h -- the weights that a network begins with: whoever knows the seed has them,
 * workers and servers alike.
 */
#ifndef DTS_TRAIN_NETWORK_FIRST_WEIGHTS_H
#define DTS_TRAIN_NETWORK_FIRST_WEIGHTS_H

#include <stdint.h>

#include "train/network/layout.h"

/* All parameter tensors, in the order of a network's weights (network.h). */
void dts_first_weights(const struct dts_model *model, uint64_t seed, float *weights);

/* Those of a layout: the values that they have in the whole model, to the bits. */
void dts_first_weights_of(const struct dts_layout *layout, uint64_t seed, float *weights);

#endif
