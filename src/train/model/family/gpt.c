/* gpt.c -- GPT-2 and its heirs (Radford et al. 2019; Brown et al. 2020, arXiv:2005.14165;
 * Narayanan et al. 2021, arXiv:2104.04473; BLOOM, arXiv:2211.05100): normalization before each
 * branch, GELU, biases. models/gpt2.json is {layers 12, hidden 768, heads 12, vocabulary 50257,
 * sequence 1024}. With the defaults, P parameters:
 *
 *     P = layers (12 hidden^2 + 13 hidden) + (vocabulary + sequence) hidden + 2 hidden
 */
#include <string.h>

#include "train/model/family/family.h"

struct gpt {
    int layers, hidden, heads, ffn, vocabulary, sequence;
    double dropout;
    const char *positions;
    bool tied, bias, fused, embedding_norm;
};

static const char *positions_name(int i)
{
    static const char *const words[] = {"learned", "none", NULL};
    return words[i];
}

static const struct dts_field fields[] = {
    DTS_FAMILY_INT(struct gpt, layers, DTS_FAMILY_LAYERS, "blocks"),
    DTS_FAMILY_INT(struct gpt, hidden, DTS_FAMILY_HIDDEN, "features of a position"),
    DTS_FAMILY_INT(struct gpt, heads, DTS_FAMILY_HEADS, "of attention; divides hidden"),
    DTS_FAMILY_OPTION(struct gpt, ffn, DTS_FAMILY_FFN,
                      "features between the two linear layers (default: 4 x hidden)"),
    DTS_FAMILY_INT(struct gpt, vocabulary, DTS_FAMILY_VOCABULARY, "different tokens"),
    DTS_FAMILY_INT(struct gpt, sequence, DTS_FAMILY_SEQUENCE, "tokens of a sample"),
    DTS_FAMILY_RATE(struct gpt, dropout, "0.1",
                    "of embeddings, probabilities and branches; 0: none"),
    {DTS_KEY(struct gpt, positions), .type = DTS_STRING, .choice = positions_name,
     .missing = "\"learned\"",
     .help = "learned: a row for each position; none: nothing is added (ALiBi, too)"},
    DTS_FAMILY_BOOL(struct gpt, tied, "true", "the output uses the table of the embedding"),
    DTS_FAMILY_BOOL(struct gpt, bias, "true", "linear layers of the blocks have biases"),
    DTS_FAMILY_BOOL(struct gpt, fused, "false", "attention is one kernel"),
    DTS_FAMILY_BOOL(struct gpt, embedding_norm, "false",
                    "a layer_norm behind the embedding, as in BLOOM"),
    {0},
};

static void add_drop(const struct gpt *g, const char *name, struct dts_text *out)
{
    dts_family_add(out, "{'name': '%s', 'kind': 'dropout', 'rate': %.6g}", name, g->dropout);
}

static void add_embedding(const struct gpt *g, struct dts_text *out)
{
    dts_family_add(out,
                   "{'name': 'token_embedding', 'kind': 'embedding', 'vocabulary': %d, "
                   "'features': %d}",
                   g->vocabulary, g->hidden);
    if (strcmp(g->positions, positions_name(0)) == 0)
        dts_family_add(out,
                       "{'name': 'position_embedding', 'kind': 'positional_embedding', "
                       "'positions': %d}",
                       g->sequence);
    if (g->embedding_norm)
        dts_family_add(out, "{'name': 'embedding_norm', 'kind': 'layer_norm'}");
    add_drop(g, "drop", out);
}

static void add_block(const struct gpt *g, struct dts_text *out)
{
    dts_family_add(out, "{'name': 'h', 'repeat': %d, 'layers': [", g->layers);
    dts_family_add(out, "{'name': 'ln_1', 'kind': 'layer_norm'}");
    dts_family_linear(out, "qkv", NULL, 3 * g->hidden, g->bias);
    dts_family_add(out,
                   "{'name': 'attention', 'kind': 'attention', 'heads': %d, 'causal': true, "
                   "'dropout': %.6g, 'fused': %s}",
                   g->heads, g->dropout, g->fused ? "true" : "false");
    dts_family_projection(out, "proj", g->hidden, g->bias, 2 * g->layers);
    add_drop(g, "drop_1", out);
    dts_family_add(out, "{'name': 'add_1', 'kind': 'add', 'input': ['drop_1', 'entry']}");
    dts_family_add(out, "{'name': 'ln_2', 'kind': 'layer_norm'}");
    dts_family_linear(out, "fc", NULL, g->ffn, g->bias);
    dts_family_add(out, "{'name': 'gelu', 'kind': 'gelu'}");
    dts_family_projection(out, "fc_proj", g->hidden, g->bias, 2 * g->layers);
    add_drop(g, "drop_2", out);
    dts_family_add(out, "{'name': 'add_2', 'kind': 'add', 'input': ['drop_2', 'add_1']}");
    dts_family_end(out);
}

static bool expand(void *self, const struct dts_cfg *at, struct dts_text *out,
                   struct dts_error *err)
{
    struct gpt *g = self;
    if (!dts_family_divides(at, "heads", g->heads, "hidden", g->hidden, err) ||
        !dts_family_fits(at, "vocabulary", g->vocabulary, "sequence", g->sequence, err))
        return false;
    g->ffn = g->ffn > 0 ? g->ffn : 4 * g->hidden;
    dts_family_begin(out, g->sequence);
    add_embedding(g, out);
    add_block(g, out);
    dts_family_add(out, "{'name': 'ln_f', 'kind': 'layer_norm'}");
    dts_family_head(out, g->vocabulary, g->tied);
    return true;
}

const struct dts_model_family dts_family_gpt = {
    .name = "gpt",
    .summary = "GPT-2 and its heirs: GPT-3, Megatron's, BLOOM",
    .fields = fields,
    .size = sizeof(struct gpt),
    .expand = expand,
};
