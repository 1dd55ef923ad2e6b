/* test_models.c -- the networks of models/ against what was published about them. */
#include <stdio.h>
#include <stdlib.h>

#include "check.h"
#include "train/model/model.h"

/* One line for each network. Parameters: torchvision's "num_params", and for GPT-2 and BERT the
 * counts of the checkpoints that Hugging Face holds (openai-community/gpt2, google-bert); of
 * the small ones what PyTorch 1.13 counts for the same layers, of ResNet-1001 the sum over
 * Keras's loops (examples/cifar10_resnet.py). Giga
 * multiply-adds of convolutions and matrix products for one image: torchvision's "_ops". */
struct published {
    const char *name;
    double parameters;
    double gmac; // 0: not published, or not for the network with all its heads
    int tensors; // parameter tensors
};

static const struct published models[] = {
    {"alexnet", 61100840, 0.714, 16},
    {"vgg16", 138357544, 15.47, 32},
    {"resnet18", 11689512, 1.814, 62},
    {"resnet34", 21797672, 3.664, 110},
    {"resnet50", 25557032, 4.089, 161},
    {"resnet101", 44549160, 7.801, 314},
    {"resnet152", 60192808, 11.514, 467},
    {"resnet1001", 30347658, 0, 4008},
    {"inception_v3", 27161264, 0, 292},
    {"gpt2", 124439808, 0, 148},
    {"gpt2_medium", 354823168, 0, 292},
    {"gpt2_large", 774030080, 0, 436},
    {"gpt2_xl", 1557611200, 0, 580},
    {"bert_base", 110106428, 0, 206},
    {"bert_large", 336226108, 0, 398},
    {"bert_large_128", 336226108, 0, 398},
    {"bert_large_256", 336226108, 0, 398},
    {"cosmoflow", 8907556, 0, 16},
    {"deeplab_v3_plus", 40352181, 0, 188},
    {"deepcam", 56454720, 0, 301}, // published: about 56 million
    {"linear_regression", 91, 0, 2},
    {"mlp", 669706, 0, 6},
    {"small_cnn", 1199882, 0, 8},
    {"fashion_cnn", 207178, 0, 8},
    {"resnet8", 78186, 0, 34},
    {"lstm", 13987678, 0, 11},
    {"albert_base", 11813810, 0, 32},   // 11,683,584 without its heads: albert-base-v2
    {"gnmt", 159605816, 0, 43},         // published: 159,605,817
    {"ssd_resnet34", 19972534, 0, 131}, // published: 20 million
    {"lstm_lm1b", 815671167, 0, 8},     // published: 0.82 billion
    // Parallax's table 1: 9.4 and 813.3 million (with a bias), 94.1 and 74.9 million
    {"lstm_lm1b_sampled", 821973280, 0, 7},
    {"gnmt_4_layer", 168943616, 0, 26},
    {"dlrm", 24039644417, 0, 17}, // 187,767,399 rows of 128, and 5.4 million
    // by numbers. GPT-3 by the closed form of its paper's table; Megatron's to the digits of
    // table 1 of Narayanan et al. 2021 ("1.7" to "1008.0" billion), by its equation 2 and 2 x
    // hidden
    {"gpt3_175b", 174604259328, 0, 1156},
    {"megatron_1.7b", 1652230656, 0, 292},
    {"megatron_3.6b", 3562168320, 0, 364},
    {"megatron_7.5b", 7467786240, 0, 436},
    {"megatron_18.4b", 18449756160, 0, 484},
    {"megatron_39.1b", 39096041472, 0, 580},
    {"megatron_76.1b", 76050739200, 0, 724},
    {"megatron_145.6b", 145622261760, 0, 964},
    {"megatron_310.1b", 310130540544, 0, 1156},
    {"megatron_529.6b", 529600819200, 0, 1264},
    {"megatron_1008b", 1008038758400, 0, 1540},
    // bigscience/bloom on Hugging Face: 176,247,271,424
    {"bloom_176b", 176247271424, 0, 845},
    // the checkpoints that Hugging Face holds (meta-llama)
    {"llama2_7b", 6738415616, 0, 291},
    {"llama2_13b", 13015864320, 0, 363},
    {"llama2_70b", 68976648192, 0, 723},
    {"llama3_8b", 8030261248, 0, 291},
    {"llama3_70b", 70553706496, 0, 723},
    {"llama3_405b", 405853388800, 0, 1137},
    // mistralai/Mixtral-8x7B-v0.1; deepseek-ai/DeepSeek-V3: 671,026,419,200 without further
    // tokens, of which 58 x 256 balance the routers
    {"mixtral_8x7b", 46702792704, 0, 323},
    {"nemotron4_15b", 15628775424, 0, 324},
    {"nemotron4_340b", 341029195776, 0, 964},
    {"grok_1", 315684034560, 0, 642},
    {"gpt_oss_120b", 116789048640, 0, 363},
    {"qwen3_235b", 235093610496, 0, 943},
    {"deepseek_v3", 671026404352, 0, 1028},
    // Ultra-Scale Playbook: "1B", "3B", "8B", "80B"
    {"nanotron_1b", 1342244864, 0, 146},
    {"nanotron_3b", 3573722112, 0, 254},
    {"nanotron_8b", 8858636288, 0, 291},
    {"nanotron_80b", 79995084800, 0, 723},
    // torchvision's "num_params"
    {"vit_b_16", 86567656, 0, 152},
    {"vit_l_16", 304326632, 0, 296},
};

