/* moe.c -- a mixture of experts (src/kernels/moe/moe.c has the formula): [positions, features]
 * into the same, by small networks of `ffn` hidden values, of which each position asks `top_k`.
 */
#include <math.h>

#include "train/model/layer/layer.h"

struct moe {
    int experts, top_k, ffn;
    bool gated, normalized;
    double capacity;
};

static const struct dts_field fields[] = {
    {DTS_KEY(struct moe, experts), .type = DTS_INT, .min = 1, .max = 4096,
     .help = "small networks among which each position chooses"},
    {DTS_KEY(struct moe, top_k), .type = DTS_INT, .min = 1, .max = 64,
     .help = "experts that a position goes to"},
    {DTS_KEY(struct moe, ffn), .type = DTS_INT, .min = 1, .max = 1000000,
     .help = "hidden features of an expert"},
    {DTS_KEY(struct moe, gated), .type = DTS_BOOL, .missing = "true",
     .help = "SiLU times a second product (SwiGLU); false: GELU of one"},
    {DTS_KEY(struct moe, normalized), .type = DTS_BOOL, .missing = "true",
     .help = "shares of the chosen experts sum to 1; false: probabilities among all"},
    {DTS_KEY(struct moe, capacity), .type = DTS_REAL, .min = 0, .max = 4096, .missing = "0",
     .help = "positions of a sample that an expert takes, over those of an even spread; the "
             "rest passes by; 0: all are taken"},
    {0},
};

static bool add_matrix(struct dts_layer_facts *facts, const char *name, double experts,
                       double outputs, double inputs, const struct dts_cfg *at,
                       struct dts_error *err)
{
    if (!dts_layer_param(facts, name, experts * outputs * inputs, at, err))
        return false;
    dts_layer_begin(facts, 0, 1 / sqrt(inputs), true); // as PyTorch's Linear
    dts_layer_fans(facts, inputs, outputs);
    return true;
}

static bool infer(void *self, struct dts_layer_facts *facts, const struct dts_cfg *at,
                  struct dts_error *err)
{
    const struct moe *moe = self;
    const struct dts_dims *in = &facts->inputs[0];
    if (in->count != 2)
        return dts_cfg_fail(at, "input", err, "must be positions x features, got %s",
                            dts_dims_text(in).chars);
    if (moe->top_k > moe->experts)
        return dts_cfg_fail(at, "top_k", err, "must be <= experts, %d, got %d", moe->experts,
                            moe->top_k);
    const double n = (double)in->size[1];
    const double most = (double)in->size[0] * moe->top_k * moe->ffn;
    if (most > DTS_LAYER_MOST_VALUES)
        return dts_cfg_fail(at, "ffn", err, "x top_k x positions must be <= %.0e values",
                            DTS_LAYER_MOST_VALUES);
    facts->output = *in;
    return add_matrix(facts, "router", 1, moe->experts, n, at, err) &&
           add_matrix(facts, "first", moe->experts, moe->ffn, n, at, err) &&
           add_matrix(facts, "down", moe->experts, n, moe->ffn, at, err) &&
           (!moe->gated || add_matrix(facts, "up", moe->experts, moe->ffn, n, at, err));
}

static void describe(const void *self, struct dts_op_call *call)
{
    const struct moe *moe = self;
    call->experts = moe->experts;
    call->chosen = moe->top_k;
    call->normalized = moe->normalized;
    call->capacity = moe->capacity;
}

const struct dts_layer_kind dts_layer_moe = {
    .name = "moe",
    .summary = "mixture of experts: each position goes to a few of many small networks",
    .fields = fields,
    .size = sizeof(struct moe),
    .inputs = 1,
    .infer = infer,
    .describe = describe,
    .cost = dts_moe_cost,
};
