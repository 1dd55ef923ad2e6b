/* test_exec_range.c -- stages of a pipeline compute what one network computes: the same losses,
 * gradients, weights and running statistics, to the bits where sums have the same order.
 */
#include "train/network/data/data.h"
#include "train/network/stages.h"

enum { STEPS = 3 };

static const char mlp[] =
    "{\"name\": \"mlp\", \"sample\": \"row\", \"input\": [17], \"layers\": ["
    "{\"kind\": \"linear\", \"outputs\": 31}, {\"kind\": \"relu\"},"
    "{\"kind\": \"linear\", \"outputs\": 13}, {\"kind\": \"relu\"},"
    "{\"kind\": \"linear\", \"outputs\": 5}, {\"kind\": \"softmax_cross_entropy\"}]}";

/* Blocks as GPT-2's; what %s stands for says whether the head's weight is the table. Layers: 0
 * table, 1 positions, 2 drop, 3 + 12 b: block b, 39 ln_f, 40 head, 41 loss. */
#define GPT(head)                                                                              \
    "{\"name\": \"gpt\", \"sample\": \"sequence\", \"input\": [6], \"layers\": ["              \
    "{\"name\": \"table\", \"kind\": \"embedding\", \"vocabulary\": 16, \"features\": 8},"     \
    "{\"kind\": \"positional_embedding\", \"positions\": 6},"                                  \
    "{\"name\": \"drop\", \"kind\": \"dropout\", \"rate\": 0.1},"                              \
    "{\"name\": \"h\", \"repeat\": 3, \"layers\": ["                                           \
    "{\"name\": \"ln_1\", \"kind\": \"layer_norm\"},"                                          \
    "{\"name\": \"qkv\", \"kind\": \"linear\", \"outputs\": 24},"                              \
    "{\"name\": \"attention\", \"kind\": \"attention\", \"heads\": 2, \"causal\": true,"       \
    " \"dropout\": 0.1},"                                                                      \
    "{\"name\": \"proj\", \"kind\": \"linear\", \"outputs\": 8},"                              \
    "{\"name\": \"drop_1\", \"kind\": \"dropout\", \"rate\": 0.2},"                            \
    "{\"name\": \"add_1\", \"kind\": \"add\", \"input\": [\"drop_1\", \"entry\"]},"            \
    "{\"name\": \"ln_2\", \"kind\": \"layer_norm\"},"                                          \
    "{\"name\": \"fc\", \"kind\": \"linear\", \"outputs\": 32},"                               \
    "{\"name\": \"gelu\", \"kind\": \"gelu\"},"                                                \
    "{\"name\": \"fc_proj\", \"kind\": \"linear\", \"outputs\": 8},"                           \
    "{\"name\": \"drop_2\", \"kind\": \"dropout\", \"rate\": 0.2},"                            \
    "{\"name\": \"add_2\", \"kind\": \"add\", \"input\": [\"drop_2\", \"add_1\"]}]},"          \
    "{\"name\": \"ln_f\", \"kind\": \"layer_norm\"},"                                          \
    "{\"name\": \"head\", \"kind\": \"linear\", " head "\"outputs\": 16, \"bias\": false},"    \
    "{\"name\": \"loss\", \"kind\": \"softmax_cross_entropy\"}]}"

static const char gpt[] = GPT(""), tied[] = GPT("\"tied\": \"table\", ");

/* One weight three times, each time with a bias of its own. */
static const char thrice[] =
    "{\"name\": \"thrice\", \"sample\": \"row\", \"input\": [8], \"layers\": ["
    "{\"name\": \"a\", \"kind\": \"linear\", \"outputs\": 8}, {\"kind\": \"relu\"},"
    "{\"kind\": \"linear\", \"outputs\": 8}, {\"kind\": \"relu\"},"
    "{\"kind\": \"linear\", \"tied\": \"a\", \"outputs\": 8}, {\"kind\": \"relu\"},"
    "{\"kind\": \"linear\", \"tied\": \"a\", \"outputs\": 8},"
    "{\"kind\": \"softmax_cross_entropy\"}]}";

