/* layer_layer_norm.c -- normalization of each position over its features, the last size: by
 * mean and variance (Ba, Kiros and Hinton 2016, arXiv:1607.06450), or by the root of the mean
 * square alone (Zhang and Sennrich 2019, arXiv:1910.07467). A row of features fits into a
 * cache, so that one pass over memory is enough.
 */
#include "train/layer.h"

struct norm {
    double epsilon;
};

static const struct dts_field fields[] = {
    {DTS_KEY(struct norm, epsilon), .type = DTS_REAL, .min = 1e-15, .max = 1,
     .missing = "1e-05", .help = "added to the variance"},
    {0},
};

/* Flops are for each value; statistics are fp32 numbers for each position. */
static void set_cost(struct dts_layer_facts *facts, double forward, double backward,
                     double to_input, int statistics)
{
    const struct dts_dims *input = &facts->inputs[0];
    double n = (double)dts_dims_elements(input);
    facts->output = *input;
    facts->cost = (struct dts_layer_cost){
        .class = DTS_WORK_MEMORY,
        .forward_flops = forward * n,
        .backward_flops = backward * n,
        .input_flops = to_input * n,
        .forward_values = 2 * n,  // read x, write y
        .backward_values = 3 * n, // read x, dy, write dx
        .input_values = n,
        .weight_values = facts->cost.weight_values,
        .saved_bytes = 4.0 * statistics * (double)dts_dims_positions(input),
        .saves_input = true,
    };
}

static bool layer_infer(void *self, struct dts_layer_facts *facts, const struct dts_cfg *at,
                        struct dts_error *err)
{
    (void)self;
    double features = (double)dts_dims_features(&facts->inputs[0]);
    if (!dts_layer_param(facts, "weight", features, at, err))
        return false;
    dts_layer_begin(facts, 1, 0, false);
    dts_layer_per_channel(facts);
    if (!dts_layer_param(facts, "bias", features, at, err))
        return false;
    dts_layer_per_channel(facts);
    // forward: 1 for the mean, 3 for the variance, 4 for y; backward: 1 for db, 4 for dw, 6 for
    // dx
    set_cost(facts, 8, 11, 6, 2);
    return true;
}

static bool rms_infer(void *self, struct dts_layer_facts *facts, const struct dts_cfg *at,
                      struct dts_error *err)
{
    (void)self;
    double features = (double)dts_dims_features(&facts->inputs[0]);
    if (!dts_layer_param(facts, "weight", features, at, err))
        return false;
    dts_layer_begin(facts, 1, 0, false);
    dts_layer_per_channel(facts);
    // forward: 2 for the mean square, 2 for y; backward: 3 for dw, 5 for dx
    set_cost(facts, 4, 8, 5, 1);
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
};

const struct dts_layer_kind dts_layer_rms_norm = {
    .name = "rms_norm",
    .summary = "divide each position by the root mean square of its features, then scale them",
    .fields = fields,
    .size = sizeof(struct norm),
    .inputs = 1,
    .infer = rms_infer,
    .describe = describe,
};
