/* test_exec_optimizer.c -- servers that each update a part do what one does with everything, or
 * say that their rule cannot.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/rng.h"
#include "check.h"
#include "train/network/first_weights.h"
#include "train/network/network.h"
#include "train/network/optimizer.h"
#include "train/network/outer.h"

enum { PARTS = 4, STEPS = 3 };

static const char text[] =
    "{\"name\": \"plain\", \"sample\": \"vector\", \"input\": [17], \"layers\": ["
    "{\"kind\": \"linear\", \"outputs\": 31}, {\"kind\": \"relu\"},"
    "{\"kind\": \"linear\", \"outputs\": 5}, {\"kind\": \"softmax_cross_entropy\"}]}";

static size_t open(struct dts_model *model)
{
    struct dts_error err = {0};
    size_t count = 0;
    if (!CHECK(dts_model_parse(model, "test.json", text, &err)))
        exit(1);
    for (int l = 0; l < model->layer_count; l++)
        for (int p = 0; p < model->layers[l].param_count; p++)
            count += model->layers[l].params[p].count;
    return count;
}

static void run(struct dts_optimizer_run *optimizer, size_t count, int step, float *weights)
{
    struct dts_update_settings settings = *dts_optimizer_usual(optimizer);
    float *gradients = dts_alloc(count, sizeof(*gradients));
    for (size_t i = 0; i < count; i++)
        gradients[i] = (float)dts_normal(3, (uint64_t)step, i);
    settings.rate = 0.01;
    settings.decay = 0.1;
    settings.step = step + 1;
    dts_optimizer_step(optimizer, &settings, weights, gradients, NULL);
    free(gradients);
}

/* Do `PARTS` parts with these limits update to the bits what one update does? */
static void compare(const struct dts_model *model, const struct dts_optimizer *rule,
                    const size_t *limits, size_t count)
{
    struct dts_error err = {0};
    struct dts_optimizer_run *whole, *parts[PARTS];
    float *one = dts_alloc(count, sizeof(*one)), *many = dts_alloc(count, sizeof(*many));
    dts_first_weights(model, 7, one);
    dts_first_weights(model, 7, many);
    CHECK(dts_optimizer_make(&whole, model, rule, &err));
    for (int p = 0; p < PARTS; p++)
        if (!CHECK(dts_optimizer_make_part(&parts[p], model, rule, limits[p],
                                           limits[p + 1] - limits[p], "a server", &err)))
            exit(1);
    for (int s = 0; s < STEPS; s++) {
        run(whole, count, s, one);
        for (int p = PARTS - 1; p >= 0; p--)
            run(parts[p], count, s, many);
    }
    for (size_t i = 0; i < count; i++)
        if (!CHECK(one[i] == many[i])) {
            printf("%s: weight %zu\n", rule->name, i);
            break;
        }
    // together they have one's state
    size_t values;
    const float *state = dts_optimizer_state(whole, &values);
    float *all = dts_alloc(values + 1, sizeof(*all));
    for (int p = 0; p < PARTS; p++)
        dts_optimizer_give(parts[p], all);
    CHECK(dts_optimizer_whole(whole, model) == values);
    CHECK(memcmp(all, state, values * sizeof(*all)) == 0);
    free(all);
    for (int p = 0; p < PARTS; p++)
        dts_optimizer_free(parts[p]);
    dts_optimizer_free(whole);
    free(one);
    free(many);
}

static bool takes_whole(const struct dts_optimizer *rule)
{
    const struct dts_update *update = dts_update_find(rule->name);
    return update->norms || update->scalars > 0;
}

static void whole_tensors_can_be_updated_apart_by_every_rule(void)
{
    struct dts_model model;
    const size_t count = open(&model);
    // Tensors: 5, 155, 31 and 527 values, the last layer's bias first.
    const size_t limits[PARTS + 1] = {0, 5, 160, 191, count};
    for (int i = 0; dts_optimizers[i] != NULL; i++)
        compare(&model, dts_optimizers[i], limits, count);
    dts_model_free(&model);
}