/* Layers: 0 c1, 1 b1, 2 r1, blocks of 8 from 3 on, 19 pool, 20 flatten, 21 linear, 22 loss. */
static const char cnn[] =
    "{\"name\": \"cnn\", \"sample\": \"image\", \"input\": [3, 9, 8], \"layers\": ["
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
    "{\"name\": \"flat\", \"kind\": \"flatten\"},"
    "{\"name\": \"fc\", \"kind\": \"linear\", \"outputs\": 5},"
    "{\"kind\": \"softmax_cross_entropy\"}]}";

/* One network of the whole model. */
struct one {
    struct dts_network *network;
    struct dts_optimizer_run *optimizer;
    double loss[MOST_MICROBATCHES];
};

static void one_open(struct one *one, const struct dts_model *model,
                     const struct stages_request *request)
{
    struct dts_error err = {0};
    const struct dts_network_options options = {
        .batch = STAGE_BATCH, .threads = 1, .seed = 5, .precision = request->precision};
    stages_must(dts_network_make(&one->network, model, &options, &err) &&
                    dts_network_optimizer(one->network, dts_optimizer_find(request->optimizer),
                                          &one->optimizer, &err),
                &err);
}

static void one_close(struct one *one)
{
    dts_optimizer_free(one->optimizer);
    dts_network_free(one->network);
}

static void one_pass(struct one *one, const struct stages *s, int step)
{
    for (int m = 0; m < s->microbatches; m++) {
        const struct dts_network_step wanted = stages_step(s, step, m);
        stages_fill(s->model, one->network, wanted.first_sample);
        dts_network_begin(one->network, &wanted);
        for (int l = 0; l < s->model->layer_count; l++)
            dts_network_forward(one->network, l);
        one->loss[m] = dts_network_loss(one->network);
        for (int l = s->model->layer_count - 1; l >= 0; l--)
            dts_network_backward(one->network, l);
    }
}

/* |a - b| / |b|. */
static double distance(const float *a, const float *b, size_t count)
{
    double difference = 0, norm = 0;
    for (size_t i = 0; i < count; i++) {
        difference += ((double)a[i] - (double)b[i]) * ((double)a[i] - (double)b[i]);
        norm += (double)b[i] * (double)b[i];
    }
    return norm > 0 ? sqrt(difference / norm) : sqrt(difference);
}

/* tolerance 0: to the bits. */
static void same(const char *what, const float *got, const float *want, size_t count,
                 double tolerance)
{
    const double far = distance(got, want, count);
    if (!CHECK(tolerance > 0 ? far <= tolerance
                             : memcmp(got, want, count * sizeof(float)) == 0))
        printf("%s: %g apart\n", what, far);
}

/* What the stages have together, as one network's arrays. */
static void compare(struct stages *s, struct one *one, enum dts_network_array array,
                    const char *what, double tolerance)
{
    const size_t bytes = dts_network_whole_bytes(one->network, array);
    CHECK(bytes == dts_network_mirror(one->network, array)->bytes);
    float *all = dts_alloc(bytes / sizeof(float) + 1, sizeof(float));
    for (int i = 0; i < s->count; i++) {
        CHECK(dts_network_whole_bytes(s->stage[i].network, array) == bytes);
        dts_network_give(s->stage[i].network, array, all);
    }
    same(what, all, dts_network_mirror(one->network, array)->here, bytes / sizeof(float),
         tolerance);
    free(all);
}

