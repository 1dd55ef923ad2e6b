/* linear.c -- y = x w + b on the last size of the input, at each position alike:
 * [features] into [outputs], [positions, features] into [positions, outputs]. */
#include <math.h>

#include "train/model/layer/layer.h"

struct linear {
    int outputs;
    bool bias;
};

static const struct dts_field fields[] = {
    {DTS_KEY(struct linear, outputs), .type = DTS_INT, .min = 1, .max = 1e8,
     .help = "features of the output"},
    {DTS_KEY(struct linear, bias), .type = DTS_BOOL, .missing = "true",
     .help = "add a bias to each output"},
    {0},
};

static bool infer(void *self, struct dts_layer_facts *facts, const struct dts_cfg *at,
                  struct dts_error *err)
{
    const struct linear *linear = self;
    const struct dts_dims *input = &facts->inputs[0];
    double features = (double)dts_dims_features(input);
    facts->output = *input;
    facts->output.size[input->count - 1] = (size_t)linear->outputs;

    const double spread = 1 / sqrt(features); // as PyTorch's Linear
    if (!dts_layer_param(facts, "weight", features * linear->outputs, at, err))
        return false;
    dts_layer_begin(facts, 0, spread, true);
    dts_layer_fans(facts, features, linear->outputs);
    if (linear->bias && !dts_layer_param(facts, "bias", linear->outputs, at, err))
        return false;
    if (linear->bias) {
        dts_layer_begin(facts, 0, spread, true);
        dts_layer_per_channel(facts);
        dts_layer_fans(facts, features, linear->outputs);
    }
    return true;
}

static void describe(const void *self, struct dts_op_call *call)
{
    const struct linear *linear = self;
    call->bias = linear->bias;
}

const struct dts_layer_kind dts_layer_linear = {
    .name = "linear",
    .summary = "matrix product with weights, on the last size of the input",
    .fields = fields,
    .size = sizeof(struct linear),
    .inputs = 1,
    .infer = infer,
    .describe = describe,
    .cost = dts_linear_cost,
};
