/* test_families.c -- networks by numbers against the files that a person wrote, closed forms of
 * their parameters, and how they are refused. */
#include <stdio.h>

#include "check.h"
#include "train/model/model.h"

#define GPT   "\"family\": \"gpt\", \"layers\": 2, \"vocabulary\": 50, "
#define LLAMA "\"family\": \"llama\", \"layers\": 2, \"hidden\": 64, \"ffn\": 100, "
#define MOE                                                                                    \
    "\"family\": \"moe\", \"layers\": 2, \"hidden\": 64, \"heads\": 4, \"expert_ffn\": 9, "
#define TOKENS "\"vocabulary\": 50, \"sequence\": 16"

static bool load(struct dts_model *model, const char *name)
{
    char path[512];
    struct dts_error err = {0};
    snprintf(path, sizeof(path), "%s/models/%s.json", DTS_SOURCE, name);
    return CHECK(dts_model_load(model, path, &err));
}

static bool parse(struct dts_model *model, const char *text)
{
    struct dts_error err = {0};
    const bool good = dts_model_parse(model, "m.json", text, &err);
    if (!good)
        printf("%s\n  %s\n", text, err.text);
    return CHECK(good);
}

/* Layer by layer: names, kinds, inputs, shapes, costs, how weights begin. */
static void check_same(const struct dts_model *a, const struct dts_model *b)
{
    CHECK_INT(a->layer_count, b->layer_count);
    CHECK_STRING(a->sample, b->sample);
    CHECK(dts_dims_equal(&a->input, &b->input));
    for (int l = 0; l < a->layer_count && l < b->layer_count; l++) {
        const struct dts_layer *x = &a->layers[l], *y = &b->layers[l];
        CHECK_STRING(x->name, y->name);
        CHECK(x->kind == y->kind && x->tied_to == y->tied_to);
        CHECK_INT(x->input_count, y->input_count);
        for (int i = 0; i < x->input_count; i++)
            CHECK_INT(x->inputs[i], y->inputs[i]);
        CHECK(dts_dims_equal(&x->output, &y->output));
        CHECK(memcmp(&x->cost, &y->cost, sizeof(x->cost)) == 0);
        CHECK_INT(x->param_count, y->param_count);
        for (int p = 0; p < x->param_count; p++) {
            CHECK_INT(x->params[p].count, y->params[p].count);
            CHECK_NEAR(x->params[p].spread, y->params[p].spread, 1e-8);
        }
    }
}

static void families_are_the_networks_that_were_written_by_hand(void)
{
    static const struct {
        const char *file, *text;
    } pairs[] = {
        {"gpt2", "{\"family\": \"gpt\", \"layers\": 12, \"hidden\": 768, \"heads\": 12, "
                 "\"vocabulary\": 50257, \"sequence\": 1024}"},
        {"gpt2_xl", "{\"family\": \"gpt\", \"layers\": 48, \"hidden\": 1600, \"heads\": 25, "
                    "\"vocabulary\": 50257, \"sequence\": 1024}"},
        {"bert_large", "{\"family\": \"bert\", \"layers\": 24, \"hidden\": 1024, \"heads\": "
                       "16, \"vocabulary\": 30522, \"sequence\": 512, \"masked\": 76}"},
        {"bert_large_256",
         "{\"family\": \"bert\", \"layers\": 24, \"hidden\": 1024, \"heads\": 16, "
         "\"vocabulary\": 30522, \"sequence\": 256, \"masked\": 38, \"fused\": true}"},
        {"bert_base", "{\"family\": \"bert\", \"layers\": 12, \"hidden\": 768, \"heads\": 12, "
                      "\"vocabulary\": 30522, \"sequence\": 128, \"masked\": 20}"},
    };
    for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
        struct dts_model written, made;
        if (!load(&written, pairs[i].file))
            continue;
        if (parse(&made, pairs[i].text)) {
            check_same(&made, &written);
            CHECK_NEAR(made.parameters, written.parameters, 0);
            CHECK_NEAR(made.saved_values, written.saved_values, 0);
            dts_model_free(&made);
        }
        dts_model_free(&written);
    }
}

