/* test_models.c -- the networks of models/ against what was published about them. */
#include <stdio.h>
#include <stdlib.h>

#include "check.h"
#include "train/model.h"

/* One line for each network. Parameters: torchvision's "num_params", and for GPT-2 and BERT the
 * counts of the checkpoints that Hugging Face holds (openai-community/gpt2, google-bert). Giga
 * multiply-adds of convolutions and matrix products for one image: torchvision's "_ops". */
struct published {
    const char *name;
    double parameters;
    double gmac; // 0: not published, or not for the network with all its heads
    int tensors; // parameter tensors
};

static const struct published models[] = {
    {"alexnet", 61100840, 0.714, 16},      {"vgg16", 138357544, 15.47, 32},
    {"resnet18", 11689512, 1.814, 62},     {"resnet34", 21797672, 3.664, 110},
    {"resnet50", 25557032, 4.089, 161},    {"resnet101", 44549160, 7.801, 314},
    {"resnet152", 60192808, 11.514, 467},  {"inception_v3", 27161264, 0, 292},
    {"gpt2", 124439808, 0, 148},           {"gpt2_medium", 354823168, 0, 292},
    {"gpt2_large", 774030080, 0, 436},     {"gpt2_xl", 1557611200, 0, 580},
    {"bert_base", 110106428, 0, 206},      {"bert_large", 336226108, 0, 398},
    {"bert_large_128", 336226108, 0, 398}, {"cosmoflow", 8907556, 0, 16},
};

enum { MODELS = sizeof(models) / sizeof(models[0]) };

static bool load(struct dts_model *model, const char *name)
{
    char path[512];
    struct dts_error err = {0};
    snprintf(path, sizeof(path), "%s/models/%s.json", DTS_SOURCE, name);
    bool loaded = dts_model_load(model, path, &err);
    if (!loaded)
        printf("%s\n", err.text);
    return CHECK(loaded);
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

TESTS(TEST(each_model_has_its_published_size))
