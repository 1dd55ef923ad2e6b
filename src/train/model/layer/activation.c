/* activation.c -- functions of one value: y = f(x). */
#include "train/model/layer/layer.h"

static const struct dts_field no_fields[] = {{0}};

static bool infer(void *self, struct dts_layer_facts *facts, const struct dts_cfg *at,
                  struct dts_error *err)
{
    (void)self, (void)at, (void)err;
    facts->output = facts->inputs[0];
    return true;
}

struct leaky {
    double slope;
};

static const struct dts_field leaky_fields[] = {
    {DTS_KEY(struct leaky, slope), .type = DTS_REAL, .min = 0, .max = 1, .missing = "0.01",
     .help = "what a negative value is multiplied by"},
    {0},
};

static void leaky_describe(const void *self, struct dts_op_call *call)
{
    call->slope = ((const struct leaky *)self)->slope;
}

const struct dts_layer_kind dts_layer_relu = {
    .name = "relu",
    .rectifies = true,
    .summary = "max(x, 0)",
    .fields = no_fields,
    .inputs = 1,
    .infer = infer,
    .cost = dts_relu_cost,
};

const struct dts_layer_kind dts_layer_leaky_relu = {
    .name = "leaky_relu",
    .summary = "x, or a small part of it where it is negative",
    .fields = leaky_fields,
    .size = sizeof(struct leaky),
    .inputs = 1,
    .infer = infer,
    .describe = leaky_describe,
    .cost = dts_leaky_relu_cost,
};

const struct dts_layer_kind dts_layer_gelu = {
    .name = "gelu",
    .summary = "x times the normal distribution at x, by tanh",
    .fields = no_fields,
    .inputs = 1,
    .infer = infer,
    .cost = dts_gelu_cost,
};

const struct dts_layer_kind dts_layer_silu = {
    .name = "silu",
    .summary = "x times its sigmoid",
    .fields = no_fields,
    .inputs = 1,
    .infer = infer,
    .cost = dts_silu_cost,
};

const struct dts_layer_kind dts_layer_sigmoid = {
    .name = "sigmoid",
    .summary = "1 / (1 + exp(-x))",
    .fields = no_fields,
    .inputs = 1,
    .infer = infer,
    .cost = dts_sigmoid_cost,
};

const struct dts_layer_kind dts_layer_tanh = {
    .name = "tanh",
    .summary = "hyperbolic tangent",
    .fields = no_fields,
    .inputs = 1,
    .infer = infer,
    .cost = dts_tanh_cost,
};

const struct dts_layer_kind dts_layer_relu6 = {
    .name = "relu6",
    .summary = "max(x, 0), at most 6",
    .fields = no_fields,
    .inputs = 1,
    .infer = infer,
    .cost = dts_relu6_cost,
};

const struct dts_layer_kind dts_layer_hardsigmoid = {
    .name = "hardsigmoid",
    .summary = "sigmoid of straight lines: max(x + 3, 0), at most 6, over 6",
    .fields = no_fields,
    .inputs = 1,
    .infer = infer,
    .cost = dts_hardsigmoid_cost,
};

const struct dts_layer_kind dts_layer_hardswish = {
    .name = "hardswish",
    .summary = "x times its hardsigmoid",
    .fields = no_fields,
    .inputs = 1,
    .infer = infer,
    .cost = dts_hardswish_cost,
};
