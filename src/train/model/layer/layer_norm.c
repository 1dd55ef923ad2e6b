/* layer_norm.c -- normalization of each position over its features, the last size: by
 * mean and variance (Ba, Kiros and Hinton 2016, arXiv:1607.06450), or by the root of the mean
 * square alone (Zhang and Sennrich 2019, arXiv:1910.07467).
 */
#include "train/model/layer/layer.h"

struct norm {
    double epsilon;
};

static const struct dts_field fields[] = {
    {DTS_KEY(struct norm, epsilon), .type = DTS_REAL, .min = 1e-15, .max = 1,
     .missing = "1e-05", .help = "added to the variance"},
    {0},
};

static bool layer_infer(void *self, struct dts_layer_facts *facts, const struct dts_cfg *at,
                        struct dts_error *err)
{
    (void)self;
    double features = (double)dts_dims_features(&facts->inputs[0]);
    facts->output = facts->inputs[0];
    if (!dts_layer_param(facts, "weight", features, at, err))
        return false;
    dts_layer_begin(facts, 1, 0, false);
    dts_layer_per_channel(facts);
    if (!dts_layer_param(facts, "bias", features, at, err))
        return false;
    dts_layer_per_channel(facts);
    return true;
}

static bool rms_infer(void *self, struct dts_layer_facts *facts, const struct dts_cfg *at,
                      struct dts_error *err)
{
    (void)self;
    double features = (double)dts_dims_features(&facts->inputs[0]);
    facts->output = facts->inputs[0];
    if (!dts_layer_param(facts, "weight", features, at, err))
        return false;
    dts_layer_begin(facts, 1, 0, false);
    dts_layer_per_channel(facts);
    return true;
}

static void describe(const void *self, struct dts_op_call *call)
{
    call->epsilon = ((const struct norm *)self)->epsilon;
}

const struct dts_layer_kind dts_layer_layer_norm = {
    .name = "layer_norm",
    .summary = "normalize each position over its features, then scale and shift them",
    .fields = fields,
    .size = sizeof(struct norm),
    .inputs = 1,
    .infer = layer_infer,
    .describe = describe,
    .cost = dts_layer_norm_cost,
};

const struct dts_layer_kind dts_layer_rms_norm = {
    .name = "rms_norm",
    .summary = "divide each position by the root mean square of its features, then scale them",
    .fields = fields,
    .size = sizeof(struct norm),
    .inputs = 1,
    .infer = rms_infer,
    .describe = describe,
    .cost = dts_rms_norm_cost,
};
