/* test_layers.c -- what layer kinds cost, by closed forms, and how model files are refused. */
#include <stdio.h>
#include <stdlib.h>

#include "base/json/keys.h"
#include "base/mem.h"
#include "check.h"
#include "train/model/calls.h"
#include "train/model/model.h"

/* A model of these layers, which are JSON without the brackets. */
static bool parse(struct dts_model *model, const char *input, const char *layers)
{
    size_t room = strlen(input) + strlen(layers) + 64;
    char *text = dts_alloc(room, 1);
    struct dts_error err = {0};
    snprintf(text, room, "{\"name\": \"m\", \"input\": %s, \"layers\": [%s]}", input, layers);
    bool parsed = dts_model_parse(model, "m.json", text, &err);
    if (!parsed)
        printf("%s\n  %s\n", text, err.text);
    free(text);
    return CHECK(parsed);
}

/* The last layer's costs behind a layer that learns, so that backward is whole. */
static bool parse_last(struct dts_model *model, const char *input, const char *layer,
                       struct dts_layer *last)
{
    char layers[512];
    snprintf(layers, sizeof(layers), "{\"name\": \"before\", \"kind\": \"layer_norm\"}, %s",
             layer);
    if (!parse(model, input, layers))
        return false;
    *last = model->layers[model->layer_count - 1];
    return true;
}

/* An example of each kind, behind a layer_norm called "before". */
static const struct example {
    const char *kind, *input, *json, *output;
    double parameters;
    double kept; // values for backward: inputs, the output, others
} examples[] = {
    {"conv1d", "[3, 32]",
     "{\"kind\": \"conv1d\", \"channels\": 16, \"kernel\": 5, \"stride\": 2, \"padding\": 2}",
     "16 x 16", 16 * 3 * 5 + 16, 96},
    {"conv2d", "[3, 32, 32]",
     "{\"kind\": \"conv2d\", \"channels\": 16, \"kernel\": 5, \"padding\": 2, \"stride\": 2}",
     "16 x 16 x 16", 16 * 3 * 25 + 16, 3072},
    {"conv3d", "[4, 8, 8, 8]", "{\"kind\": \"conv3d\", \"channels\": 2, \"kernel\": 3}",
     "2 x 6 x 6 x 6", 2 * 4 * 27 + 2, 2048},
    // torch.nn.ConvTranspose1d(3, 6, 5, 2)
    {"conv_transpose1d", "[3, 8]",
     "{\"kind\": \"conv_transpose1d\", \"channels\": 6, \"kernel\": 5, \"stride\": 2}",
     "6 x 19", 3 * 6 * 5 + 6, 24},
    {"conv_transpose2d", "[4, 7, 7]",
     "{\"kind\": \"conv_transpose2d\", \"channels\": 6, \"kernel\": 3, \"stride\": 2, "
     "\"padding\": 1, \"output_padding\": 1, \"groups\": 2}",
     "6 x 14 x 14", 4 * 3 * 9 + 6, 196},
    {"conv_transpose3d", "[2, 3, 4, 5]",
     "{\"kind\": \"conv_transpose3d\", \"channels\": 3, \"kernel\": [1, 2, 2], \"stride\": [1, "
     "2, 2], \"bias\": false}",
     "3 x 3 x 8 x 10", 2 * 3 * 4, 120},
    {"linear", "[7, 10]", "{\"kind\": \"linear\", \"outputs\": 4}", "7 x 4", 44, 70},
    {"max_pool", "[3, 9, 9]", "{\"kind\": \"max_pool\", \"kernel\": 3}", "3 x 3 x 3", 0, 243},
    {"avg_pool", "[3, 9, 9]", "{\"kind\": \"avg_pool\", \"kernel\": [3, 1], \"stride\": 1}",
     "3 x 7 x 9", 0, 0},
    {"global_pool", "[5, 4, 4]", "{\"kind\": \"global_pool\"}", "5", 0, 0},
    {"adaptive_pool", "[5, 10, 10]", "{\"kind\": \"adaptive_pool\", \"output\": [3, 5]}",
     "5 x 3 x 5", 0, 0},
    {"mean", "[7, 10]", "{\"kind\": \"mean\"}", "10", 0, 0},
    {"batch_norm", "[5, 4, 4]", "{\"kind\": \"batch_norm\"}", "5 x 4 x 4", 10, 80},
    {"group_norm", "[6, 4, 4]", "{\"kind\": \"group_norm\", \"groups\": 3}", "6 x 4 x 4", 12,
     96},
    {"layer_norm", "[7, 10]", "{\"kind\": \"layer_norm\"}", "7 x 10", 20, 70},
    {"rms_norm", "[7, 10]", "{\"kind\": \"rms_norm\"}", "7 x 10", 10, 70},
    {"relu", "[7]", "{\"kind\": \"relu\"}", "7", 0, 7},
    {"leaky_relu", "[7]", "{\"kind\": \"leaky_relu\"}", "7", 0, 7},
    {"relu6", "[7]", "{\"kind\": \"relu6\"}", "7", 0, 7},
    {"hardsigmoid", "[7]", "{\"kind\": \"hardsigmoid\"}", "7", 0, 7},
    {"hardswish", "[7]", "{\"kind\": \"hardswish\"}", "7", 0, 7},
    {"gelu", "[7]", "{\"kind\": \"gelu\"}", "7", 0, 7},
    {"silu", "[7]", "{\"kind\": \"silu\"}", "7", 0, 7},
    {"sigmoid", "[7]", "{\"kind\": \"sigmoid\"}", "7", 0, 7},
    {"tanh", "[7]", "{\"kind\": \"tanh\"}", "7", 0, 7},
    {"dropout", "[7]", "{\"kind\": \"dropout\"}", "7", 0, 0},
    {"stochastic_depth", "[7]", "{\"kind\": \"stochastic_depth\"}", "7", 0, 1},
    {"add", "[7, 2]", "{\"kind\": \"add\", \"input\": [\"before\", \"entry\"]}", "7 x 2", 0, 0},
    {"multiply", "[7, 2]", "{\"kind\": \"multiply\", \"input\": [\"before\", \"entry\"]}",
     "7 x 2", 0, 14},
    {"moe", "[7, 10]", "{\"kind\": \"moe\", \"experts\": 4, \"top_k\": 2, \"ffn\": 6}",
     "7 x 10", 4 * 10 + 3 * 4 * 6 * 10, 70 + 7 * 4 + 14 * 18},
    {"rotary", "[7, 12]", "{\"kind\": \"rotary\", \"heads\": 3}", "7 x 12", 0, 0},
    {"layer_scale", "[7, 2]", "{\"kind\": \"layer_scale\"}", "7 x 2", 7, 14},
    {"concat", "[7, 2]", "{\"kind\": \"concat\", \"input\": [\"before\", \"entry\"]}", "14 x 2",
     0, 0},
    {"flatten", "[7, 2]", "{\"kind\": \"flatten\"}", "14", 0, 0},
    {"reshape", "[8, 3, 3]", "{\"kind\": \"reshape\", \"output\": [2, 4, 9]}", "2 x 4 x 9", 0,
     0},
    {"sequence", "[7, 2, 3]", "{\"kind\": \"sequence\"}", "6 x 7", 0, 0},
    {"permute", "[7, 2, 3]", "{\"kind\": \"permute\", \"axes\": [1, 2, 0]}", "2 x 3 x 7", 0, 0},
    {"slice", "[7, 2]", "{\"kind\": \"slice\", \"offset\": 3, \"count\": 4}", "4 x 2", 0, 0},
    {"select", "[7, 2]", "{\"kind\": \"select\", \"positions\": 3}", "3 x 2", 0, 0},
    {"upsample", "[7, 2, 3]", "{\"kind\": \"upsample\", \"factor\": 4}", "7 x 8 x 12", 0, 0},
    {"upsample_nearest", "[7, 2, 3]", "{\"kind\": \"upsample_nearest\", \"factor\": 3}",
     "7 x 6 x 9", 0, 0},
    {"embedding", "[7]", "{\"kind\": \"embedding\", \"vocabulary\": 11, \"features\": 3}",
     "7 x 3", 33, 7},
    {"positional_embedding", "[7, 2]", "{\"kind\": \"positional_embedding\", \"positions\": 9}",
     "7 x 2", 18, 0},
    {"class_token", "[7, 2]", "{\"kind\": \"class_token\", \"tokens\": 3}", "10 x 2", 6, 0},
    {"attention", "[7, 24]", "{\"kind\": \"attention\", \"heads\": 2}", "7 x 8", 0, 266},
    // torch.nn.LSTM(10, 20) has 2560 parameters
    {"lstm", "[5, 10]", "{\"kind\": \"lstm\", \"outputs\": 20}", "5 x 20", 2560, 650},
    // torch.nn.GRU(10, 20) has 1920 parameters
    {"gru", "[5, 10]", "{\"kind\": \"gru\", \"outputs\": 20}", "5 x 20", 1920, 550},
    {"softmax_cross_entropy", "[7, 10]", "{\"kind\": \"softmax_cross_entropy\"}", "1", 0, 70},
    {"mean_squared_error", "[7, 10]", "{\"kind\": \"mean_squared_error\"}", "1", 0, 70},
};

