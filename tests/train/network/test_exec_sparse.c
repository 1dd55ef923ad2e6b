/* test_exec_sparse.c -- a table whose gradient is a list of rows learns what it learns by a
 * dense gradient, leaves other rows alone, and needs memory for the rows only.
 */
#include <stdlib.h>

#include "base/mem.h"
#include "base/rng.h"
#include "check.h"
#include "train/network/network.h"
#include "train/network/optimizer.h"

enum { BATCH = 3, TOKENS = 7, ROWS = 50, WIDTH = 6, STEPS = 4, TABLE = 0, LOSS = 3 };

static const char text[] =
    "{\"name\": \"words\", \"sample\": \"sequence\", \"input\": [7], \"layers\": ["
    "{\"name\": \"table\", \"kind\": \"embedding\", \"vocabulary\": 50, \"features\": 6,"
    " \"sparse\": true}, {\"kind\": \"lstm\", \"outputs\": 5},"
    "{\"kind\": \"linear\", \"outputs\": 9}, {\"kind\": \"softmax_cross_entropy\"}]}";

struct fixture {
    struct dts_model model;
    struct dts_network *network;
    struct dts_optimizer_run *optimizer;
};

static void open_with(struct fixture *f, const char *rule,
                      const struct dts_network_options *options)
{
    struct dts_error err = {0};
    const struct dts_optimizer *optimizer = dts_optimizer_find(rule);
    const bool good = dts_model_parse(&f->model, "test.json", text, &err) &&
                      dts_network_make(&f->network, &f->model, options, &err) &&
                      dts_network_optimizer(f->network, optimizer, &f->optimizer, &err);
    if (!CHECK(good)) {
        printf("%s\n", err.text);
        exit(1);
    }
}

static void open(struct fixture *f, const char *rule, bool sparse, int threads)
{
    open_with(f, rule,
              &(struct dts_network_options){.batch = BATCH,
                                            .threads = threads,
                                            .sparse = sparse,
                                            .seed = 5,
                                            .precision = DTS_FP32});
}

static void end(struct fixture *f)
{
    dts_optimizer_free(f->optimizer);
    dts_network_free(f->network);
    dts_model_free(&f->model);
}

/* Few different tokens, so that rows repeat; the last is beyond the table: row 3 again. */
static int32_t token_of(int step, uint64_t i)
{
    if (i == BATCH * TOKENS - 1)
        return ROWS + 3;
    return (int32_t)(dts_random(31, (uint64_t)step, i) % 8 * 5);
}

static void forward_backward(struct fixture *f, int step, bool keep)
{
    bool tokens, classes;
    size_t count;
    int32_t *input = dts_network_input(f->network, &tokens);
    int32_t *target = dts_network_target(f->network, LOSS, &count, &classes);
    for (uint64_t i = 0; i < BATCH * TOKENS; i++) {
        input[i] = token_of(step, i);
        target[i] = (int32_t)(dts_random(32, (uint64_t)step, i) % 9);
    }
    dts_network_begin(f->network,
                      &(struct dts_network_step){.training = true, .keep_gradients = keep});
    for (int l = 0; l < f->model.layer_count; l++)
        dts_network_forward(f->network, l);
    for (int l = f->model.layer_count - 1; l >= 0; l--)
        dts_network_backward(f->network, l);
}

static void update(struct fixture *f, int step, float share)
{
    struct dts_update_settings settings = *dts_optimizer_usual(f->optimizer);
    settings.rate = 0.1;
    settings.step = step + 1;
    dts_network_update(f->network, f->optimizer, &settings, share);
}

static const char *const rules[] = {"sgd", "momentum", "adam"};