enum { MODELS = sizeof(models) / sizeof(models[0]) };

static bool load_from(struct dts_model *model, const char *folder, const char *name)
{
    char path[512];
    struct dts_error err = {0};
    snprintf(path, sizeof(path), "%s/%s/%s.json", DTS_SOURCE, folder, name);
    bool loaded = dts_model_load(model, path, &err);
    if (!loaded)
        printf("%s\n", err.text);
    return CHECK(loaded);
}

static bool load(struct dts_model *model, const char *name)
{
    return load_from(model, "models", name);
}

/* Multiply-adds of the layers that torchvision counts. */
static double gmac(const struct dts_model *model)
{
    double flops = 0;
    for (int i = 0; i < model->layer_count; i++)
        if (model->layers[i].cost.class != DTS_WORK_MEMORY)
            flops += model->layers[i].cost.forward_flops;
    return flops / 2e9;
}

static int tensors(const struct dts_model *model)
{
    int count = 0;
    for (int i = 0; i < model->layer_count; i++)
        count += model->layers[i].param_count;
    return count;
}

static void each_model_has_its_published_size(void)
{
    for (int i = 0; i < MODELS; i++) {
        struct dts_model model;
        if (!load(&model, models[i].name))
            continue;
        CHECK_STRING(model.name, models[i].name);
        if (!check_near(model.parameters, models[i].parameters, 0, __FILE__, __LINE__,
                        models[i].name))
            printf("  (parameters)\n");
        if (models[i].gmac > 0)
            check_near(gmac(&model), models[i].gmac, 0.00051, __FILE__, __LINE__,
                       models[i].name);
        if (models[i].tensors > 0)
            check_int(tensors(&model), models[i].tensors, __FILE__, __LINE__, models[i].name);
        dts_model_free(&model);
    }
}

/* Who profiles the made shapes can tell any network from them: no kind is without a like one.
 */
static void every_kind_of_layer_is_among_the_shapes(void)
{
    static const char *const names[] = {"shapes_images",  "shapes_lines", "shapes_maps",
                                        "shapes_narrow",  "shapes_parts", "shapes_single",
                                        "shapes_small",   "shapes_tiny",  "shapes_vectors",
                                        "shapes_volumes", "shapes_words"};
    enum { NAMES = sizeof(names) / sizeof(names[0]) };
    struct dts_model shapes[NAMES];
    for (int i = 0; i < NAMES; i++)
        if (!load_from(&shapes[i], "bench/models", names[i]))
            return;
    for (int k = 0; dts_layer_kinds[k] != NULL; k++) {
        bool found = false;
        for (int i = 0; i < NAMES; i++)
            for (int l = 0; l < shapes[i].layer_count; l++)
                found = found || shapes[i].layers[l].kind == dts_layer_kinds[k];
        if (!CHECK(found))
            printf("  no %s in bench/models/\n", dts_layer_kinds[k]->name);
    }
    for (int i = 0; i < NAMES; i++)
        dts_model_free(&shapes[i]);
}