enum { EXAMPLES = sizeof(examples) / sizeof(examples[0]) };

static const struct example *example_of(const char *kind)
{
    for (int i = 0; i < EXAMPLES; i++)
        if (strcmp(examples[i].kind, kind) == 0)
            return &examples[i];
    return NULL;
}

static void each_kind_is_as_its_example_says(void)
{
    for (int i = 0; dts_layer_kinds[i] != NULL; i++) {
        const struct example *e = example_of(dts_layer_kind_name(i));
        struct dts_model model;
        struct dts_layer last;
        CHECK(dts_layer_kind_find(dts_layer_kind_name(i)) == dts_layer_kinds[i]);
        if (e == NULL) {
            printf("no example of %s\n", dts_layer_kind_name(i));
            CHECK(false);
            continue;
        }
        if (!parse_last(&model, e->input, e->json, &last))
            continue;
        double parameters = 0;
        for (int p = 0; p < last.param_count; p++)
            parameters += (double)last.params[p].count;
        CHECK(last.kind == dts_layer_kinds[i]);
        CHECK_STRING(dts_dims_text(&last.output).chars, e->output);
        check_near(parameters, e->parameters, 0, __FILE__, __LINE__, e->kind);
        double by_norm = (double)dts_dims_elements(&model.input);
        check_near(model.saved_values - by_norm, e->kept, 0, __FILE__, __LINE__, e->kind);
        dts_model_free(&model);
    }
}

static void nothing_dropped_is_no_call(void)
{
    struct dts_model model;
    struct dts_layer last;
    if (!parse_last(&model, "[7]", "{\"kind\": \"dropout\", \"rate\": 0}", &last))
        return;
    CHECK(last.view);
    CHECK_NEAR(last.cost.forward_flops + last.cost.backward_flops, 0, 0);
    dts_model_free(&model);
}

static bool costs_are_sane(const struct dts_op_cost *c)
{
    const double numbers[] = {c->forward_flops,   c->backward_flops, c->forward_values,
                              c->backward_values, c->input_flops,    c->input_values,
                              c->saved_values,    c->saved_bytes,    c->weight_values};
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
        if (!(numbers[i] >= 0 && numbers[i] < 1e15))
            return false;
    return c->input_flops <= c->backward_flops && c->input_values <= c->backward_values;
}

static bool is_view(const char *kind)
{
    return strcmp(kind, "flatten") == 0 || strcmp(kind, "reshape") == 0;
}

/* Nothing negative; a view moves nothing: its output is its input. */
static void each_kind_costs_something(void)
{
    for (int i = 0; i < EXAMPLES; i++) {
        struct dts_model model;
        struct dts_layer last;
        if (!parse_last(&model, examples[i].input, examples[i].json, &last))
            continue;
        if (!CHECK(costs_are_sane(&last.cost)))
            printf("  %s\n", examples[i].kind);
        if (!CHECK(last.view == is_view(examples[i].kind)))
            printf("  %s\n", examples[i].kind);
        double in = (double)dts_dims_elements(&model.input);
        if (last.cost.class != DTS_WORK_MEMORY)
            CHECK(last.cost.forward_flops > in && last.cost.backward_flops > in);
        dts_model_free(&model);
    }
}

