/* shape.c -- kinds that only change the shape: flatten, sequence; or take a part: select,
 * slice. */
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

struct slice {
    int axis, offset, count;
};

static const struct dts_field slice_fields[] = {
    {DTS_KEY(struct slice, offset), .type = DTS_INT, .min = 0, .max = 1e9, .missing = "0",
     .help = "what comes before the first that is kept"},
    {DTS_KEY(struct slice, count), .type = DTS_INT, .min = 1, .max = 1e9,
     .help = "how many are kept"},
    {DTS_KEY(struct slice, axis), .type = DTS_INT, .min = 0, .max = DTS_DIMS - 1,
     .missing = "0", .help = "of which size: 0 are channels, or positions"},
    {0},
};

static bool slice_infer(void *self, struct dts_layer_facts *facts, const struct dts_cfg *at,
                        struct dts_error *err)
{
    const struct slice *slice = self;
    facts->output = facts->inputs[0];
    if (slice->axis >= facts->output.count)
        return dts_cfg_fail(at, "axis", err, "must be <= %d for an input of %s, got %d",
                            facts->output.count - 1, dts_dims_text(&facts->inputs[0]).chars,
                            slice->axis);
    const size_t size = facts->output.size[slice->axis];
    if ((size_t)slice->count >= size)
        return dts_cfg_fail(at, "count", err, "must be < %zu, or all are kept, got %d", size,
                            slice->count);
    if ((size_t)slice->offset + (size_t)slice->count > size)
        return dts_cfg_fail(at, "offset", err, "must be <= %zu, got %d",
                            size - (size_t)slice->count, slice->offset);
    facts->output.size[slice->axis] = (size_t)slice->count;
    return true;
}

static void slice_describe(const void *self, struct dts_op_call *call)
{
    call->offset = (size_t)((const struct slice *)self)->offset;
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

const struct dts_layer_kind dts_layer_slice = {
    .name = "slice",
    .summary = "some of its channels, or of another axis, that lie behind one another",
    .fields = slice_fields,
    .size = sizeof(struct slice),
    .inputs = 1,
    .infer = slice_infer,
    .describe = slice_describe,
    .cost = dts_part_cost,
};