static bool starts_with(const char *word, const char *beginning)
{
    return strncmp(word, beginning, strlen(beginning)) == 0;
}

static const struct dts_layer *find(const struct dts_model *model, const char *name)
{
    for (int i = 0; i < model->layer_count; i++)
        if (strcmp(model->layers[i].name, name) == 0)
            return &model->layers[i];
    printf("no layer %s\n", name);
    CHECK(false);
    return &model->layers[0];
}

/* Of the layers whose names do not begin so. */
static double parameters_without(const struct dts_model *model, const char *a, const char *b)
{
    double sum = 0;
    for (int i = 0; i < model->layer_count; i++)
        for (int p = 0; p < model->layers[i].param_count; p++)
            if (!starts_with(model->layers[i].name, a) &&
                !starts_with(model->layers[i].name, b))
                sum += (double)model->layers[i].params[p].count;
    return sum;
}

/* Keras and torchvision (aux_logits=False): 23,834,568 trainable without the second classifier;
 * torchvision's "_ops" is of evaluation, which leaves it out. */
static void inception_without_its_auxiliary_head_is_the_published_one(void)
{
    struct dts_model model;
    if (!load(&model, "inception_v3"))
        return;
    CHECK_NEAR(parameters_without(&model, "AuxLogits.", "AuxLogits."), 23834568, 0);
    double flops = 0;
    for (int i = 0; i < model.layer_count; i++)
        if (model.layers[i].cost.class != DTS_WORK_MEMORY &&
            !starts_with(model.layers[i].name, "AuxLogits."))
            flops += model.layers[i].cost.forward_flops;
    CHECK_NEAR(flops / 2e9, 5.713, 0.0006);
    dts_model_free(&model);
}

/* Hugging Face's BertModel, with its pooler: google-bert/bert-large-uncased, bert-base-uncased.
 */
static void bert_without_the_heads_of_pretraining_is_the_published_encoder(void)
{
    static const struct {
        const char *name;
        double encoder;
    } berts[] = {{"bert_base", 109482240},
                 {"bert_large", 335141888},
                 {"bert_large_128", 335141888},
                 {"bert_large_256", 335141888}};
    for (size_t i = 0; i < sizeof(berts) / sizeof(berts[0]); i++) {
        struct dts_model model;
        if (!load(&model, berts[i].name))
            continue;
        CHECK_NEAR(parameters_without(&model, "masked_tokens.", "next_sentence."),
                   berts[i].encoder, 0);
        dts_model_free(&model);
    }
}