/* A shape like [7, 24] with twice the last size. */
static void widen(const char *input, char *wider, size_t room)
{
    const char *comma = strrchr(input, ','), *last = comma != NULL ? comma + 1 : input + 1;
    snprintf(wider, room, "%.*s%d]", (int)(last - input), input, 2 * atoi(last));
}

static void check_growth(const struct dts_op_cost *half, const struct dts_op_cost *whole)
{
    const double numbers[][2] = {{half->forward_flops, whole->forward_flops},
                                 {half->backward_flops, whole->backward_flops},
                                 {half->input_flops, whole->input_flops},
                                 {half->forward_values, whole->forward_values},
                                 {half->backward_values, whole->backward_values},
                                 {half->input_values, whole->input_values}};
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
        CHECK(numbers[i][0] > 0 ? numbers[i][1] > numbers[i][0] : numbers[i][1] <= 0);
    CHECK(whole->class == half->class);
    CHECK(whole->saved_values >= half->saved_values);
    CHECK(whole->saved_bytes >= half->saved_bytes);
    CHECK(whole->weight_values >= half->weight_values);
}

static void costs_grow_with_the_shape(void)
{
    for (int i = 0; i < EXAMPLES; i++) {
        char wider[64];
        struct dts_model models[2];
        struct dts_layer half, whole;
        if (strcmp(examples[i].kind, "reshape") == 0) // says its input's size
            continue;
        widen(examples[i].input, wider, sizeof(wider));
        if (!parse_last(&models[0], examples[i].input, examples[i].json, &half))
            continue;
        if (parse_last(&models[1], wider, examples[i].json, &whole)) {
            const int failures = check_failures;
            check_growth(&half.cost, &whole.cost);
            if (check_failures > failures)
                printf("  %s of %s\n", examples[i].kind, wider);
            dts_model_free(&models[1]);
        }
        dts_model_free(&models[0]);
    }
}

static void convolutions_multiply_each_weight_at_each_place(void)
{
    struct dts_model model;
    struct dts_layer l;
    if (!parse_last(&model, "[8, 20, 30]",
                    "{\"kind\": \"conv2d\", \"channels\": 12, \"kernel\": [1, 7], \"padding\": "
                    "[0, 3], \"groups\": 4}",
                    &l))
        return;
    const double in = 8 * 20 * 30, out = 12 * 20 * 30, window = 2 * 7;
    CHECK_STRING(dts_dims_text(&l.output).chars, "12 x 20 x 30");
    CHECK_INT(l.params[0].count, 12 * 2 * 7);
    CHECK_INT(l.params[1].count, 12);
    CHECK_NEAR(l.cost.forward_flops, 2 * out * window, 0);
    CHECK_NEAR(l.cost.backward_flops, 4 * out * window + out, 0);
    CHECK_NEAR(l.cost.forward_values, in + out, 0);
    CHECK_NEAR(l.cost.backward_values, 2 * (in + out), 0);
    CHECK_NEAR(l.cost.weight_values, 12 * 2 * 7 + 12, 0);
    dts_model_free(&model);
}

/* Windows along an axis, counted by moving one. */
static int count_windows(int size, int kernel, int stride, int padding, int dilation, bool ceil)
{
    int count = 0;
    for (int at = -padding;; at += stride) {
        int last = at + dilation * (kernel - 1);
        bool inside = last < size + padding;
        bool begins_inside =
            ceil && count > 0 && at < size && last - stride < size + padding - 1;
        if (!inside && !begins_inside)
            return count;
        count++;
    }
}

/* A pool, a pool that rounds up, and a convolution with gaps must agree with counting. */
static void check_windows(int size, int kernel, int stride, int padding)
{
    static const char pool[] = "{\"kind\": \"avg_pool\", \"kernel\": %d, \"stride\": %d, "
                               "\"padding\": %d, \"ceil\": %s}";
    static const char conv[] = "{\"kind\": \"conv2d\", \"channels\": 2, \"kernel\": [%d, 1], "
                               "\"stride\": %d, \"padding\": [%d, 0], \"dilation\": 2}";
    char input[32], layers[3][256];
    int want[3];
    snprintf(input, sizeof(input), "[2, %d, 1]", size);
    snprintf(layers[0], sizeof(layers[0]), conv, kernel, stride, padding);
    want[0] = count_windows(size, kernel, stride, padding, 2, false);
    for (int ceil = 0; ceil < 2; ceil++) {
        snprintf(layers[1 + ceil], sizeof(layers[0]), pool, kernel, stride, padding,
                 ceil ? "true" : "false");
        want[1 + ceil] = count_windows(size, kernel, stride, padding, 1, ceil);
    }
    for (int i = 0; i < 3; i++) {
        struct dts_model model;
        if (i > 0)
            snprintf(input, sizeof(input), "[2, %d]", size);
        if (want[i] == 0 || !parse(&model, input, layers[i]))
            continue;
        if (!CHECK_INT(model.layers[0].output.size[1], want[i]))
            printf("  size %d: %s\n", size, layers[i]);
        dts_model_free(&model);
    }
}

static void windows_are_as_many_as_fit(void)
{
    for (int size = 1; size <= 9; size++)
        for (int kernel = 1; kernel <= 4; kernel++)
            for (int stride = 1; stride <= 4; stride++)
                for (int padding = 0; padding <= kernel / 2; padding++)
                    check_windows(size, kernel, stride, padding);
}

