/* test_exec_network.c -- whole networks: gradients point where the loss falls, and neither
 * fusing nor the number of workers nor cutting the batch changes what comes out.
 */
#include <stdint.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/rng.h"
#include "check.h"
#include "train/network/network.h"
#include "train/network/network_reuse.h"

enum { BATCH = 4, CLASSES = 5 };

/* Skip connection, branches joined, shared weights' inputs taken twice: what placing memory
 * has to get right. */
static const char residual[] =
    "{\"name\": \"residual\", \"sample\": \"image\", \"input\": [3, 9, 8], \"layers\": ["
    "{\"name\": \"c1\", \"kind\": \"conv2d\", \"channels\": 6, \"kernel\": 3, \"padding\": 1},"
    "{\"name\": \"b1\", \"kind\": \"batch_norm\"}, {\"name\": \"r1\", \"kind\": \"relu\"},"
    "{\"name\": \"block\", \"repeat\": 2, \"layers\": ["
    "  {\"name\": \"c1\", \"kind\": \"conv2d\", \"channels\": 6, \"kernel\": 1, \"bias\": "
    "false},"
    "  {\"name\": \"b1\", \"kind\": \"batch_norm\"}, {\"name\": \"r\", \"kind\": \"relu\"},"
    "  {\"name\": \"c2\", \"kind\": \"conv2d\", \"channels\": 6, \"kernel\": 3, \"padding\": "
    "1},"
    "  {\"name\": \"b2\", \"kind\": \"batch_norm\"},"
    "  {\"name\": \"side\", \"kind\": \"conv2d\", \"input\": \"entry\", \"channels\": 6,"
    "   \"kernel\": 1},"
    "  {\"name\": \"sum\", \"kind\": \"add\", \"input\": [\"b2\", \"entry\", \"side\"]},"
    "  {\"name\": \"out\", \"kind\": \"relu\"}]},"
    "{\"name\": \"p\", \"kind\": \"max_pool\", \"kernel\": 2},"
    "{\"kind\": \"flatten\"}, {\"kind\": \"linear\", \"outputs\": 5},"
    "{\"kind\": \"softmax_cross_entropy\"}]}";

static const char plain[] =
    "{\"name\": \"plain\", \"sample\": \"image\", \"input\": [2, 8, 8], \"layers\": ["
    "{\"kind\": \"conv2d\", \"channels\": 4, \"kernel\": 3}, {\"kind\": \"relu\"},"
    "{\"kind\": \"avg_pool\", \"kernel\": 2}, {\"kind\": \"flatten\"},"
    "{\"kind\": \"linear\", \"outputs\": 7}, {\"kind\": \"relu\"},"
    "{\"kind\": \"linear\", \"outputs\": 5}, {\"kind\": \"softmax_cross_entropy\"}]}";

/* Two classifiers behind one layer; how much each counts is left open. */
static const char two_heads[] =
    "{\"name\": \"two\", \"sample\": \"image\", \"input\": [2, 4, 4], \"layers\": ["
    "{\"kind\": \"conv2d\", \"channels\": 3, \"kernel\": 3}, {\"name\": \"trunk\", \"kind\": "
    "\"flatten\"},"
    "{\"name\": \"side\", \"kind\": \"linear\", \"outputs\": 5},"
    "{\"kind\": \"softmax_cross_entropy\", \"weight\": %g},"
    "{\"name\": \"main\", \"kind\": \"linear\", \"input\": \"trunk\", \"outputs\": 5},"
    "{\"kind\": \"softmax_cross_entropy\", \"weight\": %g}]}";

/* A network with its batch, samples first .. first + batch - 1 of an endless set. */
struct fixture {
    struct dts_model *model; // owned; the network points to it
    struct dts_network *network;
    int loss;
};

static void fill_target(struct fixture *f, int loss, int batch, uint64_t first)
{
    bool classes;
    size_t count;
    int32_t *target = dts_network_target(f->network, loss, &count, &classes);
    CHECK(target == NULL || (classes && count == 1));
    for (uint64_t b = 0; b < (uint64_t)batch && target != NULL; b++)
        target[b] = (int32_t)(dts_random(12, (uint64_t)(f->loss - loss), first + b) % CLASSES);
}

