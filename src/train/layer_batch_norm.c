/* layer_batch_norm.c -- batch normalization (Ioffe and Szegedy 2015, arXiv:1502.03167): each
 * channel, the first size, by its mean and variance over the batch and all positions.
 *
 * The running mean and variance are no parameters: nobody sends or optimizes them.
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

static bool infer(void *self, struct dts_layer_facts *facts, const struct dts_cfg *at,
                  struct dts_error *err)
{
    (void)self;
    const struct dts_dims *input = &facts->inputs[0];
    double channels = (double)input->size[0], n = (double)dts_dims_elements(input);
    facts->output = *input;
    if (!dts_layer_param(facts, "weight", channels, at, err))
        return false;
    dts_layer_begin(facts, 1, 0, false);
    dts_layer_per_channel(facts);
    if (!dts_layer_param(facts, "bias", channels, at, err))
        return false;
    dts_layer_per_channel(facts);

    facts->cost = (struct dts_layer_cost){
        .class = DTS_WORK_MEMORY,
        .forward_flops = 8 * n,   // 1 for the mean, 3 for the variance, 4 for y
        .backward_flops = 11 * n, // 1 for db, 4 for dw, 6 for dx
        .input_flops = 6 * n,
        .forward_values = 3 * n,  // statistics: read x; then read x, write y
        .backward_values = 5 * n, // sums: read x, dy; then read x, dy, write dx
        .input_values = 3 * n,
        .weight_values = facts->cost.weight_values,
        .sums = 2 * input->size[0],
        .forward_sum_values = n,      // the statistics
        .backward_sum_values = 2 * n, // the sums
        .saves_input = true,
    };
    return true;
}

static void describe(const void *self, struct dts_op_call *call)
{
    call->epsilon = ((const struct norm *)self)->epsilon;
}

const struct dts_layer_kind dts_layer_batch_norm = {
    .name = "batch_norm",
    .summary = "normalize each channel over the batch, then scale and shift it",
    .fields = fields,
    .size = sizeof(struct norm),
    .inputs = 1,
    .takes_relu = true,
    .infer = infer,
    .describe = describe,
};
