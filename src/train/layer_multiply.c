/* layer_multiply.c -- the product of two inputs, value by value: gates. The second may be one
 * factor for each channel: [channels, ...] times [channels]. */
#include "train/layer.h"

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
    double n = (double)dts_dims_elements(a), m = (double)dts_dims_elements(b);
    facts->output = *a;
    facts->cost = (struct dts_layer_cost){
        .class = DTS_WORK_MEMORY,
        .forward_flops = n,
        .backward_flops = 3 * n - m, // da = dy b; db = dy a, summed over what a factor serves
        .input_flops = 3 * n - m,
        .forward_values = 2 * n + m,
        .backward_values = 3 * n + 2 * m, // read a, b, dy, write da, db
        .input_values = 3 * n + 2 * m,
        .saves_input = true,
    };
    return true;
}

const struct dts_layer_kind dts_layer_multiply = {
    .name = "multiply",
    .summary = "product of two inputs; the second may be one factor for each channel",
    .fields = no_fields,
    .inputs = 2,
    .infer = infer,
};