static void compare_state(struct stages *s, struct one *one, double tolerance)
{
    size_t count;
    const float *want = dts_optimizer_state(one->optimizer, &count);
    float *all = dts_alloc(count + 1, sizeof(*all));
    CHECK(dts_optimizer_whole(one->optimizer, s->model) == count);
    for (int r = 0; r < s->ranks; r++) {
        CHECK(dts_optimizer_whole(s->rank[r].optimizer, s->model) == count);
        dts_optimizer_give(s->rank[r].optimizer, all);
    }
    same("state", all, want, count, tolerance);
    free(all);
}

/* Copies are what the owners have. */
static void compare_borrowed(struct stages *s, struct one *one, int wanted)
{
    int borrowed = 0;
    const float *weights = dts_network_weights(one->network);
    for (int i = 0; i < s->count; i++) {
        const struct dts_layout *layout = dts_network_layout(s->stage[i].network);
        for (int t = 0; t < layout->count; t++) {
            const struct dts_layout_tensor *copy = &layout->tensors[t];
            borrowed += copy->borrowed;
            if (copy->borrowed)
                same("copy", dts_network_weights(s->stage[i].network) + copy->offset,
                     weights + dts_network_offset(one->network, copy->layer, copy->number),
                     copy->param->count, 1e-6);
        }
    }
    CHECK_INT(borrowed, wanted);
}

/* The gradient of the first step has what follows from other orders of sums alone; the weights
 * what an optimizer makes of it. */
static void train(const char *text, const struct stages_request *request, double tolerance,
                  int borrowed)
{
    struct dts_model model;
    struct stages s;
    struct one one;
    stages_parse(&model, text);
    stages_open(&s, &model, request);
    one_open(&one, &model, request);
    compare(&s, &one, DTS_NETWORK_WEIGHTS, "first weights", 0);
    compare_borrowed(&s, &one, borrowed);
    for (int step = 0; step < STEPS; step++) {
        stages_pass(&s, step);
        one_pass(&one, &s, step);
        for (int m = 0; m < s.microbatches; m++)
            CHECK_NEAR(s.loss[m], one.loss[m], step == 0 ? 0 : 10 * tolerance * one.loss[m]);
        compare(&s, &one, DTS_NETWORK_GRADIENTS, "gradients", tolerance);
        stages_update(&s, step);
        const struct dts_update_settings settings = stages_settings(one.optimizer, step);
        dts_network_update(one.network, one.optimizer, &settings, 1);
    }
    compare(&s, &one, DTS_NETWORK_WEIGHTS, "weights", tolerance);
    compare(&s, &one, DTS_NETWORK_STATES, "statistics", tolerance);
    compare_state(&s, &one, tolerance);
    compare_borrowed(&s, &one, borrowed);
    one_close(&one);
    stages_close(&s);
    dts_model_free(&model);
}

/* Each cut, one to four microbatches, each order of passes. */
static void train_all(const char *text, const int cuts[][4], int count, double tolerance,
                      int borrowed)
{
    for (int c = 0; c < count; c++)
        for (int m = 1; m <= 4; m *= 2)
            for (int schedule = ONE_BY_ONE; schedule <= ONE_F_ONE_B; schedule++) {
                // another order of sums; adam takes what is rounding alone for a gradient
                const bool other = tolerance > 0 || (schedule == GPIPE_BACK && m > 1);
                const struct stages_request request = {
                    .cuts = cuts[c],
                    .microbatches = m,
                    .schedule = (enum schedule)schedule,
                    .optimizer = other ? "momentum" : "adam",
                };
                train(text, &request, other ? 1e-6 : 0, borrowed);
            }
}

static void a_plain_network_can_be_cut_anywhere(void)
{
    static const int cuts[][4] = {{1}, {2}, {3}, {5}, {2, 4}, {1, 2, 4}, {1, 3, 5}};
    train_all(mlp, cuts, 7, 0, 0);
}

/* Before a block, in the middle of one, before the head, before the loss. */
static void transformers_are_cut_where_one_output_is_left(void)
{
    static const int cuts[][4] = {{3}, {15}, {21}, {40}, {41}, {15, 27}, {9, 15, 39}};
    train_all(gpt, cuts, 7, 0, 0);
}