static void fill(struct fixture *f, int batch, uint64_t first)
{
    bool tokens;
    float *input = dts_network_input(f->network, &tokens);
    const size_t each = dts_dims_elements(&f->model->input);
    CHECK(!tokens);
    for (uint64_t b = 0; b < (uint64_t)batch; b++)
        for (size_t i = 0; i < each; i++)
            input[b * each + i] = (float)dts_normal(11, first + b, i);
    for (int l = 0; l < f->model->layer_count; l++)
        fill_target(f, l, batch, first);
}

static struct fixture make(const char *text, int batch, int threads, bool unfused)
{
    struct dts_error err = {0};
    struct fixture f = {.model = dts_alloc(1, sizeof(*f.model))};
    if (!CHECK(dts_model_parse(f.model, "test.json", text, &err)))
        printf("%s\n", err.text);
    const struct dts_network_options options = {
        .batch = batch, .threads = threads, .unfused = unfused, .seed = 5};
    if (!CHECK(dts_network_make(&f.network, f.model, &options, &err))) {
        printf("%s\n", err.text);
        exit(1);
    }
    f.loss = f.model->layer_count - 1;
    fill(&f, batch, 0);
    return f;
}

static void end(struct fixture *f)
{
    dts_network_free(f->network);
    dts_model_free(f->model);
    free(f->model);
}

static double forward(struct fixture *f, bool keep)
{
    const struct dts_network_step step = {.training = true, .keep_gradients = keep};
    dts_network_begin(f->network, &step);
    for (int l = 0; l < f->model->layer_count; l++)
        dts_network_forward(f->network, l);
    return dts_network_loss(f->network);
}

static double both(struct fixture *f, bool keep)
{
    const double loss = forward(f, keep);
    for (int l = f->model->layer_count - 1; l >= 0; l--)
        dts_network_backward(f->network, l);
    return loss;
}

/* |a - b| / |b|. */
static double distance(const float *a, const float *b, size_t count)
{
    double difference = 0, norm = 0;
    for (size_t i = 0; i < count; i++) {
        difference += ((double)a[i] - (double)b[i]) * ((double)a[i] - (double)b[i]);
        norm += (double)b[i] * (double)b[i];
    }
    return sqrt(difference / norm);
}

/* Along a random direction d the loss changes by gradient . d: central differences in float,
 * so to a part in a hundred. */
static void check_gradient(const char *text)
{
    struct fixture f = make(text, BATCH, 1, false);
    const size_t count = dts_network_parameters(f.network);
    float *w = dts_network_weights(f.network);
    const float *g = dts_network_gradients(f.network);
    float *kept = dts_alloc(count, sizeof(*kept)), *d = dts_alloc(count, sizeof(*d));
    both(&f, false);
    double along = 0;
    for (size_t i = 0; i < count; i++) {
        kept[i] = w[i];
        d[i] = (float)dts_normal(21, 0, i) * 0.1f + g[i]; // not only noise
        along += (double)g[i] * (double)d[i];
    }
    const double h = 0.01 / fabs(along); // the loss changes by a hundredth: far above rounding
    for (size_t i = 0; i < count; i++)
        w[i] = kept[i] + (float)h * d[i];
    const double above = forward(&f, true);
    for (size_t i = 0; i < count; i++)
        w[i] = kept[i] - (float)h * d[i];
    const double below = forward(&f, true);
    CHECK_CLOSE((above - below) / (2 * h), along, 0.01);
    free(kept);
    free(d);
    end(&f);
}

static void gradients_point_where_the_loss_falls(void)
{
    check_gradient(residual);
    check_gradient(plain);
}