/* Table 1 of the paper on residual networks, arXiv:1512.03385. */
static void stages_have_the_shapes_of_the_paper(void)
{
    static const struct {
        const char *model, *layer, *shape;
    } stages[] = {
        {"resnet50", "relu", "64 x 112 x 112"},
        {"resnet50", "pool", "64 x 56 x 56"},
        {"resnet50", "layer1.conv2", "64 x 56 x 56"},
        {"resnet50", "layer1_rest.1.relu", "256 x 56 x 56"},
        {"resnet50", "layer2.conv1", "128 x 56 x 56"}, // v1.5: the 3x3 has the stride
        {"resnet50", "layer2.conv2", "128 x 28 x 28"},
        {"resnet50", "layer2_rest.2.relu", "512 x 28 x 28"},
        {"resnet50", "layer3_rest.4.relu", "1024 x 14 x 14"},
        {"resnet50", "layer4_rest.1.relu", "2048 x 7 x 7"},
        {"resnet50", "global_pool", "2048"},
        {"resnet50", "fc", "1000"},
        {"resnet152", "layer3_rest.34.relu", "1024 x 14 x 14"},
        {"vgg16", "pool5", "512 x 7 x 7"},
        {"alexnet", "pool5", "256 x 6 x 6"},
        {"inception_v3", "Mixed_5d.concat", "288 x 35 x 35"}, // table 1 of arXiv:1512.00567
        {"inception_v3", "Mixed_6e.concat", "768 x 17 x 17"},
        {"inception_v3", "AuxLogits.pool", "768 x 5 x 5"},
        {"inception_v3", "Mixed_7bc.1.concat", "2048 x 8 x 8"},
        {"gpt2", "h.11.qkv", "1024 x 2304"},
        {"gpt2", "lm_head", "1024 x 50257"},
        {"bert_large", "encoder.23.attention", "512 x 1024"},
        {"bert_large", "masked_tokens.logits", "76 x 30522"},
        {"bert_large", "next_sentence.logits", "1 x 2"},
        {"cosmoflow", "pool5", "512 x 4 x 4 x 4"},
    };
    for (size_t i = 0; i < sizeof(stages) / sizeof(stages[0]); i++) {
        struct dts_model model;
        if (!load(&model, stages[i].model))
            continue;
        CHECK_STRING(dts_dims_text(&find(&model, stages[i].layer)->output).chars,
                     stages[i].shape);
        dts_model_free(&model);
    }
}

/* Radosavovic et al. 2020, arXiv:2003.13678: outputs of all convolutions, in millions; as in
 * facebookresearch/pycls, MODEL_ZOO.md. */
static void convolutions_of_resnets_put_out_the_published_number_of_values(void)
{
    static const struct {
        const char *name;
        double millions;
    } resnets[] = {{"resnet50", 11.1}, {"resnet101", 16.2}, {"resnet152", 22.6}};
    for (size_t i = 0; i < sizeof(resnets) / sizeof(resnets[0]); i++) {
        struct dts_model model;
        if (!load(&model, resnets[i].name))
            continue;
        double values = 0;
        for (int l = 0; l < model.layer_count; l++)
            if (model.layers[l].cost.class == DTS_WORK_CONV)
                values += (double)dts_dims_elements(&model.layers[l].output);
        CHECK_NEAR(values / 1e6, resnets[i].millions, 0.05);
        dts_model_free(&model);
    }
}

/* Narayanan et al. 2021, arXiv:2104.04473, section 5.1: with recomputation a step of batch B
 * takes 96 B s l h^2 (1 + s/6h + V/16lh), of which forward is a quarter of the blocks and a
 * third of the 6 B s h V of the logits: 24 s l h^2 + 4 s^2 l h + 2 s h V. */
static void gpt2_multiplies_as_often_as_the_formula_of_megatron(void)
{
    static const struct {
        const char *name;
        double blocks, hidden, heads;
    } gpts[] = {{"gpt2", 12, 768, 12},
                {"gpt2_medium", 24, 1024, 16},
                {"gpt2_large", 36, 1280, 20},
                {"gpt2_xl", 48, 1600, 25}};
    const double s = 1024, v = 50257;
    for (size_t i = 0; i < sizeof(gpts) / sizeof(gpts[0]); i++) {
        struct dts_model model;
        if (!load(&model, gpts[i].name))
            continue;
        double l = gpts[i].blocks, h = gpts[i].hidden, flops = 0;
        for (int k = 0; k < model.layer_count; k++)
            if (model.layers[k].cost.class == DTS_WORK_MATMUL)
                flops += model.layers[k].cost.forward_flops;
        double softmax = 8 * gpts[i].heads * s * s * l; // 6 and 2 for dropout, of each score
        double formula = 24 * s * l * h * h + 4 * s * s * l * h + 2 * s * h * v;
        CHECK_CLOSE(flops - softmax, formula, 1e-12);
        CHECK_CLOSE(formula, 2 * s * model.parameters, 0.25); // "2 N per token"
        dts_model_free(&model);
    }
}

