/* shape.c -- kinds that only change the shape: flatten, sequence, select. */
#include "train/model/layer/layer.h"

static const struct dts_field no_fields[] = {{0}};

static bool flatten_infer(void *self, struct dts_layer_facts *facts, const struct dts_cfg *at,
                          struct dts_error *err)
{
    (void)self, (void)at, (void)err;
    facts->output = (struct dts_dims){1, {dts_dims_elements(&facts->inputs[0]), 1, 1, 1}};
    return true;
}

static bool sequence_infer(void *self, struct dts_layer_facts *facts, const struct dts_cfg *at,
                           struct dts_error *err)
{
    (void)self;
    const struct dts_dims *input = &facts->inputs[0];
    if (input->count < 2)
        return dts_cfg_fail(at, "input", err, "must be channels and sizes, got %s",
                            dts_dims_text(input).chars);
    size_t channels = input->size[0];
    facts->output = (struct dts_dims){2, {dts_dims_elements(input) / channels, channels, 1, 1}};
    return true;
}

struct select {
    int positions;
};

static const struct dts_field select_fields[] = {
    {DTS_KEY(struct select, positions), .type = DTS_INT, .min = 1, .max = 1e9,
     .help = "how many of the first size are kept"},
    {0},
};

static bool select_infer(void *self, struct dts_layer_facts *facts, const struct dts_cfg *at,
                         struct dts_error *err)
{
    const struct select *select = self;
    facts->output = facts->inputs[0];
    if ((size_t)select->positions > facts->output.size[0])
        return dts_cfg_fail(at, "positions", err, "must be <= %zu, got %d",
                            facts->output.size[0], select->positions);
    facts->output.size[0] = (size_t)select->positions;
    return true;
}

const struct dts_layer_kind dts_layer_flatten = {
    .name = "flatten",
    .summary = "all values as one row of features",
    .fields = no_fields,
    .inputs = 1,
    .infer = flatten_infer,
};

const struct dts_layer_kind dts_layer_sequence = {
    .name = "sequence",
    .summary = "an image as a sequence: [channels, ...] into [positions, channels]",
    .fields = no_fields,
    .inputs = 1,
    .infer = sequence_infer,
    .cost = dts_part_cost,
};

const struct dts_layer_kind dts_layer_select = {
    .name = "select",
    .summary = "some of the positions: the first token, the masked ones",
    .fields = select_fields,
    .size = sizeof(struct select),
    .inputs = 1,
    .infer = select_infer,
    .cost = dts_part_cost,
};