/* Loss and gradients of both losses together, by their weights, are those of each alone. */
/* Three rounds have one weight, a bias and a norm, whose gradient is the sum over all. */
static void gradients_of_shared_rounds_add_up(void)
{
    check_gradient("{\"name\": \"m\", \"input\": [6], \"begin\": {\"uniform\": 0.7}, "
                   "\"layers\": ["
                   "{\"kind\": \"linear\", \"outputs\": 5},"
                   "{\"name\": \"g\", \"repeat\": 3, \"shared\": true, \"layers\": ["
                   " {\"kind\": \"linear\", \"outputs\": 5}, {\"kind\": \"tanh\"},"
                   " {\"kind\": \"layer_norm\"}]},"
                   "{\"kind\": \"linear\", \"outputs\": 5},"
                   "{\"kind\": \"softmax_cross_entropy\"}]}");
}

static void losses_add_up_by_their_weights(void)
{
    static const double weights[][2] = {{1, 1e-9}, {1e-9, 1}, {0.4, 3}};
    struct fixture f[3];
    double loss[3];
    for (int i = 0; i < 3; i++) {
        char text[sizeof(two_heads) + 32];
        snprintf(text, sizeof(text), two_heads, weights[i][0], weights[i][1]);
        f[i] = make(text, BATCH, 1, false);
        loss[i] = both(&f[i], false);
    }
    CHECK_CLOSE(loss[2], 0.4 * loss[0] + 3 * loss[1], 1e-6);
    const size_t count = dts_network_parameters(f[2].network);
    float *want = dts_alloc(count, sizeof(*want));
    for (size_t i = 0; i < count; i++)
        want[i] = 0.4f * dts_network_gradients(f[0].network)[i] +
                  3 * dts_network_gradients(f[1].network)[i];
    CHECK(distance(dts_network_gradients(f[2].network), want, count) < 1e-5);
    free(want);
    for (int i = 0; i < 3; i++)
        end(&f[i]);
}

/* Glorot and Bengio: variance 2 / (values in + values out), here 200 and 300; biases zero. */
static void weights_are_drawn_as_the_file_says(void)
{
    struct fixture f = make("{\"name\": \"n\", \"sample\": \"row\", \"input\": [200], "
                            "\"begin\": \"glorot\", \"layers\": ["
                            "{\"kind\": \"linear\", \"outputs\": 300},"
                            "{\"kind\": \"softmax_cross_entropy\"}]}",
                            BATCH, 1, false);
    const float *w = dts_network_weights(f.network) + dts_network_offset(f.network, 0, 0);
    const float *bias = dts_network_weights(f.network) + dts_network_offset(f.network, 0, 1);
    double sum = 0, squares = 0, most = 0;
    const size_t count = (size_t)200 * 300;
    for (size_t i = 0; i < count; i++) {
        sum += (double)w[i];
        squares += (double)w[i] * (double)w[i];
        most = fmax(most, fabs((double)w[i]));
    }
    CHECK_CLOSE(squares / (double)count, 2.0 / 500, 0.02);
    CHECK_NEAR(sum / (double)count, 0, 0.002);
    CHECK(most <= sqrt(6.0 / 500) && most > 0.99 * sqrt(6.0 / 500));
    for (int i = 0; i < 300; i++)
        CHECK_NEAR((double)bias[i], 0, 0);
    end(&f);
}

static void check_same(const char *text, int threads, bool unfused)
{
    struct fixture a = make(text, BATCH, 1, false), b = make(text, BATCH, threads, unfused);
    CHECK_CLOSE(both(&b, false), both(&a, false), 1e-5);
    CHECK(distance(dts_network_gradients(b.network), dts_network_gradients(a.network),
                   dts_network_parameters(a.network)) < 1e-5);
    end(&a);
    end(&b);
}

static void fusing_changes_nothing(void)
{
    check_same(residual, 1, true);
    check_same(plain, 1, true);
}

static void workers_change_nothing(void)
{
    check_same(residual, 3, false);
    check_same(plain, 2, false);
}

/* Ten biases come first, and the weights behind them begin with lines all the same. */
static void most_weights_begin_with_a_line(void)
{
    struct fixture f =
        make("{\"name\": \"n\", \"sample\": \"row\", \"input\": [64], \"layers\": ["
             "{\"kind\": \"linear\", \"outputs\": 64},"
             "{\"kind\": \"linear\", \"outputs\": 10},"
             "{\"kind\": \"softmax_cross_entropy\"}]}",
             BATCH, 1, false);
    const size_t first = dts_network_offset(f.network, 0, 0);
    CHECK_INT(first % 16, 10);
    CHECK_INT((uintptr_t)(dts_network_weights(f.network) + first) % 64, 0);
    CHECK_INT((uintptr_t)(dts_network_gradients(f.network) + first) % 64, 0);
    end(&f);
}