static void trains_to_the_bits(const char *rule, enum dts_precision precision, int threads)
{
    struct fixture a, b;
    struct dts_network_options options = {
        .batch = BATCH, .threads = threads, .sparse = true, .precision = precision};
    open_with(&a, rule, &options);
    options.sparse = false;
    options.threads = 1;
    open_with(&b, rule, &options);
    for (int s = 0; s < STEPS; s++) {
        forward_backward(&a, s, false);
        forward_backward(&b, s, false);
        update(&a, s, 1);
        update(&b, s, 1);
    }
    CHECK(dts_network_rows(a.network, TABLE) != NULL &&
          dts_network_rows(b.network, TABLE) == NULL);
    CHECK(memcmp(dts_network_weights(a.network), dts_network_weights(b.network),
                 dts_network_parameters(a.network) * sizeof(float)) == 0);
    end(&a);
    end(&b);
}

static void lists_train_to_the_bits_what_dense_gradients_do(void)
{
    static const enum dts_precision precisions[] = {DTS_FP32, DTS_BF16, DTS_FP16};
    for (int i = 0; i < 3; i++)
        for (int p = 0; p < 3; p++)
            for (int threads = 1; threads <= 3; threads += 2)
                trains_to_the_bits(rules[i], precisions[p], threads);
}

/* What overflows in the list alone is seen. */
static void a_list_that_is_not_finite_is_found(void)
{
    struct fixture f;
    open_with(&f, "sgd",
              &(struct dts_network_options){
                  .batch = BATCH, .threads = 1, .sparse = true, .precision = DTS_FP16});
    forward_backward(&f, 0, false);
    CHECK(dts_network_finite(f.network, f.optimizer));
    const struct dts_sparse *rows = dts_network_rows(f.network, TABLE);
    rows->values[rows->count * rows->features - 1] = INFINITY;
    CHECK(!dts_network_finite(f.network, f.optimizer));
    end(&f);
}

/* Each microbatch has sums of its own: equal but for rounding. */
static void microbatches_add_their_lists(void)
{
    struct fixture a, b;
    open(&a, "sgd", true, 1);
    open(&b, "sgd", false, 1);
    for (int s = 0; s < 3; s++) {
        forward_backward(&a, s, s > 0);
        forward_backward(&b, s, s > 0);
    }
    update(&a, 0, 1.0f / 3);
    update(&b, 0, 1.0f / 3);
    const float *mine = dts_network_weights(a.network), *other = dts_network_weights(b.network);
    for (size_t i = 0; i < dts_network_parameters(a.network); i++)
        CHECK_NEAR((double)mine[i], (double)other[i], 1e-7);
    end(&a);
    end(&b);
}

/* The rows that a step's tokens do not name keep their weights, whatever came before. */
static void other_rows_are_left_alone(void)
{
    for (int i = 0; i < 3; i++) {
        struct fixture f;
        float before[ROWS * WIDTH];
        open(&f, rules[i], true, 1);
        const float *table =
            dts_network_weights(f.network) + dts_network_offset(f.network, TABLE, 0);
        for (int s = 0; s < STEPS; s++) {
            bool named[ROWS] = {false};
            for (uint64_t t = 0; t < BATCH * TOKENS; t++)
                named[token_of(s, t) % ROWS] = true;
            memcpy(before, table, sizeof(before));
            forward_backward(&f, s, false);
            update(&f, s, 1);
            for (size_t r = 0; r < ROWS; r++)
                CHECK((memcmp(before + r * WIDTH, table + r * WIDTH, WIDTH * sizeof(float)) ==
                       0) == !named[r]);
        }
        end(&f);
    }
}