static void cut_tensors_can_be_updated_where_the_rule_takes_values_one_by_one(void)
{
    struct dts_model model;
    struct dts_error err;
    struct dts_optimizer_run *part;
    const size_t count = open(&model);
    const size_t limits[PARTS + 1] = {0, 3, 100, 401, count};
    int cut = 0, refused = 0;
    for (int i = 0; dts_optimizers[i] != NULL; i++) {
        if (!takes_whole(dts_optimizers[i])) {
            compare(&model, dts_optimizers[i], limits, count);
            cut++;
            continue;
        }
        err = (struct dts_error){0};
        CHECK(!dts_optimizer_make_part(&part, &model, dts_optimizers[i], 3, 97, "server 1",
                                       &err));
        CHECK(err.cause == DTS_UNSUPPORTED && strstr(err.text, "server 1") != NULL);
        refused++;
    }
    CHECK(cut >= 4 && refused >= 4);
    dts_model_free(&model);
}

/* A step of one sample; the target is what was there. */
static void pass(struct dts_network *network, const struct dts_model *model)
{
    bool tokens;
    float *input = dts_network_input(network, &tokens);
    for (size_t i = 0; i < dts_dims_elements(&model->input); i++)
        input[i] = 1;
    dts_network_begin(network, &(struct dts_network_step){.training = true});
    for (int l = 0; l < model->layer_count; l++)
        dts_network_forward(network, l);
    for (int l = model->layer_count - 1; l >= 0; l--)
        dts_network_backward(network, l);
}

static void a_network_can_use_weights_and_gradients_of_others(void)
{
    struct dts_model model;
    struct dts_error err = {0};
    struct dts_network *network;
    const size_t count = open(&model);
    float *first = dts_alloc(count, sizeof(*first)), *mine = dts_alloc(count, sizeof(*mine));
    float *gradients = dts_alloc(count, sizeof(*gradients));
    CHECK(dts_network_make(&network, &model,
                           &(struct dts_network_options){.batch = 1, .threads = 1, .seed = 9},
                           &err));
    dts_first_weights(&model, 9, first);
    dts_network_use_weights(network, mine);
    CHECK(dts_network_weights(network) == mine && dts_network_parameters(network) == count);
    CHECK(memcmp(mine, first, count * sizeof(*mine)) == 0);
    memset(mine, 0, count * sizeof(*mine));
    pass(network, &model);
    CHECK_NEAR(dts_network_loss(network), log(5), 1e-6); // of no weights all are as likely
    dts_network_use_gradients(network, gradients);
    pass(network, &model);
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += fabs(gradients[i]);
    CHECK_NEAR(sum, 4 * 0.2 + 0.8, 1e-6); // of the last biases: p - [it is the class]
    dts_network_free(network);
    free(first);
    free(mine);
    free(gradients);
    dts_model_free(&model);
}

/* Both end with the same bits, whoever answers. */
static void two_that_meet_have_the_same_mean(void)
{
    float asks[] = {1, -2, 3e-8F, 0.1F}, answers[] = {3, 2.5F, 1, 0.3F}, sent[4];
    static const float means[] = {2, 0.25F, 0.5F * (3e-8F + 1), 0.5F * (0.1F + 0.3F)};
    memcpy(sent, asks, sizeof(sent));
    dts_weights_answer(answers, sent, 4);
    CHECK_NEAR((double)sent[3], (double)0.3F, 0);
    dts_weights_meet(asks, sent, 4);
    CHECK(memcmp(asks, answers, sizeof(asks)) == 0);
    for (int i = 0; i < 4; i++)
        CHECK_NEAR((double)asks[i], (double)means[i], 0);
}

TESTS(TEST(whole_tensors_can_be_updated_apart_by_every_rule),
      TEST(cut_tensors_can_be_updated_where_the_rule_takes_values_one_by_one),
      TEST(a_network_can_use_weights_and_gradients_of_others),
      TEST(two_that_meet_have_the_same_mean))