static void a_head_has_a_copy_of_the_table(void)
{
    static const int cuts[][4] = {{15}, {41}, {15, 27}, {1, 27, 40}};
    train_all(tied, cuts, 1, 1e-6, 1);
    train_all(tied, cuts + 1, 1, 0, 0);
    train_all(tied, cuts + 2, 2, 1e-6, 1);
}

/* A stage with two users has one copy, behind the bias of the first. */
static void users_of_a_weight_share_a_copy(void)
{
    static const int cuts[][4] = {{2}, {3}, {6}, {2, 6}, {1, 3, 5}};
    train_all(thrice, cuts, 3, 1e-6, 1);
    train_all(thrice, cuts + 3, 2, 1e-6, 2);
}

/* Before a block whose entry three layers read, before a relu, around a flatten. */
static void statistics_stay_with_their_layers(void)
{
    static const int cuts[][4] = {{1}, {2}, {3}, {11}, {20}, {21}, {3, 11}, {2, 10, 21}};
    train_all(cnn, cuts, 8, 0, 0);
}

static void chunks_of_a_rank_share_its_arrays(void)
{
    static const int cuts[] = {9, 21, 39, 0}, more[] = {3, 9, 15, 21, 27, 39, 41, 0};
    for (int m = 1; m <= 4; m++) {
        struct stages_request own = {.cuts = cuts,
                                     .ranks = 2,
                                     .microbatches = m,
                                     .schedule = ONE_F_ONE_B,
                                     .optimizer = "adam"};
        struct stages_request copied = own;
        copied.optimizer = "momentum";
        train(gpt, &own, 0, 0);
        train(tied, &copied, 1e-6, 1);
        own.cuts = copied.cuts = more;
        copied.ranks = 1; // the copy and its owner on one rank
        train(gpt, &own, 0, 0);
        train(tied, &copied, 1e-6, 1);
    }
}

static void every_rule_updates_stages(void)
{
    static const int cuts[] = {15, 39, 0};
    for (int i = 0; dts_optimizers[i] != NULL; i++) {
        const struct stages_request request = {.cuts = cuts,
                                               .microbatches = 2,
                                               .schedule = GPIPE,
                                               .optimizer = dts_optimizers[i]->name};
        train(gpt, &request, 0, 0);
    }
}

static void edges_lie_where_they_are_bound(void)
{
    static const int cuts[] = {9, 27, 0}, others[] = {2, 11, 20, 0};
    struct stages_request request = {
        .cuts = cuts, .microbatches = 3, .schedule = GPIPE, .optimizer = "adam", .bound = true};
    train(gpt, &request, 0, 0);
    request.cuts = others;
    train(cnn, &request, 0, 0);
}

static void mixed_precision_passes_sixteen_bits_on(void)
{
    static const int cuts[] = {9, 27, 0}, others[] = {2, 11, 0};
    struct stages_request request = {.cuts = cuts,
                                     .microbatches = 3,
                                     .schedule = ONE_F_ONE_B,
                                     .precision = DTS_BF16,
                                     .optimizer = "adam"};
    train(gpt, &request, 0, 0);
    request.cuts = others;
    train(cnn, &request, 0, 0);
}

