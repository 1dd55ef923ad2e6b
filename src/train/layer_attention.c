/* layer_attention.c -- scaled dot-product attention (Vaswani et al. 2017, arXiv:1706.03762),
 * without its projections, which are linear layers before and after it:
 *
 *     scores = q k^T / sqrt(d),  p = softmax(scores),  y = dropout(p) v      for each head
 *
 * The input is one tensor of [positions, q k v behind one another], or three: queries [s, f],
 * keys and values [t, g], where g may be smaller: groups of heads then share keys and values.
 *
 * A fused kernel (Dao et al. 2022, arXiv:2205.14135) never writes the scores to memory,
 * computes them again for the backward pass, and skips the half that a causal mask hides.
 */
#include "train/layer.h"

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

/* Sizes in values; s queries, t keys. */
struct sizes {
    double query, keys, scores; // s f, t g, heads s t
    double statistics;          // heads s
    double product;             // flops of scores by all heads: 2 s t f
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

static struct dts_layer_cost plain_cost(const struct sizes *n, bool dropout)
{
    double drop = dropout ? n->scores : 0;
    double backward = 4 * n->product + 5 * n->scores + drop;
    double io = n->query + 2 * n->keys;
    /* Passes over the scores. Forward: product writes, softmax reads and writes, product reads.
     * Backward: dv reads p, dp is written, softmax reads p and dp and writes ds, dq and dk read
     * ds. Dropout reads and writes once more each way. */
    double backward_values = 7 * n->scores + 2 * drop + 2 * io + n->query;
    return (struct dts_layer_cost){
        .class = DTS_WORK_MATMUL,
        .forward_flops =
            2 * n->product + 6 * n->scores + 2 * drop, // softmax: scale, max,
                                                       // subtract, exp, sum, divide
        .backward_flops = backward, // dv, dp, dq, dk; softmax: dot 2, subtract, multiply, scale
        .input_flops = backward,
        .forward_values = 4 * n->scores + 2 * drop + io + n->query,
        .backward_values = backward_values,
        .input_values = backward_values,
        .saved_values = n->scores + drop, // p, and what dropout left of it
        .saved_bytes = drop,              // its mask
        .saves_input = true,
    };
}

static struct dts_layer_cost fused_cost(const struct sizes *n, bool causal)
{
    double part = causal ? 0.5 : 1;
    double backward = part * (5 * n->product + 10 * n->scores); // the scores once more
    double io = n->query + 2 * n->keys;
    double backward_values = 2 * io + 2 * n->query; // read q, k, v, y, dy, write dq, dk, dv
    return (struct dts_layer_cost){
        .class = DTS_WORK_MATMUL,
        .forward_flops = part * (2 * n->product + 6 * n->scores),
        .backward_flops = backward,
        .input_flops = backward,
        .forward_values = io + n->query,
        .backward_values = backward_values,
        .input_values = backward_values,
        .saved_bytes = 4 * n->statistics, // log of the sum of exponentials, fp32
        .saves_input = true,
        .saves_output = true,
    };
}

static bool infer(void *self, struct dts_layer_facts *facts, const struct dts_cfg *at,
                  struct dts_error *err)
{
    const struct attention *attention = self;
    if (!check_inputs(attention, facts, at, err))
        return false;
    const struct dts_dims *in = facts->inputs;
    bool one = facts->input_count == 1;
    size_t features = one ? in[0].size[1] / 3 : in[0].size[1];
    const struct dts_dims *keys = one ? &in[0] : &in[1];
    double s = (double)in[0].size[0], t = (double)keys->size[0];

    facts->output = (struct dts_dims){2, {in[0].size[0], features, 1, 1}};
    struct sizes n = {
        .query = s * (double)features,
        .keys = t * (one ? (double)features : (double)keys->size[1]),
        .scores = attention->heads * s * t,
        .statistics = attention->heads * s,
        .product = 2 * s * t * (double)features,
    };
    facts->cost = attention->fused ? fused_cost(&n, attention->causal)
                                   : plain_cost(&n, attention->dropout > 0);
    return true;
}

static void describe(const void *self, struct dts_op_call *call)
{
    const struct attention *attention = self;
    call->heads = attention->heads;
    call->causal = attention->causal;
    call->rate = attention->dropout;
}

const struct dts_layer_kind dts_layer_attention = {
    .name = "attention",
    .summary = "each position takes from others what its query asks for",
    .fields = fields,
    .size = sizeof(struct attention),
    .infer = infer,
    .describe = describe,
};
