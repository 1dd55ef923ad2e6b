/* embedding.c -- rows of a table: one for each token, one for each position, or in front of all
 * positions. */
#include "train/model/layer/layer.h"

struct embedding {
    int vocabulary, features;
    bool sparse;
    double zipf, density;
};

static const struct dts_field embedding_fields[] = {
    {DTS_KEY(struct embedding, vocabulary), .type = DTS_INT, .min = 1, .max = 2e9,
     .help = "rows of the table: different tokens"},
    {DTS_KEY(struct embedding, features), .type = DTS_INT, .min = 1, .max = 1e6,
     .help = "values of a row"},
    {DTS_KEY(struct embedding, sparse), .type = DTS_BOOL, .missing = "false",
     .help = "its gradient is a list of the rows that occur, and only those are updated"},
    {DTS_KEY(struct embedding, zipf), .type = DTS_REAL, .min = 0, .max = 10, .missing = "null",
     .help = "sparse: row r occurs in proportion to r^-zipf, 0: all alike; default: 1"},
    {DTS_KEY(struct embedding, density), .type = DTS_REAL, .min = 1e-12, .max = 1,
     .missing = "null",
     .help = "sparse: the share of the rows that a device's samples of a step name, where it "
             "is known; default: as zipf says"},
    {0},
};

/* What is said of rows that occur is about a sparse table. */
static bool read_rows(struct embedding *embedding, const struct dts_cfg *at,
                      struct dts_error *err)
{
    const struct dts_cfg zipf = dts_cfg_member(at, "zipf");
    const struct dts_cfg density = dts_cfg_member(at, "density");
    if (!embedding->sparse && (dts_cfg_exists(&zipf) || dts_cfg_exists(&density)))
        return dts_cfg_fail(at, dts_cfg_exists(&zipf) ? "zipf" : "density", err,
                            "has no effect on a table that is not sparse");
    if (dts_cfg_exists(&zipf) && dts_cfg_exists(&density))
        return dts_cfg_fail(at, "zipf", err, "has no effect where density says it");
    if (!dts_cfg_exists(&zipf))
        embedding->zipf = 1; // Zipf 1949: words of a language
    return true;
}

static bool embedding_infer(void *self, struct dts_layer_facts *facts, const struct dts_cfg *at,
                            struct dts_error *err)
{
    struct embedding *embedding = self;
    const struct dts_dims *input = &facts->inputs[0];
    if (!read_rows(embedding, at, err))
        return false;
    if (input->count >= DTS_DIMS)
        return dts_cfg_fail(at, "input", err, "must have at most %d sizes, got %s",
                            DTS_DIMS - 1, dts_dims_text(input).chars);
    facts->output = *input;
    facts->output.size[facts->output.count++] = (size_t)embedding->features;
    if (!dts_layer_param(facts, "weight", (double)embedding->vocabulary * embedding->features,
                         at, err))
        return false;
    dts_layer_begin(facts, 0, 0.02, false); // as GPT-2 and BERT
    if (embedding->sparse)
        dts_layer_sparse(facts, (size_t)embedding->features, embedding->zipf,
                         embedding->density);
    return true;
}

static void embedding_describe(const void *self, struct dts_op_call *call)
{
    const struct embedding *embedding = self;
    call->table = (size_t)embedding->vocabulary;
    call->sparse = embedding->sparse;
}

struct positional {
    int positions;
};

static const struct dts_field positional_fields[] = {
    {DTS_KEY(struct positional, positions), .type = DTS_INT, .min = 1, .max = 1e8,
     .help = "rows of the table: the longest sequence"},
    {0},
};

static bool positional_infer(void *self, struct dts_layer_facts *facts,
                             const struct dts_cfg *at, struct dts_error *err)
{
    const struct positional *positional = self;
    const struct dts_dims *input = &facts->inputs[0];
    if (input->count != 2)
        return dts_cfg_fail(at, "input", err, "must be positions x features, got %s",
                            dts_dims_text(input).chars);
    if (input->size[0] > (size_t)positional->positions)
        return dts_cfg_fail(at, "positions", err, "must be >= %zu, the input's, got %d",
                            input->size[0], positional->positions);
    facts->output = *input;
    if (!dts_layer_param(facts, "weight", positional->positions * (double)input->size[1], at,
                         err))
        return false;
    dts_layer_begin(facts, 0, 0.02, false);
    return true;
}

struct class_token {
    int tokens;
};

static const struct dts_field class_fields[] = {
    {DTS_KEY(struct class_token, tokens), .type = DTS_INT, .min = 1, .max = 1e6, .missing = "1",
     .help = "learned rows that go in front"},
    {0},
};

static bool class_infer(void *self, struct dts_layer_facts *facts, const struct dts_cfg *at,
                        struct dts_error *err)
{
    const struct class_token *token = self;
    const struct dts_dims *input = &facts->inputs[0];
    if (input->count != 2)
        return dts_cfg_fail(at, "input", err, "must be positions x features, got %s",
                            dts_dims_text(input).chars);
    facts->output = *input;
    facts->output.size[0] += (size_t)token->tokens;
    if (!dts_layer_param(facts, "weight", token->tokens * (double)input->size[1], at, err))
        return false;
    dts_layer_begin(facts, 0, 0.02, false);
    return true;
}

const struct dts_layer_kind dts_layer_embedding = {
    .name = "embedding",
    .summary = "a row of a table for each token: [positions] into [positions, features]",
    .fields = embedding_fields,
    .size = sizeof(struct embedding),
    .inputs = 1,
    .infer = embedding_infer,
    .describe = embedding_describe,
    .cost = dts_embedding_cost,
};

const struct dts_layer_kind dts_layer_positional_embedding = {
    .name = "positional_embedding",
    .summary = "adds a learned row for each position to its input",
    .fields = positional_fields,
    .size = sizeof(struct positional),
    .inputs = 1,
    .infer = positional_infer,
    .cost = dts_positional_embedding_cost,
};

const struct dts_layer_kind dts_layer_class_token = {
    .name = "class_token",
    .summary = "learned rows in front of a sequence: what classifies reads them",
    .fields = class_fields,
    .size = sizeof(struct class_token),
    .inputs = 1,
    .infer = class_infer,
    .cost = dts_class_token_cost,
};
