/* stages_apart.c -- two stages on a device whose memory the host cannot read, a stand-in for a
 * GPU (live/stand_in.c): what is fetched from one and stored in the other gives the bits that
 * one network on this CPU has. Edges are bound to memory of the test, as to a plan's buffers.
 */
#include <stdlib.h>

#include "base/mem.h"
#include "base/os/pages.h"
#include "base/rng.h"
#include "check.h"
#include "train/network/network.h"

enum { BATCH = 3, CUT = 4, LAYERS = 8, MICROBATCHES = 2 };

/* Two layers of the second stage read what goes over the cut. */
static const char text[] =
    "{\"name\": \"net\", \"sample\": \"row\", \"input\": [12], \"layers\": ["
    "{\"kind\": \"linear\", \"outputs\": 16}, {\"kind\": \"relu\"},"
    "{\"kind\": \"dropout\", \"rate\": 0.3},"
    "{\"name\": \"cut\", \"kind\": \"linear\", \"outputs\": 8},"
    "{\"name\": \"b\", \"kind\": \"linear\", \"outputs\": 8},"
    "{\"kind\": \"add\", \"input\": [\"b\", \"cut\"]},"
    "{\"kind\": \"linear\", \"outputs\": 5}, {\"kind\": \"softmax_cross_entropy\"}]}";

static struct dts_network *open(const struct dts_model *model, struct dts_space *space,
                                int first, int count, enum dts_precision precision)
{
    struct dts_error err = {0};
    struct dts_network *network;
    const struct dts_network_options options = {
        .batch = BATCH,
        .threads = 1,
        .space = space,
        .seed = 5,
        .range = {first, count},
        .slots = space != NULL ? MICROBATCHES : 1,
        .precision = precision,
    };
    if (!CHECK(dts_network_make(&network, model, &options, &err))) {
        printf("%s\n", err.text);
        exit(1);
    }
    return network;
}

static void begin(struct dts_network *network, int microbatch)
{
    const uint64_t first = (uint64_t)microbatch * BATCH;
    const struct dts_network_step step = {.first_sample = first,
                                          .training = true,
                                          .keep_gradients = microbatch > 0,
                                          .loss_scale = 0.5};
    bool tokens, classes;
    size_t count;
    float *input = dts_network_input(network, &tokens);
    int32_t *target = dts_network_target(network, LAYERS - 1, &count, &classes);
    for (size_t i = 0; input != NULL && i < (size_t)BATCH * 12; i++)
        input[i] = (float)dts_normal(1, first, i);
    for (size_t i = 0; target != NULL && i < BATCH; i++)
        target[i] = (int32_t)(dts_random(2, first, i) % 5);
    dts_network_begin(network, &step);
}

static void pass(struct dts_network *network, int from, int to)
{
    for (int l = from; l < to; l++)
        dts_network_forward(network, l);
    for (int l = from - 1; l >= to; l--)
        dts_network_backward(network, l);
}

static void send(const struct dts_mirror *from, const struct dts_mirror *to)
{
    CHECK(from->bytes == to->bytes && from->here != from->there);
    dts_mirror_fetch_all(from);
    memcpy(to->here, from->here, from->bytes);
    dts_mirror_store_all(to);
}

/* All forward passes, then all backward ones. */
static double run(struct dts_network *a, struct dts_network *b)
{
    double loss = 0;
    for (int m = 0; m < MICROBATCHES; m++) {
        dts_network_select(a, m);
        begin(a, m);
        pass(a, 0, CUT);
        send(dts_network_edge(a, DTS_EDGE_EXIT, m), dts_network_edge(b, DTS_EDGE_ENTRY, m));
        dts_network_select(b, m);
        begin(b, m);
        pass(b, CUT, LAYERS);
        loss += dts_network_loss(b);
    }
    for (int m = 0; m < MICROBATCHES; m++) {
        dts_network_select(b, m);
        pass(b, LAYERS, CUT);
        send(dts_network_edge(b, DTS_EDGE_ENTRY_GRADIENT, m),
             dts_network_edge(a, DTS_EDGE_EXIT_GRADIENT, m));
        dts_network_select(a, m);
        pass(a, CUT, 0);
    }
    return loss;
}

static void bind(struct dts_network *network, enum dts_network_edge edge, void **memory)
{
    const size_t bytes = dts_network_edge(network, edge, 1)->bytes;
    *memory = dts_whole_pages(bytes);
    dts_network_bind(network, edge, 1, *memory);
    CHECK(dts_network_edge(network, edge, 1)->here == *memory);
}

static void compare(enum dts_precision precision)
{
    const struct dts_space_request request = {.threads = 1, .queues = 1};
    struct dts_error err = {0};
    struct dts_model model;
    struct dts_space *space;
    if (!CHECK(dts_model_parse(&model, "test.json", text, &err)) ||
        !CHECK(dts_space_open(&space, dts_space_find("cuda"), &request, &err)))
        exit(1);
    struct dts_network *one = open(&model, NULL, 0, 0, precision);
    struct dts_network *a = open(&model, space, 0, CUT, precision);
    struct dts_network *b = open(&model, space, CUT, LAYERS - CUT, precision);
    void *memory[2];
    bind(a, DTS_EDGE_EXIT, &memory[0]);
    bind(b, DTS_EDGE_ENTRY_GRADIENT, &memory[1]);
    double loss = 0;
    for (int m = 0; m < MICROBATCHES; m++) {
        begin(one, m);
        pass(one, 0, LAYERS);
        loss += dts_network_loss(one);
        pass(one, LAYERS, 0);
    }
    CHECK_NEAR(run(a, b), loss, 0);
    const size_t bytes = dts_network_parameters(one) * sizeof(float);
    float *all = dts_alloc(bytes, 1);
    struct dts_network *stages[] = {a, b};
    for (int i = 0; i < 2; i++) {
        dts_mirror_fetch_all(dts_network_mirror(stages[i], DTS_NETWORK_GRADIENTS));
        dts_network_give(stages[i], DTS_NETWORK_GRADIENTS, all);
    }
    CHECK(memcmp(all, dts_network_gradients(one), bytes) == 0);
    CHECK_INT(dts_space_trouble(space).cause, DTS_NO_ERROR);
    dts_network_free(one);
    dts_network_free(a);
    dts_network_free(b);
    dts_space_close(space);
    free(memory[0]);
    free(memory[1]);
    free(all);
    dts_model_free(&model);
}

static void stages_elsewhere_have_the_bits_of_one_network_here(void)
{
    compare(DTS_FP32);
    compare(DTS_BF16);
}

TESTS(TEST(stages_elsewhere_have_the_bits_of_one_network_here))