/* Equation 2 of Narayanan et al. 2021, and the last normalization. */
static void parameters_follow_the_closed_forms(void)
{
    char text[512];
    for (int i = 1; i <= 5; i++) {
        const int l = i, heads = 2 * i, hidden = 10 * heads, kv = i, ffn = 31 * i, v = 97 + i;
        const int s = 12 + i, head = 10;
        struct dts_model model;
        snprintf(text, sizeof(text),
                 "{\"family\": \"gpt\", \"layers\": %d, \"hidden\": %d, \"heads\": %d, "
                 "\"vocabulary\": %d, \"sequence\": %d}",
                 l, hidden, heads, v, s);
        if (parse(&model, text)) {
            CHECK_NEAR(model.parameters,
                       12.0 * l * hidden * hidden * (1 + 13 / (12.0 * hidden)) +
                           (v + s) * hidden + 2 * hidden,
                       1e-6);
            dts_model_free(&model);
        }
        snprintf(text, sizeof(text),
                 "{\"family\": \"llama\", \"layers\": %d, \"hidden\": %d, \"heads\": %d, "
                 "\"kv_heads\": %d, \"ffn\": %d, \"vocabulary\": %d, \"sequence\": %d}",
                 l, hidden, heads, kv, ffn, v, s);
        if (parse(&model, text)) {
            CHECK_NEAR(
                model.parameters,
                l * (2.0 * hidden * head * (heads + kv) + 3 * hidden * ffn + 2 * hidden) +
                    2 * v * hidden + hidden,
                0);
            dts_model_free(&model);
        }
    }
}

/* Section 5.1 of Narayanan et al. 2021, without recomputation: for a sample. */
static double megatron_flops(double s, double l, double h, double v)
{
    return 72 * s * l * h * h * (1 + s / (6 * h) + v / (12 * l * h));
}

static void products_are_what_megatron_counts(void)
{
    struct dts_model model;
    if (load(&model, "gpt3_175b")) {
        const double flops = megatron_flops(2048, 96, 12288, 50257);
        CHECK_NEAR(model.tokens, 2048, 0);
        CHECK_CLOSE(3 * model.product_flops, flops, 1e-12);
        CHECK_NEAR(model.repeated_flops, 0, 0); // plain attention keeps its scores
        dts_model_free(&model);
    }
    if (parse(&model, "{\"family\": \"gpt\", \"layers\": 3, \"hidden\": 64, \"heads\": 4, "
                      "\"vocabulary\": 50, \"sequence\": 24, \"fused\": true}")) {
        CHECK_CLOSE(3 * model.product_flops, megatron_flops(24, 3, 64, 50), 1e-12);
        CHECK_NEAR(model.repeated_flops, 3.0 * 2 * 24 * 24 * 64, 0);
        dts_model_free(&model);
    }
    if (parse(&model,
              "{" MOE TOKENS ", \"experts\": 8, \"top_k\": 2, \"shared_experts\": 1}")) {
        // of two layers: four projections, three products of 2 + 1 experts, the router, all
        // pairs
        const double each = 4 * 64 * 64 + 3 * 3 * 64 * 9 + 8 * 64 + 2 * 16 * 64;
        CHECK_NEAR(model.product_flops, 2 * 16 * (2 * each + 50 * 64), 0);
        dts_model_free(&model);
    }
    if (load(&model, "vit_b_16")) { // an image has no tokens
        CHECK_NEAR(model.tokens, 0, 0);
        dts_model_free(&model);
    }
}

static void blocks_are_found_by_their_names(void)
{
    static const char *const names[] = {"gpt3_175b", "llama3_405b", "vit_b_16"};
    static const char *const first[] = {"h.95.ln_1", "h.125.norm_1", "h.11.norm_1"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        struct dts_model model;
        bool found = false;
        if (!load(&model, names[i]))
            continue;
        for (int l = 0; l < model.layer_count; l++)
            found = found || strcmp(model.layers[l].name, first[i]) == 0;
        CHECK(found);
        dts_model_free(&model);
    }
}

static void a_network_without_a_name_is_called_by_its_size(void)
{
    struct dts_model model;
    if (!parse(&model,
               "{\"family\": \"llama\", \"layers\": 32, \"hidden\": 4096, \"heads\": 32, "
               "\"kv_heads\": 8, \"ffn\": 14336, \"vocabulary\": 128256, "
               "\"sequence\": 8192}"))
        return;
    CHECK_STRING(model.name, "llama_8.03b");
    dts_model_free(&model);
}

