/* upsample.c -- another resolution by interpolation along each axis or by repeating values, as
 * the decoders of segmentation networks need: to a given size, or by a whole factor.
 */
#include <stdlib.h>

#include "train/model/layer/layer.h"

struct upsample {
    int factor;
    struct dts_cfg output;
};

static const struct dts_field fields[] = {
    {DTS_KEY(struct upsample, factor), .type = DTS_INT, .min = 1, .max = 4096,
     .missing = "null", .help = "the output's size over the input's, along each axis"},
    {DTS_KEY(struct upsample, output), .type = DTS_OTHER, .forms = DTS_FORM_NUMBERS,
     .missing = "null", .help = "or the sizes of the output without channels: [129, 129]"},
    {0},
};

static bool read_sizes(const struct upsample *self, struct dts_layer_facts *facts,
                       const struct dts_cfg *at, struct dts_error *err)
{
    const struct dts_dims *input = &facts->inputs[0];
    int *sizes;
    size_t count;
    if (!dts_cfg_ints(&self->output, 1, 1000000, DTS_DIMS, &sizes, &count, err))
        return false;
    for (size_t i = 0; i < count && i + 1 < DTS_DIMS; i++)
        facts->output.size[i + 1] = (size_t)sizes[i];
    free(sizes);
    if (count + 1 != (size_t)input->count)
        return dts_cfg_fail(at, "output", err, "must be %d sizes for an input of %s, got %zu",
                            input->count - 1, dts_dims_text(input).chars, count);
    return true;
}

static bool infer(void *self, struct dts_layer_facts *facts, const struct dts_cfg *at,
                  struct dts_error *err)
{
    const struct upsample *upsample = self;
    const struct dts_dims *input = &facts->inputs[0];
    const bool sizes = dts_cfg_exists(&upsample->output);
    if (input->count < 2)
        return dts_cfg_fail(at, "input", err, "must be channels and sizes, got %s",
                            dts_dims_text(input).chars);
    if (sizes == (upsample->factor > 0))
        return dts_cfg_fail(at, NULL, err, "needs one of factor and output");
    facts->output = *input;
    if (sizes && !read_sizes(upsample, facts, at, err))
        return false;
    for (int i = 1; i < input->count && !sizes; i++)
        facts->output.size[i] *= (size_t)upsample->factor;
    return true;
}

const struct dts_layer_kind dts_layer_upsample = {
    .name = "upsample",
    .summary = "another resolution by interpolation along each axis",
    .fields = fields,
    .size = sizeof(struct upsample),
    .inputs = 1,
    .infer = infer,
    .cost = dts_upsample_cost,
};

const struct dts_layer_kind dts_layer_upsample_nearest = {
    .name = "upsample_nearest",
    .summary = "another resolution: each value of the output is one of the input",
    .fields = fields,
    .size = sizeof(struct upsample),
    .inputs = 1,
    .infer = infer,
    .cost = dts_upsample_nearest_cost,
};
