/* rotary.c -- rotary position embedding (Su et al. 2021, arXiv:2104.09864): queries, or keys,
 * of [positions, heads x values of a head] before attention. */
#include "train/model/layer/layer.h"

struct rotary {
    int heads;
    double base;
};

static const struct dts_field fields[] = {
    {DTS_KEY(struct rotary, heads), .type = DTS_INT, .min = 1, .max = 65536,
     .help = "parts of the features that are turned alike"},
    {DTS_KEY(struct rotary, base), .type = DTS_REAL, .min = 1, .max = 1e12, .missing = "10000",
     .help = "what the longest wavelength grows with"},
    {0},
};

static bool infer(void *self, struct dts_layer_facts *facts, const struct dts_cfg *at,
                  struct dts_error *err)
{
    const struct rotary *rotary = self;
    const struct dts_dims *in = &facts->inputs[0];
    if (in->count != 2)
        return dts_cfg_fail(at, "input", err, "must be positions x features, got %s",
                            dts_dims_text(in).chars);
    if (in->size[1] % (2 * (size_t)rotary->heads) != 0)
        return dts_cfg_fail(at, "heads", err,
                            "must divide the features, %zu, into even parts, got %d",
                            in->size[1], rotary->heads);
    facts->output = *in;
    return true;
}

static void describe(const void *self, struct dts_op_call *call)
{
    const struct rotary *rotary = self;
    call->heads = rotary->heads;
    call->base = rotary->base;
}

const struct dts_layer_kind dts_layer_rotary = {
    .name = "rotary",
    .summary = "rotary positions: pairs of values are turned by angles that grow with them",
    .fields = fields,
    .size = sizeof(struct rotary),
    .inputs = 1,
    .infer = infer,
    .describe = describe,
    .cost = dts_rotary_cost,
};