static const struct {
    const char *text, *message;
} mistakes[] = {
    {"{\"family\": \"lama\"}", "m.json: family: must be one of gpt, llama, moe, bert, "
                               "nemotron, vit, got \"lama\" (did you mean "
                               "llama?)"},
    {"{\"family\": \"gpt\", \"hiden\": 64}",
     "m.json: hiden: unknown key (did you mean hidden?)"},
    {"{\"family\": \"gpt\", \"hidden\": 64}", "m.json: layers: missing (blocks)"},
    {"{" GPT "\"sequence\": 8, \"hidden\": 0, \"heads\": 1}",
     "m.json: hidden: must be >= 1, got 0"},
    {"{" GPT "\"sequence\": 8, \"hidden\": 64, \"heads\": 5}",
     "m.json: heads: must divide hidden, 64, got 5"},
    {"{" GPT "\"sequence\": 8, \"hidden\": 64, \"heads\": 4, \"dropout\": 1}",
     "m.json: dropout: must be <= 0.99, got 1"},
    {"{" GPT "\"sequence\": 8, \"hidden\": 64, \"heads\": 4, \"layers_\": []}",
     "m.json: layers_: unknown key (did you mean layers?)"},
    {"{" LLAMA TOKENS ", \"heads\": 4, \"kv_heads\": 3}",
     "m.json: kv_heads: must divide heads, 4, got 3"},
    {"{" LLAMA TOKENS ", \"heads\": 64}",
     "m.json: head: must be even for rotary positions, got 1"},
    {"{" LLAMA TOKENS ", \"heads\": 4096, \"head\": 65536}",
     "m.json: head: x heads must be <= 1000000, got 65536 x 4096"},
    {"{" LLAMA "\"heads\": 4, \"vocabulary\": 10000000, \"sequence\": 1000000}",
     "m.json: vocabulary: x sequence must be <= 1e+12 values, got 10000000 x 1000000"},
    {"{" MOE TOKENS ", \"experts\": 4, \"top_k\": 5}",
     "m.json: top_k: must be <= experts, 4, got 5"},
    {"{" MOE TOKENS ", \"experts\": 4, \"top_k\": 2, \"ffn\": 7}",
     "m.json: ffn: only dense_layers have it"},
    {"{" MOE TOKENS ", \"experts\": 4, \"top_k\": 2, \"dense_layers\": 1}",
     "m.json: ffn: missing (dense_layers have it)"},
    {"{" MOE TOKENS ", \"experts\": 4, \"top_k\": 2, \"dense_layers\": 2, \"ffn\": 7}",
     "m.json: dense_layers: must be < layers, 2, got 2"},
    {"{" MOE TOKENS ", \"experts\": 4, \"top_k\": 2, \"rotary_head\": 2}",
     "m.json: rotary_head: needs key_value_rank"},
    {"{" MOE TOKENS ", \"experts\": 4, \"top_k\": 2, \"key_value_rank\": 2}",
     "m.json: query_rank: missing (key_value_rank needs it)"},
    {"{" MOE TOKENS ", \"experts\": 4, \"top_k\": 2, \"shared_experts\": 65}",
     "m.json: shared_experts: must be <= 64, got 65"},
    {"{\"family\": \"bert\", \"layers\": 2, \"hidden\": 64, \"heads\": 4, \"masked\": "
     "20, " TOKENS "}",
     "m.json: masked: must be <= sequence, 16, got 20"},
    {"{\"family\": \"vit\", \"layers\": 2, \"hidden\": 64, \"heads\": 4, \"image\": 30, "
     "\"patch\": 16}",
     "m.json: patch: must divide image, 30, got 16"},
};

static void mistakes_are_told_with_their_key(void)
{
    for (size_t i = 0; i < sizeof(mistakes) / sizeof(mistakes[0]); i++) {
        struct dts_model model;
        struct dts_error err = {0};
        if (!CHECK(!dts_model_parse(&model, "m.json", mistakes[i].text, &err))) {
            dts_model_free(&model);
            continue;
        }
        CHECK(err.cause == DTS_BAD_INPUT);
        CHECK_STRING(err.text, mistakes[i].message);
    }
}

TESTS(TEST(families_are_the_networks_that_were_written_by_hand),
      TEST(parameters_follow_the_closed_forms), TEST(products_are_what_megatron_counts),
      TEST(blocks_are_found_by_their_names),
      TEST(a_network_without_a_name_is_called_by_its_size),
      TEST(mistakes_are_told_with_their_key))