/* What stages give another number of stages takes, and goes on as one network does. */
static void go_on(const char *text, const int *cuts, const int *others)
{
    struct stages_request request = {
        .cuts = cuts, .microbatches = 2, .schedule = GPIPE, .optimizer = "adam"};
    struct dts_model model;
    struct stages a, b;
    struct one one;
    stages_parse(&model, text);
    stages_open(&a, &model, &request);
    one_open(&one, &model, &request);
    request.cuts = others;
    request.schedule = ONE_F_ONE_B;
    stages_open(&b, &model, &request);
    stages_pass(&a, 0);
    stages_update(&a, 0);
    size_t count;
    float *state = dts_optimizer_state(one.optimizer, &count);
    float *weights = dts_network_weights(one.network);
    for (int i = 0; i < a.count; i++)
        dts_network_give(a.stage[i].network, DTS_NETWORK_WEIGHTS, weights);
    for (int r = 0; r < a.ranks; r++)
        dts_optimizer_give(a.rank[r].optimizer, state);
    for (int i = 0; i < b.count; i++)
        dts_network_take(b.stage[i].network, DTS_NETWORK_WEIGHTS, weights);
    for (int r = 0; r < b.ranks; r++)
        dts_optimizer_take(b.rank[r].optimizer, state);
    compare_borrowed(&b, &one, 1);
    compare_state(&b, &one, 0);
    stages_pass(&b, 1);
    stages_update(&b, 1);
    one_pass(&one, &b, 1);
    const struct dts_update_settings settings = stages_settings(one.optimizer, 1);
    dts_network_update(one.network, one.optimizer, &settings, 1);
    compare(&b, &one, DTS_NETWORK_WEIGHTS, "weights", 1e-6);
    compare_borrowed(&b, &one, 1);
    one_close(&one);
    stages_close(&a);
    stages_close(&b);
    dts_model_free(&model);
}

static void other_stages_go_on_with_what_stages_give(void)
{
    static const int cuts[] = {15, 0}, others[] = {9, 27, 40, 0}, last[] = {6, 0},
                     half[] = {3, 0};
    go_on(tied, cuts, others);
    go_on(thrice, last, half);
}

static void cuts_that_more_than_one_output_crosses_are_refused(void)
{
    struct dts_model model;
    struct dts_error err = {0};
    struct dts_network *network;
    int layer;
    stages_parse(&model, gpt);
    for (int cut = 1; cut < model.layer_count; cut++) {
        // an attention or an mlp in which the residual stream goes by
        const int in_block = (cut - 3) % 6;
        const bool inside = cut >= 3 && cut < 39 && in_block != 0;
        err = (struct dts_error){0};
        CHECK(dts_network_cut(&model, cut, &layer, &err) == !inside);
        CHECK(inside ? err.cause == DTS_UNSUPPORTED : layer == cut - 1);
    }
    const struct dts_network_options options = {.batch = 1, .threads = 1, .range = {3, 4}};
    err = (struct dts_error){0};
    CHECK(!dts_network_make(&network, &model, &options, &err));
    CHECK_STRING(err.text, "gpt: cannot be cut before layer h.0.drop_1: one output can go over "
                           "a cut, and those of h.0.proj and drop are read behind it, by "
                           "h.0.drop_1 and h.0.add_1");
    dts_model_free(&model);
    stages_parse(&model, cnn);
    err = (struct dts_error){0};
    const struct dts_network_options view = {.batch = 1, .threads = 1, .range = {20, 1}};
    CHECK(!dts_network_make(&network, &model, &view, &err));
    CHECK_STRING(err.text, "cnn: layers flat to flat cannot be a stage: they make nothing that "
                           "is read behind them, where p is");
    dts_model_free(&model);
}

