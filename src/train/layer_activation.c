/* layer_activation.c -- functions of one value: y = f(x). Each either keeps its output for the
 * backward pass, which is the next layer's input and kept anyway, or its input.
 */
#include "train/layer.h"

static const struct dts_field no_fields[] = {{0}};

/* Flops are for each value. */
static bool activation(struct dts_layer_facts *facts, double forward, double backward,
                       bool saves_output)
{
    double n = (double)dts_dims_elements(&facts->inputs[0]);
    facts->output = facts->inputs[0];
    facts->cost = (struct dts_layer_cost){
        .class = DTS_WORK_MEMORY,
        .forward_flops = forward * n,
        .backward_flops = backward * n,
        .input_flops = backward * n,
        .forward_values = 2 * n,  // read x, write y
        .backward_values = 3 * n, // read x or y, dy, write dx
        .input_values = 3 * n,
        .saves_input = !saves_output,
        .saves_output = saves_output,
    };
    return true;
}

static bool relu(void *self, struct dts_layer_facts *facts, const struct dts_cfg *at,
                 struct dts_error *err)
{
    (void)self, (void)at, (void)err;
    return activation(facts, 1, 1, true); // max(x, 0); dy or 0
}

struct leaky {
    double slope;
};

static const struct dts_field leaky_fields[] = {
    {DTS_KEY(struct leaky, slope), .type = DTS_REAL, .min = 0, .max = 1, .missing = "0.01",
     .help = "what a negative value is multiplied by"},
    {0},
};

static bool leaky_relu(void *self, struct dts_layer_facts *facts, const struct dts_cfg *at,
                       struct dts_error *err)
{
    (void)self, (void)at, (void)err;
    return activation(facts, 2, 2, false); // x > 0 ? x : a x
}

/* x/2 (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))): Hendrycks and Gimpel, arXiv:1606.08415. */
static bool gelu(void *self, struct dts_layer_facts *facts, const struct dts_cfg *at,
                 struct dts_error *err)
{
    (void)self, (void)at, (void)err;
    return activation(facts, 9, 16, false);
}

static bool silu(void *self, struct dts_layer_facts *facts, const struct dts_cfg *at,
                 struct dts_error *err)
{
    (void)self, (void)at, (void)err;
    return activation(facts, 5, 8, false); // x s, s = 1 / (1 + exp(-x)); dy s (1 + x (1 - s))
}

static bool sigmoid(void *self, struct dts_layer_facts *facts, const struct dts_cfg *at,
                    struct dts_error *err)
{
    (void)self, (void)at, (void)err;
    return activation(facts, 4, 3, true); // 1 / (1 + exp(-x)); dy y (1 - y)
}

static bool tanh_infer(void *self, struct dts_layer_facts *facts, const struct dts_cfg *at,
                       struct dts_error *err)
{
    (void)self, (void)at, (void)err;
    return activation(facts, 1, 3, true); // dy (1 - y y)
}

const struct dts_layer_kind dts_layer_relu = {
    .name = "relu",
    .rectifies = true,
    .summary = "max(x, 0)",
    .fields = no_fields,
    .inputs = 1,
    .infer = relu,
};

static void leaky_describe(const void *self, struct dts_op_call *call)
{
    call->slope = ((const struct leaky *)self)->slope;
}

const struct dts_layer_kind dts_layer_leaky_relu = {
    .name = "leaky_relu",
    .summary = "x, or a small part of it where it is negative",
    .fields = leaky_fields,
    .size = sizeof(struct leaky),
    .inputs = 1,
    .infer = leaky_relu,
    .describe = leaky_describe,
};

const struct dts_layer_kind dts_layer_gelu = {
    .name = "gelu",
    .summary = "x times the normal distribution at x, by tanh",
    .fields = no_fields,
    .inputs = 1,
    .infer = gelu,
};

const struct dts_layer_kind dts_layer_silu = {
    .name = "silu",
    .summary = "x times its sigmoid",
    .fields = no_fields,
    .inputs = 1,
    .infer = silu,
};

const struct dts_layer_kind dts_layer_sigmoid = {
    .name = "sigmoid",
    .summary = "1 / (1 + exp(-x))",
    .fields = no_fields,
    .inputs = 1,
    .infer = sigmoid,
};

const struct dts_layer_kind dts_layer_tanh = {
    .name = "tanh",
    .summary = "hyperbolic tangent",
    .fields = no_fields,
    .inputs = 1,
    .infer = tanh_infer,
};