static void two_runs_give_the_same_bytes(void)
{
    struct fixture f = make(residual, BATCH, 2, false);
    const size_t bytes = dts_network_parameters(f.network) * sizeof(float);
    float *first = malloc(bytes);
    both(&f, false);
    memcpy(first, dts_network_gradients(f.network), bytes);
    both(&f, false);
    CHECK(memcmp(first, dts_network_gradients(f.network), bytes) == 0);
    free(first);
    end(&f);
}

static void microbatches_add_up_to_the_batch(void)
{
    struct fixture whole = make(plain, BATCH, 1, false),
                   part = make(plain, BATCH / 2, 1, false);
    const size_t count = dts_network_parameters(whole.network);
    const double loss = both(&whole, false);
    double sum = both(&part, false);
    fill(&part, BATCH / 2, BATCH / 2);
    sum += both(&part, true);
    CHECK_CLOSE(sum / 2, loss, 1e-5);
    float *g = dts_network_gradients(part.network);
    for (size_t i = 0; i < count; i++)
        g[i] /= 2;
    CHECK(distance(g, dts_network_gradients(whole.network), count) < 1e-5);
    end(&whole);
    end(&part);
}

static void gradient_descent_makes_the_loss_fall(void)
{
    struct fixture f = make(residual, BATCH, 1, false);
    const double first = both(&f, false);
    double last = first;
    for (int step = 0; step < 30; step++) {
        float *w = dts_network_weights(f.network);
        const float *g = dts_network_gradients(f.network);
        for (size_t i = 0; i < dts_network_parameters(f.network); i++)
            w[i] -= 0.05f * g[i];
        last = both(&f, false);
    }
    CHECK(last < 0.2 * first);
    end(&f);
}

static void a_call_finds_its_scratch_where_others_have_worked(void)
{
    static const char text[] =
        "{\"name\": \"net\", \"sample\": \"image\", \"input\": [16, 16, 16], \"layers\": ["
        "{\"kind\": \"conv2d\", \"channels\": 16, \"kernel\": 3, \"padding\": 1},"
        "{\"kind\": \"conv2d\", \"channels\": 64, \"kernel\": 3, \"padding\": 1},"
        "{\"kind\": \"global_pool\"},"
        "{\"kind\": \"linear\", \"outputs\": 4},"
        "{\"kind\": \"softmax_cross_entropy\"}]}";
    const struct dts_network_options options = {.batch = 4, .threads = 1};
    struct dts_reuse reuse[5];
    struct dts_model model;
    struct dts_error err = {0};
    if (!CHECK(dts_model_parse(&model, "net", text, &err)))
        return;
    CHECK(dts_network_reuse(&model, &options, reuse, &err));
    CHECK_NEAR(reuse[0].forward, 0, 0); // nobody since the update
    CHECK_NEAR(reuse[0].backward, 1, 0.01);
    // the larger one: others need less
    CHECK(reuse[1].forward > 0.1 && reuse[1].forward < 0.9);
    CHECK(reuse[1].backward < reuse[1].forward);
    CHECK_NEAR(reuse[3].forward, 1, 0); // it has none
    dts_model_free(&model);
}

TESTS(TEST(a_call_finds_its_scratch_where_others_have_worked),
      TEST(gradients_point_where_the_loss_falls), TEST(gradients_of_shared_rounds_add_up),
      TEST(losses_add_up_by_their_weights), TEST(weights_are_drawn_as_the_file_says),
      TEST(fusing_changes_nothing), TEST(workers_change_nothing),
      TEST(most_weights_begin_with_a_line), TEST(two_runs_give_the_same_bytes),
      TEST(microbatches_add_up_to_the_batch), TEST(gradient_descent_makes_the_loss_fall))