/* Classes of tokens follow from the tokens: the stage with the loss has them, too. */
static void a_data_set_fills_what_a_stage_has(void)
{
    static const uint64_t numbers[STAGE_BATCH] = {7, 3, 11};
    static const int cuts[] = {15, 27, 0};
    const struct stages_request wanted = {
        .cuts = cuts, .microbatches = 1, .schedule = GPIPE, .optimizer = "sgd"};
    struct dts_error err = {0};
    struct dts_model model;
    struct stages s;
    struct one one;
    struct dts_data *data;
    bool tokens, classes;
    size_t count;
    stages_parse(&model, gpt);
    stages_open(&s, &model, &wanted);
    one_open(&one, &model, &wanted);
    const struct dts_data_request request = {
        .format = "made", .model = &model, .network = one.network, .samples = 20, .seed = 1};
    stages_must(dts_data_open(&data, &request, &err), &err);
    dts_data_fill(data, DTS_DATA_TRAIN, one.network, numbers, STAGE_BATCH);
    for (int i = 0; i < s.count; i++)
        dts_data_fill(data, DTS_DATA_TRAIN, s.stage[i].network, numbers, STAGE_BATCH);
    const size_t bytes = (size_t)STAGE_BATCH * 6 * sizeof(int32_t);
    CHECK(memcmp(dts_network_input(s.stage[0].network, &tokens),
                 dts_network_input(one.network, &tokens), bytes) == 0);
    CHECK(tokens && dts_network_input(s.stage[1].network, &tokens) == NULL);
    CHECK(dts_network_target(s.stage[0].network, 41, &count, &classes) == NULL);
    CHECK(memcmp(dts_network_target(s.stage[2].network, 41, &count, &classes),
                 dts_network_target(one.network, 41, &count, &classes), bytes) == 0);
    CHECK(classes && count == 6);
    dts_data_close(data);
    one_close(&one);
    stages_close(&s);
    dts_model_free(&model);
}

static size_t bytes_of(const struct dts_model *model, struct dts_layer_range range, int slots,
                       size_t *slot)
{
    struct dts_error err = {0};
    struct dts_network *network;
    const struct dts_network_options options = {
        .batch = STAGE_BATCH, .threads = 1, .range = range, .slots = slots};
    stages_must(dts_network_make(&network, model, &options, &err), &err);
    const size_t bytes = dts_network_bytes(network);
    *slot = dts_network_slot_bytes(network);
    dts_network_free(network);
    return bytes;
}

/* The plain network keeps, for three samples: both rectified outputs, what goes into the loss,
 * the loss's own, and the loss; its second stage has the output of the first and its gradient
 * besides, and the first two such edges. All but edges are rounded up to 64 bytes. */
static void a_slot_takes_what_backward_reads(void)
{
    const struct {
        const char *text;
        struct dts_layer_range range;
        size_t slot;
    } cases[] = {
        {mlp, {0, 6}, 384 + 192 + 64 + 64 + 64},
        {mlp, {0, 2}, 2 * 3 * 31 * 4},
        {mlp, {2, 4}, 192 + 64 + 64 + 64 + 2 * 3 * 31 * 4},
        {gpt, {0, 42}, 0},
        {gpt, {15, 12}, 0},
        {cnn, {0, 23}, 0},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct dts_model model;
        size_t none, slot, other;
        stages_parse(&model, cases[i].text);
        const size_t one = bytes_of(&model, cases[i].range, 1, &none);
        const size_t two = bytes_of(&model, cases[i].range, 2, &slot);
        const size_t six = bytes_of(&model, cases[i].range, 6, &other);
        CHECK_INT(none, 0);
        CHECK_INT(other, slot);
        CHECK_INT(six, two + 4 * slot);
        CHECK(slot > 0 && two > one && two - slot <= one + slot);
        if (cases[i].slot > 0)
            CHECK_INT(slot, cases[i].slot);
        dts_model_free(&model);
    }
}

TESTS(TEST(a_plain_network_can_be_cut_anywhere),
      TEST(transformers_are_cut_where_one_output_is_left), TEST(a_head_has_a_copy_of_the_table),
      TEST(users_of_a_weight_share_a_copy), TEST(statistics_stay_with_their_layers),
      TEST(chunks_of_a_rank_share_its_arrays), TEST(every_rule_updates_stages),
      TEST(edges_lie_where_they_are_bound), TEST(mixed_precision_passes_sixteen_bits_on),
      TEST(other_stages_go_on_with_what_stages_give),
      TEST(cuts_that_more_than_one_output_crosses_are_refused),
      TEST(a_data_set_fills_what_a_stage_has), TEST(a_slot_takes_what_backward_reads))
