/* conv_transpose.c -- transposed convolution over a line, an image or a volume: the gradient of
 * the convolution that makes the input from the output (Dumoulin and Visin 2016,
 * arXiv:1603.07285, relationship 14), with weights of in x (out / groups) x kernel as PyTorch:
 *
 *     output = (input - 1) stride - 2 padding + dilation (kernel - 1) + output_padding + 1
 */
#include <math.h>

#include "train/model/layer/window.h"

struct conv {
    int channels, groups;
    bool bias;
    struct dts_window window;
    struct dts_cfg extra_cfg; // output_padding
};

static const struct dts_field fields[] = {
    {DTS_KEY(struct conv, channels), .type = DTS_INT, .min = 1, .max = 1e6,
     .help = "channels of the output"},
    {.key = "kernel",
     .offset = offsetof(struct conv, window.kernel_cfg),
     .type = DTS_OTHER,
     .forms = DTS_FORM_NUMBER | DTS_FORM_NUMBERS,
     .help = "size of the window: a number, or one for each axis"},
    {.key = "stride",
     .offset = offsetof(struct conv, window.stride_cfg),
     .type = DTS_OTHER,
     .forms = DTS_FORM_NUMBER | DTS_FORM_NUMBERS,
     .missing = "1",
     .help = "step from window to window of the output: a number, or one for each axis"},
    {.key = "padding",
     .offset = offsetof(struct conv, window.padding_cfg),
     .type = DTS_OTHER,
     .forms = DTS_FORM_NUMBER | DTS_FORM_LIST,
     .missing = "0",
     .help = "what is cut off the output on each side: a number, or one for each axis"},
    {.key = "output_padding",
     .offset = offsetof(struct conv, extra_cfg),
     .type = DTS_OTHER,
     .forms = DTS_FORM_NUMBER | DTS_FORM_NUMBERS,
     .missing = "0",
     .help = "what is cut off less behind, below the stride: a number, or one for each axis"},
    {.key = "dilation",
     .offset = offsetof(struct conv, window.dilation_cfg),
     .type = DTS_OTHER,
     .forms = DTS_FORM_NUMBER | DTS_FORM_NUMBERS,
     .missing = "1",
     .help = "distance between the values of a window: a number, or one for each axis"},
    {DTS_KEY(struct conv, groups), .type = DTS_INT, .min = 1, .max = 1e6, .missing = "1",
     .help = "parts of the channels that do not mix; as many as channels: depthwise"},
    {DTS_KEY(struct conv, bias), .type = DTS_BOOL, .missing = "true",
     .help = "add a bias to each channel"},
    {0},
};

static bool infer_parameters(const struct conv *conv, struct dts_layer_facts *facts,
                             const struct dts_cfg *at, struct dts_error *err)
{
    const size_t channels = facts->inputs[0].size[0], groups = (size_t)conv->groups;
    const double window = dts_window_values(&conv->window);
    const double of_one = (double)conv->channels / (double)groups * window;
    if (!dts_layer_param(facts, "weight", (double)channels * of_one, at, err))
        return false;
    // as PyTorch counts the fans of such weights: by their second size, the outputs
    dts_layer_begin(facts, 0, sqrt(2 / ((double)channels * window)), false);
    dts_layer_fans(facts, of_one, (double)channels * window);
    if (!conv->bias)
        return true;
    if (!dts_layer_param(facts, "bias", conv->channels, at, err))
        return false;
    dts_layer_per_channel(facts);
    dts_layer_fans(facts, of_one, (double)channels * window);
    return true;
}

static bool infer(struct conv *conv, int axes, struct dts_layer_facts *facts,
                  const struct dts_cfg *at, struct dts_error *err)
{
    const struct dts_dims *input = &facts->inputs[0];
    const size_t groups = (size_t)conv->groups;
    if (!dts_window_infer_transposed(&conv->window, &conv->extra_cfg, axes, input,
                                     &facts->output, at, err))
        return false;
    if (input->size[0] % groups != 0 || (size_t)conv->channels % groups != 0)
        return dts_cfg_fail(at, "groups", err, "must divide the channels, %zu and %d, got %d",
                            input->size[0], conv->channels, conv->groups);
    facts->output.size[0] = (size_t)conv->channels;
    return infer_parameters(conv, facts, at, err);
}

static void describe(const void *self, struct dts_op_call *call)
{
    const struct conv *conv = self;
    call->op = "conv_transpose";
    call->groups = conv->groups;
    call->bias = conv->bias;
    dts_window_describe(&conv->window, call);
}

static bool infer1(void *self, struct dts_layer_facts *facts, const struct dts_cfg *at,
                   struct dts_error *err)
{
    return infer(self, 1, facts, at, err);
}

static bool infer2(void *self, struct dts_layer_facts *facts, const struct dts_cfg *at,
                   struct dts_error *err)
{
    return infer(self, 2, facts, at, err);
}

static bool infer3(void *self, struct dts_layer_facts *facts, const struct dts_cfg *at,
                   struct dts_error *err)
{
    return infer(self, 3, facts, at, err);
}

const struct dts_layer_kind dts_layer_conv_transpose1d = {
    .name = "conv_transpose1d",
    .summary = "transposed convolution of channels x length",
    .fields = fields,
    .size = sizeof(struct conv),
    .inputs = 1,
    .infer = infer1,
    .describe = describe,
    .cost = dts_conv_transpose_cost,
};

const struct dts_layer_kind dts_layer_conv_transpose2d = {
    .name = "conv_transpose2d",
    .summary = "transposed convolution of channels x height x width",
    .fields = fields,
    .size = sizeof(struct conv),
    .inputs = 1,
    .infer = infer2,
    .describe = describe,
    .cost = dts_conv_transpose_cost,
};

const struct dts_layer_kind dts_layer_conv_transpose3d = {
    .name = "conv_transpose3d",
    .summary = "transposed convolution of channels x depth x height x width",
    .fields = fields,
    .size = sizeof(struct conv),
    .inputs = 1,
    .infer = infer3,
    .describe = describe,
    .cost = dts_conv_transpose_cost,
};
