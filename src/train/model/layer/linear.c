/* linear.c -- y = x w + b on the last size of the input, at each position alike:
 * [features] into [outputs], [positions, features] into [positions, outputs].
 *
 * sampled: a sampled softmax (Jean et al. 2015, arXiv:1412.2007): while it trains, a device
 * draws so many of the outputs for all samples of a step, and computes these and at each
 * position its target's. Its weight is a sparse table then, a row for each output.
 */
#include <math.h>

#include "train/model/layer/layer.h"

struct linear {
    int outputs;
    bool bias;
    int sampled; // 0: all
};

static const struct dts_field fields[] = {
    {DTS_KEY(struct linear, outputs), .type = DTS_INT, .min = 1, .max = 1e8,
     .help = "features of the output"},
    {DTS_KEY(struct linear, bias), .type = DTS_BOOL, .missing = "true",
     .help = "add a bias to each output"},
    {DTS_KEY(struct linear, sampled), .type = DTS_INT, .min = 1, .max = 1e8, .missing = "null",
     .help = "outputs that are drawn in a step, which alone are computed beside the targets', "
             "as a sampled softmax does; the weight is sparse then; default: all are"},
    {0},
};

/* Outputs that a step computes: those drawn, and the target of the position. */
static int computed(const struct linear *linear)
{
    return linear->sampled > 0 ? linear->sampled + 1 : linear->outputs;
}

static bool infer(void *self, struct dts_layer_facts *facts, const struct dts_cfg *at,
                  struct dts_error *err)
{
    const struct linear *linear = self;
    const struct dts_dims *input = &facts->inputs[0];
    double features = (double)dts_dims_features(input);
    facts->output = *input;
    facts->output.size[input->count - 1] = (size_t)computed(linear);
    if (linear->sampled > 0 && (linear->bias || linear->sampled >= linear->outputs))
        return dts_cfg_fail(at, "sampled", err,
                            linear->bias ? "needs \"bias\": false"
                                         : "must be below the %d outputs, got %d",
                            linear->outputs, linear->sampled);

    const double spread = 1 / sqrt(features); // as PyTorch's Linear
    if (!dts_layer_param(facts, "weight", features * linear->outputs, at, err))
        return false;
    dts_layer_begin(facts, 0, spread, true);
    dts_layer_fans(facts, features, linear->outputs);
    if (linear->sampled > 0) {
        dts_layer_sparse(facts, (size_t)features, 1, 0); // drawn as words are, by Zipf's law
        facts->params[0].drawn = linear->sampled;
    }
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
    if (linear->sampled > 0)
        call->params[0] = dts_dims_features(&call->inputs[0]) * (size_t)computed(linear);
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
