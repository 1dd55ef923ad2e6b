/* moe.c -- mixtures of experts: Mixtral (Jiang et al. 2024, arXiv:2401.04088) and DeepSeek-V3
 * (arXiv:2412.19437). A block is llama's with a layer `moe` in place of the gated product; the
 * first `dense_layers` keep that. Shared experts take every position: they are one gated
 * product as wide as all of them.
 *
 * With key_value_rank queries, keys and values come from narrow vectors (multi-head latent
 * attention, arXiv:2405.04434): hidden -> rank, rms_norm, -> heads x head. `rotary_head` more
 * values of each query, and of one key for all heads, turn with the position. Their weights are
 * there, but attention sees the first `head` values of each alone, and turns those: no layer
 * has heads of two widths. Its scores so count head / (head + rotary_head) of their operations.
 */
#include "train/model/family/decoder.h"

struct moe {
    struct dts_decoder d;
    int experts, top_k, expert_ffn, shared_experts, dense_layers;
    int query_rank, key_value_rank, rotary_head;
    double capacity;
    bool normalized;
};

static const struct dts_field fields[] = {
    DTS_DECODER_FIELDS(struct moe, d.),
    DTS_FAMILY_INT(struct moe, experts, 4096, "among which each position chooses"),
    DTS_FAMILY_INT(struct moe, top_k, 64, "experts that a position goes to"),
    DTS_FAMILY_INT(struct moe, expert_ffn, DTS_FAMILY_FFN, "hidden features of an expert"),
    {DTS_KEY(struct moe, shared_experts), .type = DTS_INT, .min = 0, .max = 64, .missing = "0",
     .help = "experts that take every position"},
    {DTS_KEY(struct moe, dense_layers), .type = DTS_INT, .min = 0, .max = DTS_FAMILY_LAYERS,
     .missing = "0", .help = "of the first blocks, with a gated product of ffn features"},
    {.key = "ffn",
     .offset = offsetof(struct moe, d.ffn),
     .type = DTS_INT,
     .min = 1,
     .max = DTS_FAMILY_FFN,
     .missing = "null",
     .help = "features of the gated product of dense_layers"},
    {DTS_KEY(struct moe, capacity), .type = DTS_REAL, .min = 0, .max = 4096, .missing = "0",
     .help = "of an expert, over an even share of a sample's positions; 0: no limit"},
    {DTS_KEY(struct moe, normalized), .type = DTS_BOOL, .missing = "true",
     .help = "shares of the chosen experts sum to 1"},
    DTS_FAMILY_OPTION(struct moe, key_value_rank, DTS_FAMILY_HIDDEN,
                      "keys and values come from vectors of so many values"),
    DTS_FAMILY_OPTION(struct moe, query_rank, DTS_FAMILY_HIDDEN, "the same of queries"),
    DTS_FAMILY_OPTION(struct moe, rotary_head, 65536,
                      "values of a head that turn, beside the others, with key_value_rank"),
    {0},
};

/* All three keys of latent attention, or none. */
static bool check_latent(const struct moe *m, const struct dts_cfg *at, struct dts_error *err)
{
    static const char *const keys[] = {"query_rank", "rotary_head"};
    const int values[] = {m->query_rank, m->rotary_head};
    for (int i = 0; i < 2; i++)
        if ((values[i] > 0) != (m->key_value_rank > 0))
            return dts_cfg_fail(at, keys[i], err,
                                values[i] > 0 ? "needs key_value_rank"
                                              : "missing (key_value_rank needs it)");
    if (m->key_value_rank > 0 && m->d.kv_heads != m->d.heads)
        return dts_cfg_fail(at, "kv_heads", err, "must be heads, %d, with key_value_rank",
                            m->d.heads);
    return (double)m->d.heads * (m->d.head + m->rotary_head) <= DTS_FAMILY_FFN ||
           dts_cfg_fail(at, "rotary_head", err, "with head, x heads must be <= %d",
                        DTS_FAMILY_FFN);
}

