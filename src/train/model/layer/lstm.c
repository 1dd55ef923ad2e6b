/* lstm.c -- long short-term memory (Hochreiter and Schmidhuber 1997,
 * doi:10.1162/neco.1997.9.8.1735), four gates, and gated recurrent units (Cho et al. 2014,
 * arXiv:1406.1078), three: one layer in one direction, two biases for each gate as in PyTorch:
 * [positions, features] into [positions, outputs].
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

static bool infer(void *self, int gates, struct dts_layer_facts *facts,
                  const struct dts_cfg *at, struct dts_error *err)
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
    const double counts[] = {gates * h * f, gates * h * h, gates * h, gates * h};
    for (int i = 0; i < 4; i++) {
        if (!dts_layer_param(facts, names[i], counts[i], at, err))
            return false;
        dts_layer_begin(facts, 0, 1 / sqrt(h), true); // as PyTorch's LSTM
        if (i >= 2)
            dts_layer_per_channel(facts);
    }
    return true;
}

static bool lstm_infer(void *self, struct dts_layer_facts *facts, const struct dts_cfg *at,
                       struct dts_error *err)
{
    return infer(self, 4, facts, at, err);
}

static bool gru_infer(void *self, struct dts_layer_facts *facts, const struct dts_cfg *at,
                      struct dts_error *err)
{
    return infer(self, 3, facts, at, err);
}

const struct dts_layer_kind dts_layer_lstm = {
    .name = "lstm",
    .summary = "recurrent layer: [positions, features] into [positions, outputs]",
    .fields = fields,
    .size = sizeof(struct lstm),
    .inputs = 1,
    .infer = lstm_infer,
    .cost = dts_lstm_cost,
};

const struct dts_layer_kind dts_layer_gru = {
    .name = "gru",
    .summary =
        "recurrent layer of three gates: [positions, features] into [positions, outputs]",
    .fields = fields,
    .size = sizeof(struct lstm),
    .inputs = 1,
    .infer = gru_infer,
    .cost = dts_gru_cost,
};
