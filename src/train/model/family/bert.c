/* bert.c -- pretraining of BERT with both heads (Devlin et al. 2019, arXiv:1810.04805):
 * normalization behind each branch. models/bert_large.json is {layers 24, hidden 1024, heads
 * 16, vocabulary 30522, sequence 512, masked 76}. */
#include "train/model/family/family.h"

struct bert {
    int layers, hidden, heads, ffn, vocabulary, sequence, masked, positions;
    double dropout;
    bool fused;
};

static const struct dts_field fields[] = {
    DTS_FAMILY_INT(struct bert, layers, DTS_FAMILY_LAYERS, "blocks"),
    DTS_FAMILY_INT(struct bert, hidden, DTS_FAMILY_HIDDEN, "features of a position"),
    DTS_FAMILY_INT(struct bert, heads, DTS_FAMILY_HEADS, "of attention; divides hidden"),
    DTS_FAMILY_OPTION(struct bert, ffn, DTS_FAMILY_FFN,
                      "features between the two linear layers (default: 4 x hidden)"),
    DTS_FAMILY_INT(struct bert, vocabulary, DTS_FAMILY_VOCABULARY, "different tokens"),
    DTS_FAMILY_INT(struct bert, sequence, DTS_FAMILY_SEQUENCE, "tokens of a sample"),
    DTS_FAMILY_INT(struct bert, masked, DTS_FAMILY_SEQUENCE, "tokens of them to be told"),
    DTS_FAMILY_OPTION(struct bert, positions, DTS_FAMILY_SEQUENCE,
                      "rows of the table of positions (default: 512, or sequence)"),
    DTS_FAMILY_RATE(struct bert, dropout, "0.1",
                    "of embeddings, probabilities and branches; 0: none"),
    DTS_FAMILY_BOOL(struct bert, fused, "false", "attention is one kernel"),
    {0},
};

static const char norm[] = "{'name': '%s', 'kind': 'layer_norm', 'epsilon': 1e-12}";

static void add_embedding(const struct bert *b, struct dts_text *out)
{
    dts_family_add(out,
                   "{'name': 'segments', 'kind': 'embedding', 'vocabulary': 2, 'features': %d}",
                   b->hidden);
    dts_family_add(out,
                   "{'name': 'tokens', 'kind': 'embedding', 'input': 'entry', 'vocabulary': "
                   "%d, 'features': %d}",
                   b->vocabulary, b->hidden);
    dts_family_add(out,
                   "{'name': 'positions', 'kind': 'positional_embedding', 'positions': %d}",
                   b->positions);
    dts_family_add(out,
                   "{'name': 'embeddings', 'kind': 'add', 'input': ['positions', 'segments']}");
    dts_family_add(out, norm, "norm");
    dts_family_add(out, "{'name': 'drop', 'kind': 'dropout', 'rate': %.6g}", b->dropout);
}

static void add_sum(const struct bert *b, int number, const char *with, struct dts_text *out)
{
    dts_family_add(out, "{'name': 'drop_%d', 'kind': 'dropout', 'rate': %.6g}", number,
                   b->dropout);
    dts_family_add(out, "{'name': 'add_%d', 'kind': 'add', 'input': ['drop_%d', '%s']}", number,
                   number, with);
    dts_family_add(out, "{'name': 'norm_%d', 'kind': 'layer_norm', 'epsilon': 1e-12}", number);
}

static void add_block(const struct bert *b, struct dts_text *out)
{
    static const char *const parts[] = {"query", "key", "value"};
    dts_family_add(out, "{'name': 'encoder', 'repeat': %d, 'layers': [", b->layers);
    for (int i = 0; i < 3; i++)
        dts_family_linear(out, parts[i], "entry", b->hidden, true);
    dts_family_add(out,
                   "{'name': 'attention', 'kind': 'attention', 'input': ['query', 'key', "
                   "'value'], 'heads': %d, 'dropout': %.6g, 'fused': %s}",
                   b->heads, b->dropout, b->fused ? "true" : "false");
    dts_family_linear(out, "proj", NULL, b->hidden, true);
    add_sum(b, 1, "entry", out);
    dts_family_linear(out, "fc", NULL, b->ffn, true);
    dts_family_add(out, "{'name': 'gelu', 'kind': 'gelu'}");
    dts_family_linear(out, "fc_proj", NULL, b->hidden, true);
    add_sum(b, 2, "norm_1", out);
    dts_family_end(out);
}

static void add_heads(const struct bert *b, struct dts_text *out)
{
    dts_family_add(out, "{'name': 'pooler', 'layers': [");
    dts_family_add(out, "{'name': 'first', 'kind': 'select', 'positions': 1}");
    dts_family_linear(out, "dense", NULL, b->hidden, true);
    dts_family_add(out, "{'name': 'tanh', 'kind': 'tanh'}");
    dts_family_end(out);
    dts_family_add(out, "{'name': 'next_sentence', 'layers': [");
    dts_family_linear(out, "logits", NULL, 2, true);
    dts_family_add(out, "{'name': 'loss', 'kind': 'softmax_cross_entropy'}");
    dts_family_end(out);
    dts_family_add(out, "{'name': 'masked_tokens', 'input': 'encoder', 'layers': [");
    dts_family_add(out, "{'name': 'masked', 'kind': 'select', 'positions': %d}", b->masked);
    dts_family_linear(out, "dense", NULL, b->hidden, true);
    dts_family_add(out, "{'name': 'gelu', 'kind': 'gelu'}");
    dts_family_add(out, norm, "norm");
    dts_family_add(out, "{'name': 'logits', 'kind': 'linear', 'tied': 'tokens', 'outputs': %d}",
                   b->vocabulary);
    dts_family_add(out, "{'name': 'loss', 'kind': 'softmax_cross_entropy'}");
    dts_family_end(out);
}

static bool expand(void *self, const struct dts_cfg *at, struct dts_text *out,
                   struct dts_error *err)
{
    enum { USUAL_POSITIONS = 512 };
    struct bert *b = self;
    const int least = b->sequence > USUAL_POSITIONS ? b->sequence : USUAL_POSITIONS;
    b->positions = b->positions > 0 ? b->positions : least;
    b->ffn = b->ffn > 0 ? b->ffn : 4 * b->hidden;
    if (b->masked > b->sequence)
        return dts_cfg_fail(at, "masked", err, "must be <= sequence, %d, got %d", b->sequence,
                            b->masked);
    if (b->positions < b->sequence)
        return dts_cfg_fail(at, "positions", err, "must be >= sequence, %d, got %d",
                            b->sequence, b->positions);
    if (!dts_family_divides(at, "heads", b->heads, "hidden", b->hidden, err) ||
        !dts_family_fits(at, "vocabulary", b->vocabulary, "masked", b->masked, err))
        return false;
    dts_family_begin(out, b->sequence);
    add_embedding(b, out);
    add_block(b, out);
    add_heads(b, out);
    dts_text_add(out, "]");
    return true;
}

const struct dts_model_family dts_family_bert = {
    .name = "bert",
    .summary = "pretraining of BERT with both heads",
    .fields = fields,
    .size = sizeof(struct bert),
    .expand = expand,
};