/* Korthikanti et al. 2022, arXiv:2205.05198, equation 1: a block keeps s h (34 + 5 a s / h)
 * bytes in 16 bits. They leave out the statistics of the two layer norms, 8 bytes a position.
 */
static void a_block_of_gpt2_keeps_the_published_bytes(void)
{
    struct dts_model model;
    if (!load(&model, "gpt2_xl"))
        return;
    const double s = 1024, h = 1600, a = 25;
    double bytes = 0;
    for (int i = 0; i < model.layer_count; i++)
        if (starts_with(model.layers[i].name, "h.7."))
            bytes += 2 * model.layers[i].cost.saved_values + model.layers[i].cost.saved_bytes;
    CHECK_NEAR(bytes - 2 * 8 * s, s * h * (34 + 5 * a * s / h), 0);
    dts_model_free(&model);
}

static bool has_fused(const struct dts_model *model)
{
    for (int i = 0; i < model->layer_count; i++)
        if (strcmp(model->layers[i].kind->name, "attention") == 0 &&
            model->layers[i].cost.saves_output)
            return true;
    return false;
}

static void backward_costs_twice_forward_but_for_the_first_layer(void)
{
    struct dts_model model;
    if (load(&model, "resnet50")) {
        const struct dts_op_cost *first = &find(&model, "conv1")->cost;
        const struct dts_op_cost *second = &find(&model, "layer1.conv1")->cost;
        CHECK_NEAR(first->backward_flops, first->forward_flops, 0);
        CHECK_NEAR(first->backward_values, first->forward_values, 0);
        CHECK_NEAR(second->backward_flops, 2 * second->forward_flops, 0);
        dts_model_free(&model);
    }
    for (int i = 0; i < MODELS; i++) {
        if (!load(&model, models[i].name))
            continue;
        int first = 0; // with weights: nothing needs the gradient of its input
        while (model.layers[first].param_count == 0)
            first++;
        double spared = model.layers[first].cost.forward_flops;
        double ratio = (model.backward_flops + spared) / model.forward_flops;
        const double most = has_fused(&model) ? 2.2 : 2.05; // which makes scores again
        if (!CHECK(ratio > 1.85 && ratio < most))
            printf("  %s %g\n", model.name, ratio);
        dts_model_free(&model);
    }
}

static void tied_weights_count_once_and_belong_to_the_first(void)
{
    struct dts_model model;
    if (load(&model, "gpt2")) {
        const struct dts_layer *head = find(&model, "lm_head");
        CHECK_INT(head->param_count, 0);
        CHECK_STRING(model.layers[head->tied_to].name, "token_embedding");
        CHECK_NEAR(head->cost.weight_values, 50257.0 * 768, 0);
        CHECK_NEAR(head->cost.backward_flops, 2 * head->cost.forward_flops, 0);
        dts_model_free(&model);
    }
    if (load(&model, "bert_base")) {
        const struct dts_layer *logits = find(&model, "masked_tokens.logits");
        CHECK_INT(logits->param_count, 1); // its bias
        CHECK_STRING(logits->params[0].name, "bias");
        CHECK_INT(logits->params[0].count, 30522);
        dts_model_free(&model);
    }
}

static void inputs_come_before_and_sums_are_those_of_the_layers(void)
{
    for (int i = 0; i < MODELS; i++) {
        struct dts_model model;
        if (!load(&model, models[i].name))
            continue;
        double forward = 0, saved = 0;
        for (int l = 0; l < model.layer_count; l++) {
            const struct dts_layer *layer = &model.layers[l];
            forward += layer->cost.forward_flops;
            saved += layer->cost.saved_values;
            for (int k = 0; k < layer->input_count; k++)
                CHECK(layer->inputs[k] >= -1 && layer->inputs[k] < l);
            CHECK(layer->tied_to < l);
        }
        CHECK_CLOSE(model.forward_flops, forward, 1e-12);
        CHECK_CLOSE(model.saved_values, saved, 1e-12);
        CHECK(model.working_values > 0);
        dts_model_free(&model);
    }
}