static bool check(const struct moe *m, const struct dts_cfg *at, struct dts_error *err)
{
    if (m->top_k > m->experts)
        return dts_cfg_fail(at, "top_k", err, "must be <= experts, %d, got %d", m->experts,
                            m->top_k);
    if (m->dense_layers >= m->d.layers)
        return dts_cfg_fail(at, "dense_layers", err, "must be < layers, %d, got %d",
                            m->d.layers, m->dense_layers);
    if ((m->dense_layers > 0) != (m->d.ffn > 0))
        return dts_cfg_fail(at, "ffn", err,
                            m->d.ffn > 0 ? "only dense_layers have it"
                                         : "missing (dense_layers have it)");
    if ((double)m->shared_experts * m->expert_ffn > DTS_FAMILY_FFN)
        return dts_cfg_fail(at, "shared_experts", err, "x expert_ffn must be <= %d",
                            DTS_FAMILY_FFN);
    return check_latent(m, at, err);
}

static void add_latent_attention(const struct moe *m, struct dts_text *out)
{
    const int features = m->d.heads * m->d.head;
    dts_decoder_norm(&m->d, "norm_1", out);
    dts_family_linear(out, "query_down", NULL, m->query_rank, false);
    dts_decoder_norm(&m->d, "query_norm", out);
    dts_family_linear(out, "query_all", NULL, features + m->d.heads * m->rotary_head, false);
    dts_family_add(out, "{'name': 'query', 'kind': 'slice', 'axis': 1, 'count': %d}", features);
    dts_family_linear(out, "key_value_down", "norm_1", m->key_value_rank + m->rotary_head,
                      false);
    dts_family_add(out, "{'name': 'key_value', 'kind': 'slice', 'axis': 1, 'count': %d}",
                   m->key_value_rank);
    dts_decoder_norm(&m->d, "key_value_norm", out);
    dts_family_linear(out, "key", NULL, features, false);
    dts_family_linear(out, "value", "key_value_norm", features, false);
    dts_decoder_attend(&m->d, "query", "key", "value", out);
}

static void begin_block(const struct moe *m, const char *name, int repeat, struct dts_text *out)
{
    dts_family_add(out, "{'name': '%s', 'repeat': %d, 'layers': [", name, repeat);
    if (m->key_value_rank > 0)
        add_latent_attention(m, out);
    else
        dts_decoder_attention(&m->d, out);
}

static void add_dense(const struct moe *m, struct dts_text *out)
{
    if (m->dense_layers == 0)
        return;
    begin_block(m, "dense", m->dense_layers, out);
    dts_decoder_gated(&m->d, "", "norm_2", m->d.ffn, out);
    dts_family_add(out, "{'name': 'add_2', 'kind': 'add', 'input': ['down', 'add_1']}");
    dts_family_end(out);
}

static void add_mixtures(const struct moe *m, struct dts_text *out)
{
    begin_block(m, "h", m->d.layers - m->dense_layers, out);
    dts_family_add(out,
                   "{'name': 'experts', 'kind': 'moe', 'experts': %d, 'top_k': %d, 'ffn': %d, "
                   "'normalized': %s, 'capacity': %.9g}",
                   m->experts, m->top_k, m->expert_ffn, m->normalized ? "true" : "false",
                   m->capacity);
    if (m->shared_experts > 0)
        dts_decoder_gated(&m->d, "shared_", "norm_2", m->shared_experts * m->expert_ffn, out);
    dts_family_add(out, "{'name': 'add_2', 'kind': 'add', 'input': [%s'experts', 'add_1']}",
                   m->shared_experts > 0 ? "'shared_down', " : "");
    dts_family_end(out);
}

static bool expand(void *self, const struct dts_cfg *at, struct dts_text *out,
                   struct dts_error *err)
{
    struct moe *m = self;
    if (!dts_decoder_complete(&m->d, at, err) || !check(m, at, err))
        return false;
    dts_decoder_begin(&m->d, out);
    add_dense(m, out);
    add_mixtures(m, out);
    dts_decoder_end(&m->d, out);
    return true;
}

const struct dts_model_family dts_family_moe = {
    .name = "moe",
    .summary = "mixtures of experts: Mixtral, DeepSeek-V3",
    .fields = fields,
    .size = sizeof(struct moe),
    .expand = expand,
};