static void same_padding_divides_the_size_by_the_stride(void)
{
    struct dts_model model;
    if (parse(&model, "[3, 224, 225]",
              "{\"kind\": \"conv2d\", \"channels\": 8, \"kernel\": 7, \"stride\": 2, "
              "\"padding\": \"same\"}")) {
        CHECK_STRING(dts_dims_text(&model.layers[0].output).chars, "8 x 112 x 113");
        dts_model_free(&model);
    }
    // the longest that padding of 2^20 allows
    struct dts_op_call call = {.op = NULL};
    if (parse(&model, "[1, 8, 8]",
              "{\"kind\": \"conv2d\", \"channels\": 1, \"kernel\": [2098, 1], \"dilation\": "
              "1000, \"padding\": \"same\"}")) {
        model.layers[0].kind->describe(model.layers[0].self, &call);
        CHECK_INT(call.window.before[0], 1048500);
        CHECK_INT(call.window.before[1], 0);
        dts_model_free(&model);
    }
}

/* As F.pad before a convolution, and as a pool that reaches further behind. */
static void padding_may_differ_before_and_behind(void)
{
    struct dts_model model;
    struct dts_op_call call = {.op = NULL};
    if (!parse(&model, "[3, 8, 9]",
               "{\"kind\": \"conv2d\", \"channels\": 8, \"kernel\": 3, \"stride\": 2, "
               "\"padding\": [[0, 1], [2, 3]]}, {\"kind\": \"avg_pool\", \"kernel\": 2, "
               "\"stride\": 1, \"padding\": [[0, 1], [1, 0]], \"count_include_pad\": false}"))
        return;
    CHECK_STRING(dts_dims_text(&model.layers[0].output).chars, "8 x 4 x 6");
    CHECK_STRING(dts_dims_text(&model.layers[1].output).chars, "8 x 4 x 6");
    model.layers[0].kind->describe(model.layers[0].self, &call);
    CHECK_INT(call.window.before[0], 0);
    CHECK_INT(call.window.before[1], 2);
    call = (struct dts_op_call){.op = NULL};
    model.layers[1].kind->describe(model.layers[1].self, &call);
    CHECK(call.inside);
    dts_model_free(&model);
}

static void adaptive_pools_read_windows_that_overlap(void)
{
    struct dts_model model;
    // along 10 into 4: [0, 3), [2, 5), [5, 8), [7, 10): 12 values
    if (parse(&model, "[3, 10]", "{\"kind\": \"adaptive_pool\", \"output\": [4]}")) {
        CHECK_NEAR(model.layers[0].cost.forward_flops, 3 * 12, 0);
        dts_model_free(&model);
    }
}

/* Scores of h heads on s positions: h s^2. Two products of 2 s^2 f each forward. */
static void attention_costs_two_products_and_a_softmax(void)
{
    struct dts_model model;
    struct dts_layer l;
    const double s = 64, f = 32, h = 4, scores = h * s * s, product = 2 * s * s * f;
    if (parse_last(&model, "[64, 96]", "{\"kind\": \"attention\", \"heads\": 4}", &l)) {
        CHECK_NEAR(l.cost.forward_flops, 2 * product + 6 * scores, 0);
        CHECK_NEAR(l.cost.backward_flops, 4 * product + 5 * scores, 0);
        CHECK_NEAR(l.cost.saved_values, scores, 0);
        CHECK_NEAR(l.cost.forward_values, 4 * scores + 4 * s * f, 0);
        dts_model_free(&model);
    }
    if (parse_last(&model, "[64, 96]",
                   "{\"kind\": \"attention\", \"heads\": 4, \"dropout\": 0.1}", &l)) {
        CHECK_NEAR(l.cost.forward_flops, 2 * product + 8 * scores, 0);
        CHECK_NEAR(l.cost.backward_flops, 4 * product + 6 * scores, 0);
        CHECK_NEAR(l.cost.forward_values, 6 * scores + 4 * s * f, 0);
        CHECK_NEAR(l.cost.backward_values, 9 * scores + 7 * s * f, 0);
        dts_model_free(&model);
    }
    if (parse_last(&model, "[64, 96]",
                   "{\"kind\": \"attention\", \"heads\": 4, \"causal\": true, \"fused\": true}",
                   &l)) {
        CHECK_NEAR(l.cost.forward_flops, product + 3 * scores, 0);
        CHECK_NEAR(l.cost.backward_flops, 2.5 * product + 5 * scores, 0);
        CHECK_NEAR(l.cost.saved_values, s * f, 0); // its output
        CHECK_NEAR(l.cost.saved_bytes, 4 * h * s, 0);
        CHECK_NEAR(l.cost.forward_values, 4 * s * f, 0);
        dts_model_free(&model);
    }
}

/* Grouped queries: four heads of 8 features, keys and values of two. */
static void attention_takes_three_inputs_and_fewer_keys(void)
{
    struct dts_model model;
    if (!parse(&model, "[16, 32]",
               "{\"name\": \"q\", \"kind\": \"linear\", \"outputs\": 32},"
               "{\"name\": \"k\", \"kind\": \"linear\", \"outputs\": 16, \"input\": \"entry\"},"
               "{\"name\": \"v\", \"kind\": \"linear\", \"outputs\": 16, \"input\": \"entry\"},"
               "{\"kind\": \"attention\", \"heads\": 4, \"input\": [\"q\", \"k\", \"v\"]}"))
        return;
    CHECK_STRING(dts_dims_text(&model.layers[3].output).chars, "16 x 32");
    CHECK_NEAR(model.layers[3].cost.forward_values, 4 * 4 * 256 + 16 * (32 + 32 + 16 + 16), 0);
    dts_model_free(&model);
}

