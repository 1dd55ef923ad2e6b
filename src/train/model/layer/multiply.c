/* multiply.c -- the product of two inputs, value by value: gates. The second may be one
 * factor for each channel: [channels, ...] times [channels]. */
#include "train/model/layer/layer.h"

static const struct dts_field no_fields[] = {{0}};

static bool infer(void *self, struct dts_layer_facts *facts, const struct dts_cfg *at,
                  struct dts_error *err)
{
    (void)self;
    const struct dts_dims *a = &facts->inputs[0], *b = &facts->inputs[1];
    bool by_channel = b->count == 1 && b->size[0] == a->size[0];
    if (!by_channel && !dts_dims_equal(a, b))
        return dts_cfg_fail(
            at, "input", err,
            "must have equal shapes, or a factor for each channel, got %s and %s",
            dts_dims_text(a).chars, dts_dims_text(b).chars);
    facts->output = *a;
    return true;
}

const struct dts_layer_kind dts_layer_multiply = {
    .name = "multiply",
    .summary = "product of two inputs; the second may be one factor for each channel",
    .fields = no_fields,
    .inputs = 2,
    .infer = infer,
    .cost = dts_multiply_cost,
};
