/* lstm.c -- long short-term memory (Hochreiter and Schmidhuber 1997,
 * doi:10.1162/neco.1997.9.8.1735), one layer in one direction, four gates and two biases each
 * as in PyTorch: [positions, features] into [positions, outputs].
 */
#include <math.h>

#include "train/model/layer/layer.h"

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
    double f = (double)input->size[1], h = lstm->outputs;
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
    return true;
}

const struct dts_layer_kind dts_layer_lstm = {
    .name = "lstm",
    .summary = "recurrent layer: [positions, features] into [positions, outputs]",
    .fields = fields,
    .size = sizeof(struct lstm),
    .inputs = 1,
    .infer = infer,
    .cost = dts_lstm_cost,
};
