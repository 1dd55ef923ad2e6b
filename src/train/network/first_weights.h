/* first_weights.h -- the weights that a network begins with: whoever knows the seed has them,
 * workers and servers alike.
 */
#ifndef DTS_TRAIN_NETWORK_FIRST_WEIGHTS_H
#define DTS_TRAIN_NETWORK_FIRST_WEIGHTS_H

#include <stdint.h>

#include "train/model/model.h"

/* All parameter tensors, in the order of a network's weights (network.h). */
void dts_first_weights(const struct dts_model *model, uint64_t seed, float *weights);

#endif