static void tensors_are_kept_once_by_whoever_made_them(void)
{
    struct dts_model model;
    if (!parse(&model, "[10]",
               "{\"name\": \"a\", \"kind\": \"linear\", \"outputs\": 20},"
               "{\"name\": \"b\", \"kind\": \"relu\"},"
               "{\"name\": \"c\", \"kind\": \"flatten\"},"
               "{\"name\": \"d\", \"kind\": \"linear\", \"outputs\": 5},"
               "{\"name\": \"e\", \"kind\": \"linear\", \"outputs\": 5, \"input\": \"b\"},"
               "{\"name\": \"f\", \"kind\": \"add\", \"input\": [\"d\", \"e\"]},"
               "{\"name\": \"g\", \"kind\": \"softmax_cross_entropy\"}"))
        return;
    const double want[] = {10, 20, 0, 0, 0, 0, 5}; // the input by a; b's output for b, d and e
    for (int i = 0; i < model.layer_count; i++)
        CHECK_NEAR(model.layers[i].cost.saved_values, want[i], 0);
    CHECK_NEAR(model.saved_values, 35, 0);
    CHECK_NEAR(model.layers[0].cost.backward_flops, 400 + 20, 0); // weights, bias
    CHECK_NEAR(model.layers[1].cost.backward_flops, 20 + 20, 0);  // its own, and c + e
    CHECK_NEAR(model.layers[1].cost.backward_values, 60 + 60, 0);
    // most at b: 30 kept so far, gradients of its output and its input 20 each; 35 at the end
    CHECK_NEAR(model.working_values, 70 - 35, 0);
    dts_model_free(&model);
}

static void what_comes_before_all_weights_is_not_differentiated(void)
{
    struct dts_model model;
    if (!parse(&model, "[3, 8, 8]",
               "{\"kind\": \"avg_pool\", \"kernel\": 2}, {\"kind\": \"relu\"},"
               "{\"kind\": \"flatten\"}, {\"kind\": \"linear\", \"outputs\": 2}"))
        return;
    for (int i = 0; i < 3; i++) {
        CHECK_NEAR(model.layers[i].cost.backward_flops, 0, 0);
        CHECK_NEAR(model.layers[i].cost.backward_values, 0, 0);
    }
    CHECK_NEAR(model.layers[3].cost.backward_flops, 2 * 48 * 2 + 2, 0);
    CHECK_NEAR(model.saved_values, 48, 0); // what the linear layer reads, in relu's memory
    CHECK_NEAR(model.layers[1].cost.saved_values, 48, 0);
    dts_model_free(&model);
}

static void a_layer_learns_by_the_weight_of_another(void)
{
    struct dts_model model;
    if (!parse(&model, "[4]",
               "{\"name\": \"a\", \"kind\": \"embedding\", \"vocabulary\": 9, \"features\": 2},"
               "{\"kind\": \"embedding\", \"vocabulary\": 9, \"features\": 2, \"tied\": \"a\", "
               "\"input\": \"entry\"}"))
        return;
    CHECK_INT(model.layers[1].tied_to, 0);
    CHECK_INT(model.layers[1].param_count, 0);
    CHECK_NEAR(model.layers[1].cost.backward_flops, 8, 0);
    CHECK_NEAR(model.parameters, 18, 0);
    dts_model_free(&model);
}

static void rounds_may_share_their_weights(void)
{
    struct dts_model model;
    const char *const group = "{\"name\": \"g\", \"repeat\": 3, \"shared\": true, \"layers\": ["
                              "{\"kind\": \"linear\", \"outputs\": 4}, {\"kind\": \"relu\"}]}";
    if (!parse(&model, "[4]", group))
        return;
    struct dts_layer_call calls[6];
    dts_model_calls(&model, false, calls);
    CHECK_NEAR(model.parameters, 4 * 4 + 4, 0);
    CHECK_INT(model.layers[0].param_count, 2);
    for (int l = 2; l < 6; l += 2) {
        CHECK_INT(model.layers[l].shares, 0);
        CHECK_INT(model.layers[l].param_count, 0);
        const struct dts_op_call call = dts_model_call(&model, l);
        CHECK_INT((int)call.params[0], 16);
        CHECK_INT((int)call.params[1], 4);
        CHECK(calls[l].learns);
        for (int i = 0; i < 2; i++) {
            CHECK_INT(calls[l].param_layers[i], 0);
            CHECK_INT(calls[l].param_numbers[i], i);
        }
        CHECK_NEAR(model.layers[l].cost.forward_flops, model.layers[0].cost.forward_flops, 0);
    }
    dts_model_free(&model);
}

static void names_are_looked_up_from_the_inside_out(void)
{
    struct dts_model model;
    if (!parse(
            &model, "[4]",
            "{\"name\": \"first\", \"kind\": \"linear\", \"outputs\": 4},"
            "{\"name\": \"block\", \"repeat\": 3, \"layers\": ["
            "    {\"name\": \"x\", \"kind\": \"linear\", \"outputs\": 4},"
            "    {\"name\": \"first\", \"kind\": \"relu\"},"
            "    {\"name\": \"inner\", \"layers\": ["
            "        {\"kind\": \"add\", \"input\": [\"x\", \"first\", \"entry\"]}]},"
            "    {\"name\": \"out\", \"kind\": \"add\", \"input\": [\"inner\", \"entry\"]}]},"
            "{\"name\": \"a\", \"kind\": \"add\", \"input\": [\"block\", \"first\"]},"
            "{\"name\": \"b\", \"kind\": \"add\", \"input\": [\"block.1\", \"block.0.x\"]},"
            "{\"name\": \"c\", \"kind\": \"add\", \"input\": [\"entry\", \"b\"]}"))
        return;
    const struct dts_layer *l = model.layers; // 0 first; 1 to 4 round 0; 5 to 8; 9 to 12
    CHECK_INT(model.layer_count, 16);
    CHECK_STRING(l[7].name, "block.1.inner.add_0");
    CHECK_INT(l[7].inputs[0], 5);
    CHECK_INT(l[7].inputs[1], 6);
    CHECK_INT(l[7].inputs[2], 6); // what came into "inner"
    CHECK_INT(l[8].inputs[0], 7);
    CHECK_INT(l[8].inputs[1], 4); // what came into round 1
    CHECK_INT(l[13].inputs[0], 12);
    CHECK_INT(l[13].inputs[1], 0);
    CHECK_INT(l[14].inputs[0], 8);
    CHECK_INT(l[14].inputs[1], 1);
    CHECK_INT(l[15].inputs[0], -1);
    dts_model_free(&model);
}