static void memory_counts_the_rows_that_occur(void)
{
    struct fixture a, b;
    struct dts_error err = {0};
    open(&a, "sgd", true, 1);
    open(&b, "sgd", false, 1);
    forward_backward(&a, 0, false);
    const struct dts_sparse *rows = dts_network_rows(a.network, TABLE);
    const size_t most = BATCH * TOKENS, table = ROWS * WIDTH * sizeof(float);
    CHECK(rows->count > 1 && rows->count <= 9 && rows->features == WIDTH);
    const size_t list = dts_sparse_bytes(rows);
    CHECK(list <= (rows->count + 1) * (WIDTH + 1) * sizeof(float) && list > 0);
    CHECK(dts_network_bytes(b.network) - dts_network_bytes(a.network) == table - list);
    const struct dts_optimizer *sgd = dts_optimizer_find("sgd");
    struct dts_memory alone = dts_model_memory(&a.model, sgd, DTS_FP32, BATCH, true);
    struct dts_memory many = dts_model_memory(&a.model, sgd, DTS_FP32, BATCH, false);
    CHECK_NEAR(many.gradients - alone.gradients,
               (double)(table - most * WIDTH * 4) - (double)most * 4, 0);
    CHECK_NEAR(many.total - alone.total, many.gradients - alone.gradients, 1e-6);
    alone = dts_model_memory(&a.model, sgd, DTS_FP32, 100, true); // more tokens than rows
    CHECK_NEAR(alone.gradients, many.gradients + ROWS * 4, 0);
    CHECK(err.cause == DTS_NO_ERROR);
    end(&a);
    end(&b);
}

static void rules_that_need_dense_gradients_say_so(void)
{
    struct dts_model model;
    struct dts_error err = {0};
    CHECK(dts_model_parse(&model, "test.json", text, &err));
    for (int i = 0; dts_optimizers[i] != NULL; i++) {
        struct dts_optimizer_run *run = NULL;
        struct dts_error why = {0};
        const bool good = dts_optimizer_make_sparse(&run, &model, dts_optimizers[i], &why);
        CHECK(good == dts_optimizers[i]->lazy);
        CHECK(good || (why.cause == DTS_UNSUPPORTED &&
                       strstr(why.text, "needs dense gradients") != NULL &&
                       strstr(why.text, "layer table of words") != NULL));
        dts_optimizer_free(run);
    }
    dts_model_free(&model);
}

/* A server that gets half of a row could not know whether the row has a gradient. */
static void rows_are_not_cut_where_they_have_state(void)
{
    struct dts_model model;
    struct dts_error err = {0};
    CHECK(dts_model_parse(&model, "test.json", text, &err));
    const size_t count = (size_t)model.parameters, half = count - ROWS * WIDTH / 2 - 1;
    for (int i = 0; i < 3; i++) {
        const struct dts_optimizer *rule = dts_optimizer_find(rules[i]);
        struct dts_optimizer_run *run = NULL;
        struct dts_error why = {0};
        const bool good =
            dts_optimizer_make_part(&run, &model, rule, half, count, "server 1", &why);
        CHECK(good == (rule->state_values == 0));
        CHECK(good || strstr(why.text, "takes rows as a whole") != NULL);
        dts_optimizer_free(run);
    }
    dts_model_free(&model);
}

static void a_shared_weight_is_not_sparse(void)
{
    static const char tied[] =
        "{\"name\": \"m\", \"input\": [3], \"layers\": ["
        "{\"kind\": \"embedding\", \"name\": \"t\", \"vocabulary\": 9, \"features\": 4,"
        " \"sparse\": true}, {\"kind\": \"linear\", \"outputs\": 9, \"bias\": false,"
        " \"tied\": \"t\"}, {\"kind\": \"softmax_cross_entropy\"}]}";
    struct dts_model model;
    struct dts_error err = {0};
    CHECK(!dts_model_parse(&model, "test.json", tied, &err) && err.cause == DTS_BAD_INPUT);
    CHECK(strcmp(err.text, "test.json: layers[1].tied: a weight that is shared cannot be "
                           "sparse") == 0);
}

TESTS(TEST(lists_train_to_the_bits_what_dense_gradients_do), TEST(microbatches_add_their_lists),
      TEST(other_rows_are_left_alone), TEST(memory_counts_the_rows_that_occur),
      TEST(a_list_that_is_not_finite_is_found), TEST(rules_that_need_dense_gradients_say_so),
      TEST(rows_are_not_cut_where_they_have_state), TEST(a_shared_weight_is_not_sparse))
