/* concat.c -- its inputs, one behind the other along the first size: channels. */
#include "train/model/layer/layer.h"

static const struct dts_field no_fields[] = {{0}};

static bool infer(void *self, struct dts_layer_facts *facts, const struct dts_cfg *at,
                  struct dts_error *err)
{
    (void)self;
    const struct dts_dims *inputs = facts->inputs;
    if (facts->input_count < 2)
        return dts_cfg_fail(at, "input", err, "must name two layers or more");
    facts->output = inputs[0];
    for (int i = 1; i < facts->input_count; i++) {
        struct dts_dims rest = inputs[i];
        rest.size[0] = inputs[0].size[0];
        if (!dts_dims_equal(&rest, &inputs[0]))
            return dts_cfg_fail(
                at, "input", err, "must have equal shapes after the first size, got %s and %s",
                dts_dims_text(&inputs[0]).chars, dts_dims_text(&inputs[i]).chars);
        facts->output.size[0] += inputs[i].size[0];
    }
    return true;
}

const struct dts_layer_kind dts_layer_concat = {
    .name = "concat",
    .summary = "its inputs behind one another, along the first size",
    .fields = no_fields,
    .infer = infer,
    .cost = dts_concat_cost,
};
