/* layer_scale.c -- a learned factor for each channel, the first size, or each feature, the last
 * (Touvron et al. 2021, arXiv:2103.17239): the end of a branch in ConvNeXt and CaiT. */
#include "train/model/layer/layer.h"

struct scale {
    bool last;
    double init;
};

static const struct dts_field fields[] = {
    {DTS_KEY(struct scale, last), .type = DTS_BOOL, .missing = "false",
     .help = "a factor for each value of the last size, features; else for each channel"},
    {DTS_KEY(struct scale, init), .type = DTS_REAL, .min = 0, .max = 1000, .missing = "1e-06",
     .help = "what all factors begin with"},
    {0},
};

static bool infer(void *self, struct dts_layer_facts *facts, const struct dts_cfg *at,
                  struct dts_error *err)
{
    const struct scale *scale = self;
    const struct dts_dims *input = &facts->inputs[0];
    facts->output = *input;
    const size_t factors = scale->last ? dts_dims_features(input) : input->size[0];
    if (!dts_layer_param(facts, "weight", (double)factors, at, err))
        return false;
    dts_layer_begin(facts, scale->init, 0, false);
    dts_layer_per_channel(facts);
    return true;
}

static void describe(const void *self, struct dts_op_call *call)
{
    call->last = ((const struct scale *)self)->last;
}

const struct dts_layer_kind dts_layer_layer_scale = {
    .name = "layer_scale",
    .summary = "a learned factor for each channel or feature",
    .fields = fields,
    .size = sizeof(struct scale),
    .inputs = 1,
    .infer = infer,
    .describe = describe,
    .cost = dts_layer_scale_cost,
};
