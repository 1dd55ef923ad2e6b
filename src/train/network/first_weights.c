/* first_weights.c -- each tensor drawn from a stream of its own, so that a layer's weights do
 * not depend on the other layers. */
#include "train/network/first_weights.h"

#include "base/rng.h"

static void fill(const struct dts_param *param, uint64_t seed, uint64_t stream, float *weights)
{
    for (size_t i = 0; i < param->count; i++) {
        double value = 0;
        if (param->spread > 0)
            value = param->uniform ? 2 * dts_uniform(seed, stream, i) - 1
                                   : dts_normal(seed, stream, i);
        weights[i] = (float)(param->mean + param->spread * value);
    }
}

void dts_first_weights(const struct dts_model *model, uint64_t seed, float *weights)
{
    for (int l = model->layer_count - 1; l >= 0; l--)
        for (int p = model->layers[l].param_count - 1; p >= 0; p--) {
            const struct dts_param *param = &model->layers[l].params[p];
            fill(param, seed, (uint64_t)l * DTS_LAYER_PARAMS + (uint64_t)p, weights);
            weights += param->count;
        }
}
