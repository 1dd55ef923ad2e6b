/* test_exec_evaluate.c -- scores are what they say: of every sample once, whatever the batch.
 */
#include <stdlib.h>

#include "check.h"
#include "train/network/evaluate.h"

static const char text[] =
    "{\"name\": \"tiny\", \"sample\": \"image\", \"input\": [1, 2, 2], \"layers\": ["
    "{\"kind\": \"flatten\"}, {\"kind\": \"linear\", \"outputs\": 3},"
    "{\"kind\": \"dropout\", \"rate\": 0.5},"
    "{\"kind\": \"softmax_cross_entropy\"}]}";

enum { LINEAR = 1, LOSS = 3, SAMPLES = 25, CLASSES = 3 };

struct fixture {
    struct dts_model model;
    struct dts_network *network;
    struct dts_data *data;
    int batch;
};

static struct fixture *make_of(const char *model, int batch)
{
    static struct fixture f;
    struct dts_error err = {0};
    const struct dts_network_options options = {.batch = batch, .threads = 1, .seed = 5};
    f = (struct fixture){.batch = batch};
    if (!dts_model_parse(&f.model, "test.json", model, &err) ||
        !dts_network_make(&f.network, &f.model, &options, &err))
        exit(1);
    const struct dts_data_request request = {.format = "made",
                                             .model = &f.model,
                                             .network = f.network,
                                             .samples = SAMPLES,
                                             .seed = 1};
    if (!dts_data_open(&f.data, &request, &err))
        exit(1);
    return &f;
}

static struct fixture *make(int batch)
{
    return make_of(text, batch);
}

static void end(struct fixture *f)
{
    dts_data_close(f->data);
    dts_network_free(f->network);
    dts_model_free(&f->model);
}

/* Whatever the image, it says this class, by so much. */
static void always_say(struct fixture *f, int class, float by)
{
    float *weights = dts_network_weights(f->network);
    const size_t bias = dts_network_offset(f->network, LINEAR, 1);
    memset(weights, 0, dts_network_parameters(f->network) * sizeof(*weights));
    weights[bias + (size_t) class] = by;
}

static int count_class(struct fixture *f, int class)
{
    int found = 0;
    size_t count;
    bool classes;
    const int32_t *target = dts_network_target(f->network, LOSS, &count, &classes);
    for (uint64_t s = 0; s < SAMPLES; s++) {
        uint64_t numbers[64];
        for (int b = 0; b < f->batch; b++)
            numbers[b] = s;
        dts_data_fill(f->data, DTS_DATA_TRAIN, f->network, numbers, f->batch);
        found += target[0] == class;
    }
    return found;
}

static void the_right_ones_are_counted(void)
{
    for (int batch = 1; batch <= 32; batch = batch * 2 + 1) { // 25 is no multiple of most
        struct fixture *f = make(batch);
        for (int class = 0; class < CLASSES; class ++) {
            struct dts_score score = {0};
            const int right = count_class(f, class);
            always_say(f, class, 10);
            dts_evaluate(f->network, &f->model, f->data, DTS_DATA_TRAIN, 0, SAMPLES, batch,
                         &score);
            CHECK_NEAR(score.samples, SAMPLES, 0);
            CHECK_NEAR(score.positions, SAMPLES, 0);
            CHECK_NEAR(score.right, right, 0);
            const double wrong = SAMPLES - right, rest = log(1 + 2 * exp(-10));
            CHECK_CLOSE(score.loss, SAMPLES * rest + 10 * wrong, 1e-5);
        }
        end(f);
    }
}

static void among_equals_the_first_is_the_answer(void)
{
    struct fixture *f = make(4);
    struct dts_score score = {0};
    const int first = count_class(f, 0);
    always_say(f, 0, 0);
    dts_evaluate(f->network, &f->model, f->data, DTS_DATA_TRAIN, 0, SAMPLES, 4, &score);
    CHECK_NEAR(score.right, first, 0);
    CHECK(first < SAMPLES);
    end(f);
}

static void shares_add_up(void)
{
    struct fixture *f = make(4);
    struct dts_score whole = {0}, parts = {0};
    dts_evaluate(f->network, &f->model, f->data, DTS_DATA_TRAIN, 0, SAMPLES, 4, &whole);
    for (uint64_t first = 0; first < SAMPLES; first += 7)
        dts_evaluate(f->network, &f->model, f->data, DTS_DATA_TRAIN, first,
                     first + 7 < SAMPLES ? 7 : SAMPLES - first, 4, &parts);
    CHECK_NEAR(parts.samples, whole.samples, 0);
    CHECK_NEAR(parts.right, whole.right, 0);
    CHECK_CLOSE(parts.loss, whole.loss, 1e-6);
    end(f);
}

static void what_is_no_number_is_not_right(void)
{
    struct fixture *f = make(4);
    struct dts_score score = {0};
    always_say(f, 0, NAN);
    dts_evaluate(f->network, &f->model, f->data, DTS_DATA_TRAIN, 0, SAMPLES, 4, &score);
    CHECK_NEAR(score.right, 0, 0);
    CHECK_NEAR(score.positions, SAMPLES, 0);
    end(f);
}

