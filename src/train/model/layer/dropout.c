/* dropout.c -- zeroes values at random (Srivastava et al. 2014, JMLR 15), or whole samples, for
 * which a branch of a network is then not there (Huang et al. 2016, arXiv:1603.09382). */
#include "train/model/layer/layer.h"

struct dropout {
    double rate;
};

static const struct dts_field fields[] = {
    {DTS_KEY(struct dropout, rate), .type = DTS_REAL, .min = 0, .max = 0.99, .missing = "0.5",
     .help = "share of the values that become zero; 0: the layer does nothing"},
    {0},
};

static const struct dts_field sample_fields[] = {
    {DTS_KEY(struct dropout, rate), .type = DTS_REAL, .min = 0, .max = 0.99, .missing = "0.5",
     .help = "share of the samples that become zero; 0: the layer does nothing"},
    {0},
};

static bool infer(void *self, struct dts_layer_facts *facts, const struct dts_cfg *at,
                  struct dts_error *err)
{
    (void)self, (void)at, (void)err;
    facts->output = facts->inputs[0];
    return true;
}

static void describe(const void *self, struct dts_op_call *call)
{
    call->rate = ((const struct dropout *)self)->rate;
}

const struct dts_layer_kind dts_layer_dropout = {
    .name = "dropout",
    .summary = "zero values at random",
    .fields = fields,
    .size = sizeof(struct dropout),
    .inputs = 1,
    .infer = infer,
    .describe = describe,
    .cost = dts_dropout_cost,
};

const struct dts_layer_kind dts_layer_stochastic_depth = {
    .name = "stochastic_depth",
    .summary = "zero whole samples at random: a branch is left out for them",
    .fields = sample_fields,
    .size = sizeof(struct dropout),
    .inputs = 1,
    .infer = infer,
    .describe = describe,
    .cost = dts_stochastic_depth_cost,
};
