/* add.c -- the sum of its inputs, value by value: the end of a skip connection. */
#include "train/model/layer/layer.h"

static const struct dts_field no_fields[] = {{0}};

static bool infer(void *self, struct dts_layer_facts *facts, const struct dts_cfg *at,
                  struct dts_error *err)
{
    (void)self;
    const struct dts_dims *inputs = facts->inputs;
    if (facts->input_count < 2)
        return dts_cfg_fail(at, "input", err, "must name two layers or more");
    for (int i = 1; i < facts->input_count; i++)
        if (!dts_dims_equal(&inputs[i], &inputs[0]))
            return dts_cfg_fail(at, "input", err, "must have equal shapes, got %s and %s",
                                dts_dims_text(&inputs[0]).chars,
                                dts_dims_text(&inputs[i]).chars);
    facts->output = inputs[0];
    return true;
}

const struct dts_layer_kind dts_layer_add = {
    .name = "add",
    .summary = "sum of its inputs, which have one shape",
    .fields = no_fields,
    .takes_relu = true,
    .infer = infer,
    .cost = dts_add_cost,
};
