/* conv.c -- convolution over a line (1 axis), an image (2) or a volume (3), with weights of
 * out x (in / groups) x kernel:
 *
 *     y[o, p] = b[o] + sum over c, k of w[o, c, k] x[c, p stride + k dilation - padding]
 */
#include <math.h>

#include "train/model/layer/window.h"

struct conv {
    int channels, groups;
    bool bias;
    struct dts_window window;
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
     .help = "step from window to window: a number, or one for each axis"},
    {.key = "padding",
     .offset = offsetof(struct conv, window.padding_cfg),
     .type = DTS_OTHER,
     .forms = DTS_FORM_NUMBER | DTS_FORM_LIST | DTS_FORM_STRING,
     .missing = "0",
     .help =
         "zeros on each side: a number, one or [before, behind] for each axis, or \"same\""},
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

static bool infer(struct conv *conv, int axes, struct dts_layer_facts *facts,
                  const struct dts_cfg *at, struct dts_error *err)
{
    const struct dts_dims *input = &facts->inputs[0];
    size_t groups = (size_t)conv->groups;
    if (!dts_window_infer(&conv->window, axes, input, &facts->output, at, err))
        return false;
    if (input->size[0] % groups != 0 || (size_t)conv->channels % groups != 0)
        return dts_cfg_fail(at, "groups", err, "must divide the channels, %zu and %d, got %d",
                            input->size[0], conv->channels, conv->groups);
    facts->output.size[0] = (size_t)conv->channels;

    const double window = dts_window_values(&conv->window);
    const double sums = (double)(input->size[0] / groups) * window;
    if (!dts_layer_param(facts, "weight", conv->channels * sums, at, err))
        return false;
    // He et al. 2015, arXiv:1502.01852, by what goes out, as torchvision's ResNet and VGG do,
    // and as PyTorch counts that where channels are grouped
    dts_layer_begin(facts, 0, sqrt(2 / (conv->channels * window)), false);
    dts_layer_fans(facts, sums, conv->channels * window);
    if (conv->bias && !dts_layer_param(facts, "bias", conv->channels, at, err))
        return false;
    if (conv->bias) {
        dts_layer_per_channel(facts);
        dts_layer_fans(facts, sums, conv->channels * window);
    }
    return true;
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

static void describe(const void *self, struct dts_op_call *call)
{
    const struct conv *conv = self;
    call->op = "conv";
    call->groups = conv->groups;
    call->bias = conv->bias;
    dts_window_describe(&conv->window, call);
}

const struct dts_layer_kind dts_layer_conv1d = {
    .name = "conv1d",
    .summary = "convolution of channels x length",
    .fields = fields,
    .size = sizeof(struct conv),
    .inputs = 1,
    .infer = infer1,
    .describe = describe,
    .cost = dts_conv_cost,
};

const struct dts_layer_kind dts_layer_conv2d = {
    .name = "conv2d",
    .summary = "convolution of channels x height x width",
    .fields = fields,
    .size = sizeof(struct conv),
    .inputs = 1,
    .infer = infer2,
    .describe = describe,
    .cost = dts_conv_cost,
};

const struct dts_layer_kind dts_layer_conv3d = {
    .name = "conv3d",
    .summary = "convolution of channels x depth x height x width",
    .fields = fields,
    .size = sizeof(struct conv),
    .inputs = 1,
    .infer = infer3,
    .describe = describe,
    .cost = dts_conv_cost,
};
