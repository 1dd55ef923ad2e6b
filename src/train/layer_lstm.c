/* layer_lstm.c -- long short-term memory (Hochreiter and Schmidhuber 1997,
 * doi:10.1162/neco.1997.9.8.1735), one layer in one direction, four gates and two biases each
 * as in PyTorch: [positions, features] into [positions, outputs]. The steps depend on one
 * another, so the recurrent weights are read again at each.
 */
#include <math.h>

#include "train/layer.h"

struct lstm {
    int outputs;
};

static const struct dts_field fields[] = {
    {DTS_KEY(struct lstm, outputs), .type = DTS_INT, .min = 1, .max = 1e6,
     .help = "features of the output and of the state"},
    {0},
};

static bool infer(void *self, struct dts_layer_facts *facts, const struct dts_cfg *at,
                  struct dts_error *err)
{
    const struct lstm *lstm = self;
    const struct dts_dims *input = &facts->inputs[0];
    if (input->count != 2)
        return dts_cfg_fail(at, "input", err, "must be positions x features, got %s",
                            dts_dims_text(input).chars);
    double s = (double)input->size[0], f = (double)input->size[1], h = lstm->outputs;
    facts->output = *input;
    facts->output.size[1] = (size_t)lstm->outputs;
    static const char *const names[] = {"weight_input", "weight_state", "bias_input",
                                        "bias_state"};
    const double counts[] = {4 * h * f, 4 * h * h, 4 * h, 4 * h};
    for (int i = 0; i < 4; i++) {
        if (!dts_layer_param(facts, names[i], counts[i], at, err))
            return false;
        dts_layer_begin(facts, 0, 1 / sqrt(h), true); // as PyTorch's LSTM
        if (i >= 2)
            dts_layer_per_channel(facts);
    }

    double by_input = 8 * s * h * f, by_state = 8 * s * h * h; // four gates
    double in = s * f, out = s * h, gates = 4 * out;
    facts->cost = (struct dts_layer_cost){
        .class = DTS_WORK_MATMUL,
        .forward_flops = by_input + by_state + 22 * out, // 3 sigmoids at 4, 2 tanh at 1, biases
                                                         // 4, cell 3, output 1
        .backward_flops = 2 * (by_input + by_state) + 28 * out, // 20 for the cell, 8 for biases
        .input_flops = by_input,
        .forward_values = in + 2 * gates + 4 * out, // gates out and in, c, h out and in
        .backward_values = 2 * in + 4 * gates + 6 * out,
        .input_values = in + gates,
        .saved_values = gates + out, // gates and cells; the states are the output
        .weight_values = 4 * h * f + s * 4 * h * h + 8 * h,
        .saves_input = true,
        .saves_output = true,
    };
    return true;
}

const struct dts_layer_kind dts_layer_lstm = {
    .name = "lstm",
    .summary = "recurrent layer: [positions, features] into [positions, outputs]",
    .fields = fields,
    .size = sizeof(struct lstm),
    .inputs = 1,
    .infer = infer,
};
