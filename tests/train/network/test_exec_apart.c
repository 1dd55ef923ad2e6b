/* test_exec_apart.c -- which tensors of a model an update treats in which way. */
#include <glob.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/rng.h"
#include "check.h"
#include "train/network/optimizer.h"

enum { MOST = 64 };

static const char text[] =
    "{\"name\": \"net\", \"input\": [3], \"layers\": ["
    "{\"kind\": \"linear\", \"outputs\": 4}, {\"kind\": \"batch_norm\"},"
    "{\"kind\": \"linear\", \"outputs\": 2}, {\"kind\": \"softmax_cross_entropy\"}]}";

/* A step of the rule on all tensors, and of the row's reference on each tensor by itself. */
static void check_rule(const struct dts_optimizer *optimizer)
{
    struct dts_model model;
    struct dts_error err = {0};
    struct dts_optimizer_run *run;
    float weights[MOST], gradients[MOST];
    CHECK(dts_model_parse(&model, "net.json", text, &err));
    CHECK(model.parameters <= MOST && dts_optimizer_make(&run, &model, optimizer, &err));
    const struct dts_update *update = dts_update_find(optimizer->name);
    struct dts_update_settings settings = update->usual;
    settings.rate = 0.1;
    settings.decay = 0.5;
    settings.step = 1;
    for (size_t i = 0; i < (size_t)model.parameters; i++) {
        weights[i] = (float)dts_normal(1, 0, i);
        gradients[i] = (float)dts_normal(1, 1, i);
    }
    float *after = dts_alloc(MOST, sizeof(*after));
    memcpy(after, weights, sizeof(weights));
    dts_optimizer_step(run, &settings, after, gradients, NULL);
    size_t offset = 0;
    for (int l = model.layer_count - 1; l >= 0; l--)
        for (int p = model.layers[l].param_count - 1; p >= 0; p--) {
            const struct dts_param *param = &model.layers[l].params[p];
            double w[MOST], g[MOST], state[3 * MOST] = {0}, scratch[MOST];
            struct dts_update_settings own = settings;
            if (update->apart && param->per_channel)
                own.decay = own.trust = 0;
            for (size_t i = 0; i < param->count; i++) {
                w[i] = weights[offset + i];
                g[i] = gradients[offset + i];
            }
            update->reference(&own,
                              &(struct dts_update_arrays){param->count, w, g, state, scratch},
                              &(struct dts_place){0});
            for (size_t i = 0; i < param->count; i++)
                CHECK_NEAR(after[offset + i], w[i], 1e-5 * (1 + fabs(w[i])));
            offset += param->count;
        }
    free(after);
    dts_optimizer_free(run);
    dts_model_free(&model);
}

static void every_rule_updates_each_tensor_as_it_says(void)
{
    for (int i = 0; dts_optimizers[i] != NULL; i++)
        check_rule(dts_optimizers[i]);
}

static void rules_with_layer_wise_rates_leave_biases_alone(void)
{
    static const char *const names[] = {"lars", "larc", "lamb"};
    int count = 0;
    for (int i = 0; dts_updates[i] != NULL; i++)
        count += dts_updates[i]->apart;
    CHECK_INT(count, 3);
    for (int i = 0; i < 3; i++)
        CHECK(dts_update_find(names[i])->apart);
}

static bool ends_with(const char *word, const char *end)
{
    const size_t all = strlen(word), part = strlen(end);
    return all >= part && strcmp(word + all - part, end) == 0;
}

/* Of all networks: what is called bias, all of normalizations, and learned factors. */
static void biases_and_normalizations_are_per_channel(void)
{
    glob_t files;
    CHECK_INT(glob(DTS_SOURCE "/models/*.json", 0, NULL, &files), 0);
    CHECK_INT(glob(DTS_SOURCE "/bench/models/*.json", GLOB_APPEND, NULL, &files), 0);
    for (size_t i = 0; i < files.gl_pathc; i++) {
        struct dts_model model;
        struct dts_error err = {0};
        if (!CHECK(dts_model_load(&model, files.gl_pathv[i], &err)))
            continue;
        for (int l = 0; l < model.layer_count; l++)
            for (int p = 0; p < model.layers[l].param_count; p++) {
                const struct dts_param *param = &model.layers[l].params[p];
                const bool want = strncmp(param->name, "bias", 4) == 0 ||
                                  ends_with(model.layers[l].kind->name, "_norm") ||
                                  strcmp(model.layers[l].kind->name, "layer_scale") == 0;
                if (!CHECK(param->per_channel == want))
                    printf("  %s: %s\n", model.layers[l].name, param->name);
            }
        dts_model_free(&model);
    }
    globfree(&files);
}

TESTS(TEST(every_rule_updates_each_tensor_as_it_says),
      TEST(rules_with_layer_wise_rates_leave_biases_alone),
      TEST(biases_and_normalizations_are_per_channel))
