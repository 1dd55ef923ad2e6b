/* attention.c -- scaled dot-product attention (Vaswani et al. 2017, arXiv:1706.03762),
 * without its projections, which are linear layers before and after it:
 *
 *     scores = q k^T / sqrt(d),  p = softmax(scores),  y = dropout(p) v      for each head
 *
 * The input is one tensor of [positions, q k v behind one another], or three: queries [s, f],
 * keys and values [t, g], where g may be smaller: groups of heads then share keys and values.
 */
#include "train/model/layer/layer.h"

struct attention {
    int heads;
    bool causal, fused;
    double dropout;
};

static const struct dts_field fields[] = {
    {DTS_KEY(struct attention, heads), .type = DTS_INT, .min = 1, .max = 65536,
     .help = "parts of the features that attend on their own"},
    {DTS_KEY(struct attention, causal), .type = DTS_BOOL, .missing = "false",
     .help = "a position sees only those before it"},
    {DTS_KEY(struct attention, dropout), .type = DTS_REAL, .min = 0, .max = 0.99,
     .missing = "0", .help = "share of the probabilities that become zero"},
    {DTS_KEY(struct attention, fused), .type = DTS_BOOL, .missing = "false",
     .help = "one kernel that keeps no scores in memory"},
    {0},
};

static bool check_inputs(const struct attention *self, const struct dts_layer_facts *facts,
                         const struct dts_cfg *at, struct dts_error *err)
{
    const struct dts_dims *in = facts->inputs;
    if (facts->input_count != 1 && facts->input_count != 3)
        return dts_cfg_fail(at, "input", err,
                            "must be one layer (q, k, v in one) or three (q, k, v), got %d",
                            facts->input_count);
    for (int i = 0; i < facts->input_count; i++)
        if (in[i].count != 2)
            return dts_cfg_fail(at, "input", err, "must be positions x features, got %s",
                                dts_dims_text(&in[i]).chars);
    if (facts->input_count == 1 && in[0].size[1] % 3 != 0)
        return dts_cfg_fail(at, "input", err, "must have 3 x features, got %s",
                            dts_dims_text(&in[0]).chars);
    size_t features = facts->input_count == 1 ? in[0].size[1] / 3 : in[0].size[1];
    if (features % (size_t)self->heads != 0)
        return dts_cfg_fail(at, "heads", err, "must divide the features, %zu, got %d", features,
                            self->heads);
    if (facts->input_count == 1)
        return true;
    size_t head = features / (size_t)self->heads;
    if (!dts_dims_equal(&in[1], &in[2]) || in[1].size[1] % head != 0 ||
        features % in[1].size[1] != 0)
        return dts_cfg_fail(at, "input", err,
                            "keys and values must be alike, of %zu features or a part of it, "
                            "got %s and %s",
                            features, dts_dims_text(&in[1]).chars, dts_dims_text(&in[2]).chars);
    return true;
}

static bool infer(void *self, struct dts_layer_facts *facts, const struct dts_cfg *at,
                  struct dts_error *err)
{
    if (!check_inputs(self, facts, at, err))
        return false;
    const struct dts_dims *in = facts->inputs;
    const size_t features = facts->input_count == 1 ? in[0].size[1] / 3 : in[0].size[1];
    facts->output = (struct dts_dims){2, {in[0].size[0], features, 1, 1}};
    return true;
}

static void describe(const void *self, struct dts_op_call *call)
{
    const struct attention *attention = self;
    call->heads = attention->heads;
    call->causal = attention->causal;
    call->fused = attention->fused;
    call->rate = attention->dropout;
}

const struct dts_layer_kind dts_layer_attention = {
    .name = "attention",
    .summary = "each position takes from others what its query asks for",
    .fields = fields,
    .size = sizeof(struct attention),
    .infer = infer,
    .describe = describe,
    .cost = dts_attention_cost,
};