/* Rajbhandari et al. 2020, arXiv:1910.02054, section 3.1: mixed precision and Adam take 16
 * bytes a parameter, and the 1.5 billion of GPT-2 at least 24 GB. */
static void mixed_precision_with_adam_takes_16_bytes_a_parameter(void)
{
    struct dts_model model;
    if (!load(&model, "gpt2_xl"))
        return;
    const struct dts_optimizer *adam = dts_optimizer_find("adam");
    struct dts_memory half = dts_model_memory(&model, adam, DTS_FP16, 0, true);
    struct dts_memory full = dts_model_memory(&model, adam, DTS_FP32, 0, true);
    CHECK_NEAR(half.total, 16 * model.parameters, 0);
    CHECK(half.total > 24e9 && half.total < 26e9);
    CHECK_NEAR(full.total, 16 * model.parameters, 0);
    CHECK_NEAR(half.gradients, 2 * model.parameters, 0);
    dts_model_free(&model);
}

static void activations_take_memory_by_batch_and_precision(void)
{
    struct dts_model model;
    if (!load(&model, "resnet50"))
        return;
    const struct dts_optimizer *sgd = dts_optimizer_find("momentum");
    struct dts_memory one = dts_model_memory(&model, sgd, DTS_FP32, 1, true);
    struct dts_memory many = dts_model_memory(&model, sgd, DTS_FP32, 32, true);
    struct dts_memory half = dts_model_memory(&model, sgd, DTS_FP16, 32, true);
    CHECK_NEAR(one.optimizer, 4 * 25557032.0, 0);
    CHECK_NEAR(one.activations,
               4 * (model.saved_values + model.working_values) + model.saved_bytes, 1e-3);
    CHECK_CLOSE(many.activations, 32 * one.activations, 1e-12);
    CHECK_CLOSE(many.activations - 32 * model.saved_bytes,
                2 * (half.activations - 32 * model.saved_bytes), 1e-12);
    CHECK_NEAR(many.total, many.weights + many.gradients + many.optimizer + many.activations,
               1);
    // Every convolution's output and every ReLU's but those before additions, near 22 million.
    CHECK(model.saved_values > 2 * 10.0e6 && model.saved_values < 2 * 11.4e6);
    dts_model_free(&model);
}

static void optimizers_read_and_write_all_that_they_keep(void)
{
    for (int i = 0; dts_optimizers[i] != NULL; i++) {
        const struct dts_optimizer *o = dts_optimizers[i];
        CHECK(o->values >= 3 + 2 * o->state_values); // w, g, w and each state both ways
        CHECK(o->flops >= 2 + 2 * o->state_values);
        CHECK(dts_optimizer_find(o->name) == o);
        CHECK_STRING(dts_optimizer_name(i), o->name);
    }
    CHECK_INT(dts_optimizer_find("sgd")->state_values, 0);
    CHECK_INT(dts_optimizer_find("lars")->state_values, 1);
    CHECK_INT(dts_optimizer_find("adamw")->state_values, 2);
    CHECK_INT(dts_optimizer_find("lamb")->state_values, 2);
    CHECK(dts_optimizer_find("none") == NULL);
}

TESTS(TEST(each_model_has_its_published_size), TEST(every_kind_of_layer_is_among_the_shapes),
      TEST(inception_without_its_auxiliary_head_is_the_published_one),
      TEST(bert_without_the_heads_of_pretraining_is_the_published_encoder),
      TEST(stages_have_the_shapes_of_the_paper),
      TEST(convolutions_of_resnets_put_out_the_published_number_of_values),
      TEST(gpt2_multiplies_as_often_as_the_formula_of_megatron),
      TEST(a_block_of_gpt2_keeps_the_published_bytes),
      TEST(backward_costs_twice_forward_but_for_the_first_layer),
      TEST(tied_weights_count_once_and_belong_to_the_first),
      TEST(inputs_come_before_and_sums_are_those_of_the_layers),
      TEST(mixed_precision_with_adam_takes_16_bytes_a_parameter),
      TEST(activations_take_memory_by_batch_and_precision),
      TEST(optimizers_read_and_write_all_that_they_keep))