/* Each with what its message must say after the name of the file. */
static const struct {
    const char *input, *layers, *message;
} bad[] = {
    {"[3]", "{\"kind\": \"softmax_cross_entropy\", \"weight\": 0}",
     "layers[0].weight: must be >= 1e-09, got 0"},
    {"[3]", "{\"kind\": \"mean_squared_error\", \"weight\": 1e10}",
     "layers[0].weight: must be <= 1000000000, got 10000000000"},
    {"[3]", "{\"kind\": \"mean_squared_error\", \"ignored\": 1}",
     "layers[0].ignored: unknown key (expected one of:"},
    {"[3, 8, 8]", "{\"kind\": \"conv2d\", \"channels\": 8, \"kernel\": 99}",
     "layers[0].kernel: must be <= 8, got 99"},
    {"[3, 8, 8]",
     "{\"kind\": \"relu\"}, {\"kind\": \"max_pool\", \"kernel\": [3, 9], \"padding\": 0}",
     "layers[1].kernel: must be <= 8, got 9"},
    {"[3, 8, 8]", "{\"kind\": \"max_pool\", \"kernel\": [3, 3, 3]}",
     "layers[0].kernel: must be one number or a list of 2, got a list of 3"},
    {"[3, 8, 8]", "{\"kind\": \"max_pool\", \"kernel\": 3, \"padding\": \"full\"}",
     "layers[0].padding: must be numbers or \"same\", got \"full\""},
    {"[3, 8, 8]", "{\"kind\": \"max_pool\", \"kernel\": 3, \"padding\": 2}",
     "layers[0].padding: must be <= 1, half of the kernel, got 2"},
    {"[3, 8, 8]", "{\"kind\": \"max_pool\", \"kernel\": 3, \"stride\": 0}",
     "layers[0].stride: must be >= 1, got 0"},
    {"[1, 8, 8]",
     "{\"kind\": \"conv2d\", \"channels\": 1, \"kernel\": [1, 8193], \"dilation\": [1, "
     "1048576], \"padding\": \"same\"}",
     "layers[0].kernel: must be <= 3, as padding must be <= 1048576, got 8193 (dilated)"},
    {"[1, 8, 8]",
     "{\"kind\": \"conv2d\", \"channels\": 1, \"kernel\": [2099, 1], \"dilation\": 1000, "
     "\"padding\": \"same\"}",
     "layers[0].kernel: must be <= 2098, as padding must be <= 1048576, got 2099 (dilated)"},
    {"[1, 32768, 32769]", "{\"kind\": \"max_pool\", \"kernel\": 2}",
     "layers[0].input: must have <= 1073741824 values in a channel, got 1 x 32768 x 32769"},
    {"[3, 2, 500000000]",
     "{\"kind\": \"avg_pool\", \"kernel\": 2, \"padding\": 1, \"stride\": 1}",
     "layers[0]: the output must have <= 1073741824 values in a channel, got 3 x 3 x "
     "500000001"},
    {"[3, 8]", "{\"kind\": \"conv2d\", \"channels\": 8, \"kernel\": 3}",
     "layers[0].input: must be channels and 2 sizes, got 3 x 8"},
    {"[3, 8, 8]", "{\"kind\": \"conv2d\", \"channels\": 8, \"kernel\": 3, \"groups\": 2}",
     "layers[0].groups: must divide the channels, 3 and 8, got 2"},
    {"[3, 8, 8]", "{\"kind\": \"conv2d\", \"kernel\": 3}",
     "layers[0].channels: missing (channels of the output)"},
    {"[3, 8, 8]", "{\"kind\": \"convd\", \"channels\": 8}", "(did you mean conv2d?)"},
    {"[3, 8, 8]", "{\"kind\": \"conv2d\", \"chanels\": 8, \"kernel\": 3}",
     "layers[0].chanels: unknown key (did you mean channels?)"},
    {"[3]", "{\"name\": \"a\"}", "layers[0].kind: missing"},
    {"[3]", "7", "layers[0]: must be an object: a layer or a group"},
    {"[3]", "", "layers: must be a list of at least one layer"},
    {"[]", "{\"kind\": \"relu\"}", "input: must have at least one size"},
    {"[3, 0]", "{\"kind\": \"relu\"}", "input[1]: must be >= 1, got 0"},
    {"[1e9, 1e9]", "{\"kind\": \"relu\"}", "input: must have <= 1e+12 values, got 1e+18"},
    {"[3]",
     "{\"name\": \"first\", \"kind\": \"relu\"}, {\"kind\": \"relu\", \"input\": "
     "\"frist\"}",
     "layers[1].input: no layer \"frist\" before this one (did you mean first?)"},
    {"[3]",
     "{\"kind\": \"add\", \"input\": [\"entry\", \"later\"]}, {\"name\": \"later\", "
     "\"kind\": \"relu\"}",
     "layers[0].input[1]: no layer \"later\" before this one"},
    {"[3]", "{\"kind\": \"relu\", \"input\": \"a\\nb\"}",
     "layers[0].input: must be without control characters"},
    {"[3]", "{\"kind\": \"relu\", \"input\": []}", "layers[0].input: must have 1 to 16 names"},
    {"[3]", "{\"kind\": \"relu\", \"input\": [\"entry\", \"entry\"]}",
     "layers[0].input: a layer of kind relu must have 1, got 2"},
    {"[3]", "{\"kind\": \"add\"}", "layers[0].input: must name two layers or more"},
    {"[3]", "{\"name\": \"a\", \"kind\": \"relu\"}, {\"name\": \"a\", \"kind\": \"relu\"}",
     "layers[1].name: there is already a layer or group \"a\""},
    {"[3]", "{\"name\": \"a.b\", \"kind\": \"relu\"}",
     "layers[0].name: must be 1 to 64 letters"},
    {"[3]", "{\"name\": \"entry\", \"kind\": \"relu\"}", "layers[0].name: \"entry\" already"},
    {"[3, 4]",
     "{\"name\": \"a\", \"kind\": \"flatten\"}, {\"kind\": \"add\", \"input\": "
     "[\"a\", \"entry\"]}",
     "layers[1].input: must have equal shapes, got 12 and 3 x 4"},
    {"[3]", "{\"name\": \"g\", \"repeat\": 1e9, \"layers\": [{\"kind\": \"relu\"}]}",
     "layers[0].repeat: must be <= 20000, got 1000000000"},
    {"[3]", "{\"repeat\": 0, \"layers\": [{\"kind\": \"relu\"}]}",
     "layers[0].repeat: must be >= 1, got 0"},
    {"[3]",
     "{\"repeat\": 200, \"layers\": [{\"repeat\": 200, \"layers\": [{\"kind\": "
     "\"relu\"}]}]}",
     "layers[0].layers[0].layers[0]: a model must have at most 20000 layers"},
    {"[3]", "{\"repeat\": 2, \"layers\": []}",
     "layers[0].layers: must be a list of at least one layer"},
    {"[3]", "{\"repeat\": 2, \"kind\": \"relu\", \"layers\": [{\"kind\": \"relu\"}]}",
     "layers[0].kind: unknown key"},
    {"[4]",
     "{\"repeat\": 40, \"layers\": [{\"name\": \"a\", \"kind\": \"relu\"}, {\"kind\": "
     "\"concat\", \"input\": [\"a\", \"entry\"]}]}",
     "layers[0].layers[1]: the output must have <= 1e+12 values, got 1099511627776"},
    {"[10000, 10000, 10]", "{\"kind\": \"linear\", \"outputs\": 100000000}",
     "layers[0]: the output must have <= 1e+12 values, got 10000 x 10000 x 100000000"},
    {"[1000000000]", "{\"kind\": \"linear\", \"outputs\": 100000000}",
     "layers[0]: weight must have <= 1e+12 values, got 1e+17"},
    {"[8]", "{\"kind\": \"embedding\", \"vocabulary\": 2000000000, \"features\": 1000000}",
     "layers[0]: weight must have <= 1e+12 values, got 2e+15"},
    {"[8, 3]", "{\"kind\": \"positional_embedding\", \"positions\": 7}",
     "layers[0].positions: must be >= 8, the input's, got 7"},
    {"[8, 4]", "{\"kind\": \"group_norm\", \"groups\": 3}",
     "layers[0].groups: must divide the channels, 8, got 3"},
    {"[8]", "{\"kind\": \"group_norm\", \"groups\": 8}",
     "layers[0].groups: must leave more than one value in a group, got 8 of 8"},
    {"[8, 4]", "{\"kind\": \"group_norm\"}", "layers[0].groups: missing"},
    {"[8, 4]", "{\"kind\": \"slice\", \"count\": 8}",
     "layers[0].count: must be < 8, or all are kept, got 8"},
    {"[8, 4]", "{\"kind\": \"slice\", \"count\": 3, \"offset\": 2, \"axis\": 1}",
     "layers[0].offset: must be <= 1, got 2"},
    {"[8, 4]", "{\"kind\": \"slice\", \"count\": 3, \"axis\": 2}",
     "layers[0].axis: must be <= 1 for an input of 8 x 4, got 2"},
    {"[8, 4]", "{\"kind\": \"permute\", \"axes\": [0, 0]}",
     "layers[0].axes: must have each of 0 to 1 once"},
    {"[8, 4]", "{\"kind\": \"permute\", \"axes\": [0, 1]}",
     "layers[0].axes: must change the order of the axes"},
    {"[8, 4]", "{\"kind\": \"permute\", \"axes\": [1, 2]}",
     "layers[0].axes[1]: must be <= 1, got 2"},
    {"[8]", "{\"kind\": \"permute\", \"axes\": [0]}",
     "layers[0].input: must have two sizes or more, got 8"},
    {"[8, 4]", "{\"kind\": \"reshape\", \"output\": [5, 7]}",
     "layers[0].output: must have 32 values, those of 8 x 4, got 35"},
    {"[3, 8]", "{\"kind\": \"conv_transpose2d\", \"channels\": 8, \"kernel\": 3}",
     "layers[0].input: must be channels and 2 sizes, got 3 x 8"},
    {"[3, 8]",
     "{\"kind\": \"conv_transpose1d\", \"channels\": 8, \"kernel\": 3, \"output_padding\": 1}",
     "layers[0].output_padding: must be < the stride, 1, got 1"},
    {"[3, 1]",
     "{\"kind\": \"conv_transpose1d\", \"channels\": 8, \"kernel\": 3, \"padding\": 2}",
     "layers[0].padding: must be <= 1, got 2"},
    {"[3, 8]",
     "{\"kind\": \"conv_transpose1d\", \"channels\": 8, \"kernel\": 3, \"groups\": 2}",
     "layers[0].groups: must divide the channels, 3 and 8, got 2"},
    {"[3, 1048576]",
     "{\"kind\": \"conv_transpose1d\", \"channels\": 8, \"kernel\": 1, \"stride\": 1048576}",
     "layers[0]: the output must have <= 1073741824 values in a channel"},
    {"[3, 8, 8]", "{\"kind\": \"max_pool\", \"kernel\": 3, \"padding\": [[0, 2], 1]}",
     "layers[0].padding: must be <= 1, half of the kernel, got 2"},
    {"[3, 8, 8]", "{\"kind\": \"avg_pool\", \"kernel\": 3, \"padding\": [[0, 1], 1]}",
     "layers[0].padding: must be alike before and behind, or count_include_pad false, got 0 "
     "and 1"},
    {"[3, 8, 8]", "{\"kind\": \"max_pool\", \"kernel\": 3, \"count_include_pad\": false}",
     "layers[0].count_include_pad: unknown key"},
    {"[3, 8, 8]", "{\"kind\": \"max_pool\", \"kernel\": 3, \"padding\": [[0, 1, 1], 1]}",
     "layers[0].padding[0]: must be a number or [before, behind], got a list of 3"},
    {"[3, 8, 8]", "{\"kind\": \"max_pool\", \"kernel\": 3, \"padding\": [1, 1, 1]}",
     "layers[0].padding: must be one number or a list of 2, got a list of 3"},
    {"[8]", "{\"kind\": \"class_token\"}",
     "layers[0].input: must be positions x features, got 8"},
    {"[8]", "{\"kind\": \"mean\"}", "layers[0].input: must be positions and features, got 8"},
    {"[8, 25]", "{\"kind\": \"attention\", \"heads\": 2}",
     "layers[0].input: must have 3 x features, got 8 x 25"},
    {"[8, 24]", "{\"kind\": \"attention\", \"heads\": 3}",
     "layers[0].heads: must divide the features, 8, got 3"},
    {"[8, 24]", "{\"kind\": \"attention\", \"heads\": 2, \"input\": [\"entry\", \"entry\"]}",
     "layers[0].input: must be one layer (q, k, v in one) or three (q, k, v), got 2"},
    {"[8, 24]", "{\"kind\": \"select\", \"positions\": 9}",
     "layers[0].positions: must be <= 8, got 9"},
    {"[8, 24]", "{\"kind\": \"adaptive_pool\", \"output\": [7, 7]}",
     "layers[0].output: must be 1 sizes for an input of 8 x 24, got 2"},
    {"[8]",
     "{\"name\": \"a\", \"kind\": \"linear\", \"outputs\": 8}, {\"kind\": \"linear\", "
     "\"outputs\": 9, \"tied\": \"a\"}",
     "layers[1].tied: the weight must have 72 values, that of a has 64"},
    {"[8]",
     "{\"name\": \"a\", \"kind\": \"relu\"}, {\"kind\": \"linear\", \"outputs\": 9, "
     "\"tied\": \"a\"}",
     "layers[1].tied: a has no weight of its own"},
    {"[8]",
     "{\"name\": \"a\", \"kind\": \"linear\", \"outputs\": 8}, {\"name\": \"b\", \"kind\": "
     "\"linear\", \"outputs\": 8, \"tied\": \"a\"}, {\"kind\": \"linear\", \"outputs\": 8, "
     "\"tied\": \"b\"}",
     "layers[2].tied: b has no weight of its own"},
    {"[8]",
     "{\"name\": \"a\", \"kind\": \"linear\", \"outputs\": 8}, {\"kind\": \"relu\", "
     "\"tied\": \"a\"}",
     "layers[1].tied: a layer of kind relu has no weight"},
    {"[8]", "{\"shared\": true, \"layers\": [{\"kind\": \"linear\", \"outputs\": 8}]}",
     "layers[0].shared: has no effect where nothing repeats"},
    {"[8]",
     "{\"repeat\": 2, \"shared\": true, \"layers\": [{\"kind\": \"linear\", \"outputs\": 9}]}",
     "layers[0].shared: all rounds must have the same shapes: group_0.1.linear_0 has 81 "
     "values, "
     "group_0.0.linear_0 has 72"},
};

