/* batch_norm.c -- batch normalization (Ioffe and Szegedy 2015, arXiv:1502.03167): each
 * channel, the first size, by its mean and variance over the batch and all positions.
 *
 * The running mean and variance are no parameters: nobody sends or optimizes them.
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

static bool infer(void *self, struct dts_layer_facts *facts, const struct dts_cfg *at,
                  struct dts_error *err)
{
    (void)self;
    const struct dts_dims *input = &facts->inputs[0];
    double channels = (double)input->size[0];
    facts->output = *input;
    if (!dts_layer_param(facts, "weight", channels, at, err))
        return false;
    dts_layer_begin(facts, 1, 0, false);
    dts_layer_per_channel(facts);
    if (!dts_layer_param(facts, "bias", channels, at, err))
        return false;
    dts_layer_per_channel(facts);

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
    .cost = dts_batch_norm_cost,
};
