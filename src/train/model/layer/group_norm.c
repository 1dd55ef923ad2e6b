/* group_norm.c -- normalization of a sample's channels, the first size, by groups (Wu and He
 * 2018, arXiv:1803.08494). As many groups as channels: instance normalization
 * (arXiv:1607.08022).
 */
#include "train/model/layer/layer.h"

struct norm {
    int groups;
    bool affine;
    double epsilon;
};

static const struct dts_field fields[] = {
    {DTS_KEY(struct norm, groups), .type = DTS_INT, .min = 1, .max = 1e6,
     .help = "parts of the channels; as many as channels: instance normalization"},
    {DTS_KEY(struct norm, affine), .type = DTS_BOOL, .missing = "true",
     .help = "scale and shift each channel"},
    {DTS_KEY(struct norm, epsilon), .type = DTS_REAL, .min = 1e-15, .max = 1,
     .missing = "1e-05", .help = "added to the variance"},
    {0},
};

static bool infer(void *self, struct dts_layer_facts *facts, const struct dts_cfg *at,
                  struct dts_error *err)
{
    const struct norm *norm = self;
    const struct dts_dims *input = &facts->inputs[0];
    const size_t channels = input->size[0], groups = (size_t)norm->groups;
    if (channels % groups != 0)
        return dts_cfg_fail(at, "groups", err, "must divide the channels, %zu, got %d",
                            channels, norm->groups);
    if (dts_dims_elements(input) == groups)
        return dts_cfg_fail(at, "groups", err,
                            "must leave more than one value in a group, got %d of %s",
                            norm->groups, dts_dims_text(input).chars);
    facts->output = *input;
    if (!norm->affine)
        return true;
    if (!dts_layer_param(facts, "weight", (double)channels, at, err))
        return false;
    dts_layer_begin(facts, 1, 0, false);
    dts_layer_per_channel(facts);
    if (!dts_layer_param(facts, "bias", (double)channels, at, err))
        return false;
    dts_layer_per_channel(facts);
    return true;
}

static void describe(const void *self, struct dts_op_call *call)
{
    const struct norm *norm = self;
    call->groups = norm->groups;
    call->bias = norm->affine;
    call->epsilon = norm->epsilon;
}

const struct dts_layer_kind dts_layer_group_norm = {
    .name = "group_norm",
    .summary = "normalize each group of channels of a sample, then scale and shift each "
               "channel",
    .fields = fields,
    .size = sizeof(struct norm),
    .inputs = 1,
    .infer = infer,
    .describe = describe,
    .cost = dts_group_norm_cost,
};