static void evaluation_leaves_weights_and_gradients(void)
{
    struct fixture *f = make(4);
    struct dts_score score = {0};
    const size_t count = dts_network_parameters(f->network);
    float *kept = malloc(2 * count * sizeof(*kept));
    float *gradients = dts_network_gradients(f->network);
    for (size_t i = 0; i < count; i++)
        gradients[i] = (float)i;
    memcpy(kept, dts_network_weights(f->network), count * sizeof(*kept));
    memcpy(kept + count, gradients, count * sizeof(*kept));
    dts_evaluate(f->network, &f->model, f->data, DTS_DATA_TEST, 0, 3, 4, &score);
    CHECK(memcmp(kept, dts_network_weights(f->network), count * sizeof(*kept)) == 0);
    CHECK(memcmp(kept + count, gradients, count * sizeof(*kept)) == 0);
    free(kept);
    end(f);
}

/* A class for each pixel; the loss is again layer 3, and of pixels of class 2 there is none. */
static const char pixels[] =
    "{\"name\": \"pixels\", \"sample\": \"image\", \"input\": [1, 3, 5], \"layers\": ["
    "{\"kind\": \"relu\"}, {\"kind\": \"conv2d\", \"channels\": 4, \"kernel\": 1},"
    "{\"kind\": \"sequence\"}, {\"kind\": \"softmax_cross_entropy\", \"ignored\": 2}]}";

enum { PIXELS = 15, PIXEL_CLASSES = 4 };

static void regions_overlap_where_they_do(void)
{
    struct fixture *f = make_of(pixels, 4);
    struct dts_class_count each[PIXEL_CLASSES] = {{0}};
    struct dts_score score = {.each = each};
    CHECK_INT(dts_network_regions(f->network), LOSS);
    always_say(f, 3, 10);
    dts_evaluate(f->network, &f->model, f->data, DTS_DATA_TRAIN, 0, SAMPLES, 4, &score);
    double targets = 0;
    for (int c = 0; c < PIXEL_CLASSES; c++) {
        targets += each[c].targets;
        CHECK_NEAR(each[c].answers, c == 3 ? score.positions : 0, 0);
        CHECK_NEAR(each[c].both, c == 3 ? each[c].targets : 0, 0);
    }
    CHECK_NEAR(each[2].targets, 0, 0);
    CHECK_NEAR(targets, score.positions, 0);
    CHECK(score.positions < SAMPLES * PIXELS);
    CHECK_NEAR(each[3].both, score.right, 0);
    // of the three classes that occur one overlaps
    CHECK_CLOSE(dts_mean_iou(each, PIXEL_CLASSES), score.right / score.positions / 3, 1e-12);
    end(f);
    f = make(4);
    CHECK_INT(dts_network_regions(f->network), -1);
    end(f);
}

static void overlap_is_what_is_both_of_what_is_either(void)
{
    // 0 1 1 0 and 0 0 1 0: class 0 has 2 of 3, class 1 has 1 of 2, class 2 is nowhere
    const struct dts_class_count each[] = {{2, 3, 2}, {2, 1, 1}, {0, 0, 0}};
    CHECK_CLOSE(dts_mean_iou(each, 3), (2.0 / 3 + 1.0 / 2) / 2, 1e-12);
    CHECK(isnan(dts_mean_iou(each + 2, 1)));
}

/* A head in the middle, for training alone, that says class 0; layer 1 is the network's own. */
static void auxiliary_losses_are_left_out(void)
{
    static const char heads[] =
        "{\"name\": \"heads\", \"sample\": \"image\", \"input\": [1, 2, 2], \"layers\": ["
        "{\"name\": \"in\", \"kind\": \"flatten\"}, {\"kind\": \"linear\", \"outputs\": 3},"
        "{\"kind\": \"relu\"}, {\"name\": \"own\", \"kind\": \"softmax_cross_entropy\"},"
        "{\"kind\": \"linear\", \"input\": \"in\", \"outputs\": 3},"
        "{\"kind\": \"softmax_cross_entropy\", \"weight\": 0.4, \"auxiliary\": true}]}";
    struct fixture *f = make_of(heads, 4);
    struct dts_score score = {0};
    const int right = count_class(f, 2);
    always_say(f, 2, 10);
    dts_evaluate(f->network, &f->model, f->data, DTS_DATA_TRAIN, 0, SAMPLES, 4, &score);
    CHECK_NEAR(score.right, right, 0);
    CHECK_CLOSE(score.loss, SAMPLES * log(1 + 2 * exp(-10)) + 10.0 * (SAMPLES - right), 1e-5);
    end(f);
}

TESTS(TEST(auxiliary_losses_are_left_out), TEST(regions_overlap_where_they_do),
      TEST(overlap_is_what_is_both_of_what_is_either), TEST(the_right_ones_are_counted),
      TEST(among_equals_the_first_is_the_answer), TEST(shares_add_up),
      TEST(what_is_no_number_is_not_right), TEST(evaluation_leaves_weights_and_gradients))
