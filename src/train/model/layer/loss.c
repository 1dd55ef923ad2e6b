/* loss.c -- what training makes small: one number for a sample. */
#include "train/model/layer/layer.h"

struct loss {
    int ignored;
    double weight;
    bool auxiliary;
};

/* All but the first are every loss's. */
static const struct dts_field fields[] = {
    {DTS_KEY(struct loss, ignored), .type = DTS_INT, .min = 0, .max = 1e9, .missing = "0",
     .help = "class that does not count, such as 255 for what nobody labelled; 0: none"},
    {DTS_KEY(struct loss, weight), .type = DTS_REAL, .min = 1e-9, .max = 1e9, .missing = "1",
     .help = "what this loss is multiplied by in the network's, which is the sum of all"},
    {DTS_KEY(struct loss, auxiliary), .type = DTS_BOOL, .missing = "false",
     .help = "of a head that is there for training alone: an evaluation leaves it out"},
    {0},
};

static bool infer(void *self, struct dts_layer_facts *facts, const struct dts_cfg *at,
                  struct dts_error *err)
{
    (void)self, (void)at, (void)err;
    facts->output = (struct dts_dims){1, {1, 1, 1, 1}};
    return true;
}

static void describe(const void *self, struct dts_op_call *call)
{
    const struct loss *loss = self;
    call->ignored = loss->ignored;
    call->weight = loss->weight;
    call->auxiliary = loss->auxiliary;
}

const struct dts_layer_kind dts_layer_softmax_cross_entropy = {
    .name = "softmax_cross_entropy",
    .summary = "loss: one class of the last size is right, at each position",
    .fields = fields,
    .size = sizeof(struct loss),
    .inputs = 1,
    .infer = infer,
    .describe = describe,
    .cost = dts_softmax_cross_entropy_cost,
};

const struct dts_layer_kind dts_layer_mean_squared_error = {
    .name = "mean_squared_error",
    .summary = "loss: distance from a target of the input's shape",
    .fields = &fields[1],
    .size = sizeof(struct loss),
    .inputs = 1,
    .infer = infer,
    .describe = describe,
    .cost = dts_mean_squared_error_cost,
};