static void bad_models_get_one_line_that_says_where_and_what(void)
{
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        char text[1024];
        struct dts_model model;
        struct dts_error err = {0};
        snprintf(text, sizeof(text), "{\"name\": \"m\", \"input\": %s, \"layers\": [%s]}",
                 bad[i].input, bad[i].layers);
        if (!CHECK(!dts_model_parse(&model, "m.json", text, &err))) {
            printf("  accepted: %s\n", text);
            dts_model_free(&model);
            continue;
        }
        CHECK_INT(err.cause, DTS_BAD_INPUT);
        if (!CHECK(strncmp(err.text, "m.json: ", 8) == 0 &&
                   strstr(err.text, bad[i].message) != NULL && strchr(err.text, '\n') == NULL))
            printf("  got:  %s\n  want: m.json: %s\n", err.text, bad[i].message);
        CHECK(model.layers == NULL && model.doc == NULL); // nothing to release
    }
}

static char *read_docs(void)
{
    const size_t room = 1 << 18;
    char *docs = dts_alloc(room, 1);
    FILE *file = fopen(DTS_SOURCE "/docs/models.md", "r");
    if (CHECK(file != NULL)) {
        docs[fread(docs, 1, room - 1, file)] = '\0';
        fclose(file);
    }
    return docs;
}

