/* global_pool.c -- means: of each channel, over all of it or over a grid of given size; of each
 * feature over all positions. */
#include <stdlib.h>

#include "train/model/layer/layer.h"

struct adaptive {
    struct dts_cfg output;
};

static const struct dts_field no_fields[] = {{0}};

static const struct dts_field fields[] = {
    {DTS_KEY(struct adaptive, output), .type = DTS_OTHER, .forms = DTS_FORM_NUMBERS,
     .help = "sizes of the output without channels: [7, 7]"},
    {0},
};

static bool global_infer(void *self, struct dts_layer_facts *facts, const struct dts_cfg *at,
                         struct dts_error *err)
{
    (void)self;
    const struct dts_dims *input = &facts->inputs[0];
    if (input->count < 2)
        return dts_cfg_fail(at, "input", err, "must be channels and sizes, got %s",
                            dts_dims_text(input).chars);
    facts->output = (struct dts_dims){1, {input->size[0], 1, 1, 1}};
    return true;
}

static bool adaptive_infer(void *self, struct dts_layer_facts *facts, const struct dts_cfg *at,
                           struct dts_error *err)
{
    struct adaptive *adaptive = self;
    const struct dts_dims *input = &facts->inputs[0];
    int *sizes;
    size_t count;
    if (!dts_cfg_ints(&adaptive->output, 1, 4096, DTS_DIMS, &sizes, &count, err))
        return false;
    if (count + 1 != (size_t)input->count) {
        free(sizes);
        return dts_cfg_fail(at, "output", err, "must be %d sizes for an input of %s, got %zu",
                            input->count - 1, dts_dims_text(input).chars, count);
    }

    facts->output = *input;
    for (size_t i = 0; i < count; i++)
        facts->output.size[i + 1] = (size_t)sizes[i];
    free(sizes);
    return true;
}

static bool mean_infer(void *self, struct dts_layer_facts *facts, const struct dts_cfg *at,
                       struct dts_error *err)
{
    (void)self;
    const struct dts_dims *input = &facts->inputs[0];
    if (input->count < 2)
        return dts_cfg_fail(at, "input", err, "must be positions and features, got %s",
                            dts_dims_text(input).chars);
    facts->output = (struct dts_dims){1, {dts_dims_features(input), 1, 1, 1}};
    return true;
}

const struct dts_layer_kind dts_layer_global_pool = {
    .name = "global_pool",
    .summary = "mean of each channel: [channels, ...] into [channels]",
    .fields = no_fields,
    .inputs = 1,
    .infer = global_infer,
    .cost = dts_mean_pool_cost,
};

const struct dts_layer_kind dts_layer_adaptive_pool = {
    .name = "adaptive_pool",
    .summary = "means over a grid of given size, whatever the input's",
    .fields = fields,
    .size = sizeof(struct adaptive),
    .inputs = 1,
    .infer = adaptive_infer,
    .cost = dts_mean_pool_cost,
};

const struct dts_layer_kind dts_layer_mean = {
    .name = "mean",
    .summary = "mean over all positions: [..., features] into [features]",
    .fields = no_fields,
    .inputs = 1,
    .infer = mean_infer,
    .cost = dts_mean_cost,
};
