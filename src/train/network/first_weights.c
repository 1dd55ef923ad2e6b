/* first_weights.c -- each tensor drawn from a stream of its own, so that a layer's weights do
 * not depend on the other layers. */
#include "train/network/first_weights.h"

#include "base/rng.h"

static void fill(const struct dts_layout_tensor *t, uint64_t seed, uint64_t stream,
                 float *weights)
{
    const struct dts_param *param = t->param;
    for (size_t i = 0; i < param->count; i++) {
        const size_t at = dts_param_slice_at(&t->slice, i);
        double value = 0;
        if (param->spread > 0)
            value = param->uniform ? 2 * dts_uniform(seed, stream, at) - 1
                                   : dts_normal(seed, stream, at);
        weights[i] = (float)(param->mean + param->spread * value);
    }
}

void dts_first_weights_of(const struct dts_layout *layout, uint64_t seed, float *weights)
{
    for (int i = 0; i < layout->count; i++) {
        const struct dts_layout_tensor *t = &layout->tensors[i];
        fill(t, seed, (uint64_t)t->layer * DTS_LAYER_PARAMS + (uint64_t)t->number,
             weights + t->offset);
    }
}

void dts_first_weights(const struct dts_model *model, uint64_t seed, float *weights)
{
    struct dts_layout whole = {.model = model};
    dts_layout_add(&whole, &(struct dts_layer_range){0});
    dts_first_weights_of(&whole, seed, weights);
    dts_layout_free(&whole);
}