/* docs/models.md has what `dtsim help model` prints, word for word. */
static void the_documentation_says_what_the_tables_say(void)
{
    char *help = NULL, *docs = read_docs();
    size_t size;
    FILE *out = open_memstream(&help, &size);
    dts_keys_help(dts_model_keys, out);
    fclose(out);
    if (!CHECK(strstr(docs, help) != NULL))
        printf("  put this into docs/models.md:\n%s\n", help);
    free(docs);
    free(help);
}

static void the_first_example_of_the_documentation_is_a_model(void)
{
    char *docs = read_docs(), *begin = strstr(docs, "```json\n"), *end = NULL;
    struct dts_model model;
    struct dts_error err = {0};
    if (begin != NULL)
        end = strstr(begin + 8, "```");
    if (CHECK(end != NULL)) {
        *end = '\0';
        if (CHECK(dts_model_parse(&model, "docs/models.md", begin + 8, &err)))
            CHECK_NEAR(model.parameters, 32 * 9 + 32 + 32 * 14 * 14 * 10 + 10, 0);
        dts_model_free(&model);
    }
    free(docs);
}

TESTS(TEST(each_kind_is_as_its_example_says), TEST(each_kind_costs_something),
      TEST(costs_grow_with_the_shape), TEST(nothing_dropped_is_no_call),
      TEST(convolutions_multiply_each_weight_at_each_place), TEST(windows_are_as_many_as_fit),
      TEST(same_padding_divides_the_size_by_the_stride),
      TEST(padding_may_differ_before_and_behind),
      TEST(adaptive_pools_read_windows_that_overlap),
      TEST(attention_costs_two_products_and_a_softmax),
      TEST(attention_takes_three_inputs_and_fewer_keys),
      TEST(tensors_are_kept_once_by_whoever_made_them),
      TEST(what_comes_before_all_weights_is_not_differentiated),
      TEST(a_layer_learns_by_the_weight_of_another), TEST(rounds_may_share_their_weights),
      TEST(names_are_looked_up_from_the_inside_out),
      TEST(bad_models_get_one_line_that_says_where_and_what),
      TEST(the_documentation_says_what_the_tables_say),
      TEST(the_first_example_of_the_documentation_is_a_model))
