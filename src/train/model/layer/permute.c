/* permute.c -- kinds that look at the same values by other axes: permute moves them, reshape
 * does not. */
#include <stdlib.h>

#include "train/model/layer/layer.h"

struct permute {
    struct dts_cfg axes;
    int axis[DTS_DIMS]; // what infer found
};

static const struct dts_field permute_fields[] = {
    {DTS_KEY(struct permute, axes), .type = DTS_OTHER, .forms = DTS_FORM_NUMBERS,
     .help = "for each axis of the output which of the input it was, from 0: [1, 2, 0]"},
    {0},
};

static bool read_axes(struct permute *permute, int axes, const struct dts_cfg *at,
                      struct dts_error *err)
{
    int *read, seen = 0;
    size_t count;
    if (!dts_cfg_ints(&permute->axes, 0, axes - 1, DTS_DIMS, &read, &count, err))
        return false;
    bool in_order = true;
    for (size_t i = 0; i < count; i++) {
        permute->axis[i] = read[i];
        in_order = in_order && read[i] == (int)i;
        seen |= 1 << read[i];
    }
    free(read);
    if (count != (size_t)axes || seen != (1 << axes) - 1)
        return dts_cfg_fail(at, "axes", err, "must have each of 0 to %d once", axes - 1);
    return !in_order || dts_cfg_fail(at, "axes", err, "must change the order of the axes");
}

static bool permute_infer(void *self, struct dts_layer_facts *facts, const struct dts_cfg *at,
                          struct dts_error *err)
{
    struct permute *permute = self;
    const struct dts_dims *input = &facts->inputs[0];
    if (input->count < 2)
        return dts_cfg_fail(at, "input", err, "must have two sizes or more, got %s",
                            dts_dims_text(input).chars);
    if (!read_axes(permute, input->count, at, err))
        return false;
    facts->output = *input;
    for (int i = 0; i < input->count; i++)
        facts->output.size[i] = input->size[permute->axis[i]];
    return true;
}

static void permute_describe(const void *self, struct dts_op_call *call)
{
    for (int i = 0; i < DTS_DIMS; i++)
        call->axes[i] = ((const struct permute *)self)->axis[i];
}

struct reshape {
    struct dts_cfg output;
};

static const struct dts_field reshape_fields[] = {
    {DTS_KEY(struct reshape, output), .type = DTS_OTHER, .forms = DTS_FORM_NUMBERS,
     .help = "sizes of the output, as many values as the input's: [2, 29, 28, 28]"},
    {0},
};

static bool reshape_infer(void *self, struct dts_layer_facts *facts, const struct dts_cfg *at,
                          struct dts_error *err)
{
    const struct reshape *reshape = self;
    const struct dts_dims *input = &facts->inputs[0];
    double values = 1; // may be more than a size_t holds
    int *sizes;
    size_t count;
    if (!dts_cfg_ints(&reshape->output, 1, 1000000000, DTS_DIMS, &sizes, &count, err))
        return false;
    facts->output = (struct dts_dims){(int)count, {1, 1, 1, 1}};
    for (size_t i = 0; i < count; i++) {
        facts->output.size[i] = (size_t)sizes[i];
        values *= sizes[i];
    }
    free(sizes);
    if (count == 0)
        return dts_cfg_fail(at, "output", err, "must have at least one size");
    return values == (double)dts_dims_elements(input) ||
           dts_cfg_fail(at, "output", err, "must have %zu values, those of %s, got %.0f",
                        dts_dims_elements(input), dts_dims_text(input).chars, values);
}

const struct dts_layer_kind dts_layer_permute = {
    .name = "permute",
    .summary = "its axes in another order: channels first into channels last, and back",
    .fields = permute_fields,
    .size = sizeof(struct permute),
    .inputs = 1,
    .infer = permute_infer,
    .describe = permute_describe,
    .cost = dts_part_cost,
};

const struct dts_layer_kind dts_layer_reshape = {
    .name = "reshape",
    .summary = "the same values in their order, as other sizes",
    .fields = reshape_fields,
    .size = sizeof(struct reshape),
    .inputs = 1,
    .infer = reshape_infer,
};
