/* test_exec_divided.c -- networks that each have a part of a vocabulary, in one process: with
 * the sums between them done by hand they have one network's loss, gradients and, where one
 * has, the same part of its weights.
 *
 * Between the table and the body, and between the body and the head, outputs or gradients of
 * the ranks are added up: there the network is cut into ranges, whose edges are what is added.
 */
#include <stdlib.h>

#include "base/mem.h"
#include "base/rng.h"
#include "check.h"
#include "train/network/network.h"

enum { BATCH = 3, TOKENS = 6, WORDS = 19, RANKS = 3, PARTS = 3, TABLE = 0, HEAD = 4, LOSS = 5 };

static const int starts[PARTS + 1] = {0, 1, 4, 6};

#define NETWORK                                                                                \
    "{\"name\": \"net\", \"sample\": \"sequence\", \"input\": [6], \"layers\": ["              \
    "{\"name\": \"table\", \"kind\": \"embedding\", \"vocabulary\": %zu, \"features\": 8},"    \
    "{\"kind\": \"layer_norm\"}, {\"kind\": \"linear\", \"outputs\": 8}, {\"kind\": "          \
    "\"gelu\"},"                                                                               \
    "{\"name\": \"head\", \"kind\": \"linear\", \"outputs\": %zu, \"bias\": false},"           \
    "{\"kind\": \"softmax_cross_entropy\"}]}"

struct rank {
    struct dts_model model;
    struct dts_network *part[PARTS];
    size_t first, count; // words
    double sums[RANKS * BATCH * TOKENS * 3];
};

static void parse(struct dts_model *model, size_t words)
{
    char text[1024];
    struct dts_error err = {0};
    snprintf(text, sizeof(text), NETWORK, words, words);
    if (!CHECK(dts_model_parse(model, "test.json", text, &err)))
        exit(1);
}

static struct dts_network *make(const struct dts_model *model, int first, int count)
{
    struct dts_error err = {0};
    struct dts_network *network;
    const struct dts_network_options options = {
        .batch = BATCH, .threads = 1, .seed = 5, .range = {first, count}};
    if (!CHECK(dts_network_make(&network, model, &options, &err)))
        exit(1);
    return network;
}

/* Its part of the whole's weights. */
static void take(struct rank *rank, struct dts_network *whole, int part, int layer, int number,
                 size_t skipped)
{
    const float *from =
        dts_network_weights(whole) + dts_network_offset(whole, layer, number) + skipped;
    float *to = dts_network_weights(rank->part[part]) +
                dts_network_offset(rank->part[part], layer, number);
    memcpy(to, from, rank->model.layers[layer].params[number].count * sizeof(float));
}

static void open(struct rank *rank, int r, struct dts_network *whole)
{
    rank->first = (size_t)r * WORDS / RANKS;
    rank->count = (size_t)(r + 1) * WORDS / RANKS - rank->first;
    parse(&rank->model, rank->count);
    for (int p = 0; p < PARTS; p++)
        rank->part[p] = make(&rank->model, starts[p], starts[p + 1] - starts[p]);
    dts_network_divide(rank->part[0], TABLE, rank->first, WORDS);
    dts_network_divide(rank->part[2], LOSS, rank->first, WORDS);
    take(rank, whole, 0, TABLE, 0, rank->first * 8);
    for (int l = 1; l < HEAD; l++)
        for (int p = 0; p < rank->model.layers[l].param_count; p++)
            take(rank, whole, 1, l, p, 0);
    take(rank, whole, 2, HEAD, 0, rank->first * 8);
}

static void begin(struct dts_network *network)
{
    const struct dts_network_step step = {.training = true};
    bool tokens, classes;
    size_t count;
    int32_t *input = dts_network_input(network, &tokens);
    int32_t *target = dts_network_target(network, LOSS, &count, &classes);
    for (size_t i = 0; input != NULL && i < (size_t)BATCH * TOKENS; i++)
        input[i] = (int32_t)(dts_random(1, 0, i) % WORDS);
    for (size_t i = 0; target != NULL && i < (size_t)BATCH * TOKENS; i++)
        target[i] = (int32_t)(dts_random(2, 0, i) % WORDS);
    dts_network_begin(network, &step);
}

/* What an all-reduce does with an edge of all ranks; it arrives at an edge of the part beside.
 */
static void add_up(struct rank *ranks, int from, enum dts_network_edge edge, int to,
                   enum dts_network_edge arrives)
{
    const size_t bytes = dts_network_edge(ranks[0].part[from], edge, 0)->bytes;
    float *sum = dts_alloc(bytes / sizeof(float), sizeof(float));
    for (int r = 0; r < RANKS; r++) {
        const float *part = dts_network_edge(ranks[r].part[from], edge, 0)->here;
        for (size_t i = 0; i < bytes / sizeof(float); i++)
            sum[i] += part[i];
    }
    for (int r = 0; r < RANKS; r++)
        memcpy(dts_network_edge(ranks[r].part[to], arrives, 0)->here, sum, bytes);
    free(sum);
}

static void copy(struct rank *ranks, int from, enum dts_network_edge edge, int to,
                 enum dts_network_edge arrives)
{
    for (int r = 0; r < RANKS; r++) {
        const struct dts_mirror *out = dts_network_edge(ranks[r].part[from], edge, 0);
        memcpy(dts_network_edge(ranks[r].part[to], arrives, 0)->here, out->here, out->bytes);
    }
}

static void forward(struct rank *ranks, int part, int from, int to)
{
    for (int r = 0; r < RANKS; r++)
        for (int l = from; l < to; l++)
            dts_network_forward(ranks[r].part[part], l);
}

static void backward(struct rank *ranks, int part)
{
    for (int r = 0; r < RANKS; r++)
        for (int l = starts[part + 1] - 1; l >= starts[part]; l--)
            dts_network_backward(ranks[r].part[part], l);
}

/* The loss, whose sums are gathered between its halves. */
static void lose(struct rank *ranks)
{
    enum { COUNT = RANKS * BATCH * TOKENS * 3 };
    struct dts_network_part part = {.part = DTS_OP_SUMS, .ranks = RANKS};
    for (int r = 0; r < RANKS; r++) {
        part.rank = r;
        part.sums = ranks[r].sums;
        dts_network_take_part(ranks[r].part[2], &part);
        dts_network_forward(ranks[r].part[2], LOSS);
    }
    for (int i = 0; i < COUNT; i++) {
        double sum = 0;
        for (int r = 0; r < RANKS; r++)
            sum += ranks[r].sums[i];
        for (int r = 0; r < RANKS; r++)
            ranks[r].sums[i] = sum;
    }
    for (int r = 0; r < RANKS; r++) {
        part = (struct dts_network_part){DTS_OP_REST, ranks[r].sums, RANKS, r};
        dts_network_take_part(ranks[r].part[2], &part);
        dts_network_forward(ranks[r].part[2], LOSS);
        dts_network_take_part(ranks[r].part[2], &(struct dts_network_part){DTS_OP_WHOLE});
    }
}

static void compare(struct rank *rank, struct dts_network *whole, int part, int layer,
                    int number, size_t skipped)
{
    const float *want =
        dts_network_gradients(whole) + dts_network_offset(whole, layer, number) + skipped;
    const float *got = dts_network_gradients(rank->part[part]) +
                       dts_network_offset(rank->part[part], layer, number);
    for (size_t i = 0; i < rank->model.layers[layer].params[number].count; i++)
        CHECK_NEAR((double)got[i], (double)want[i], 1e-6 * (1 + fabs((double)want[i])));
}

static void ranks_with_parts_of_a_vocabulary_learn_as_one(void)
{
    struct dts_model model;
    struct rank ranks[RANKS];
    parse(&model, WORDS);
    struct dts_network *whole = make(&model, 0, 0);
    for (int r = 0; r < RANKS; r++) {
        open(&ranks[r], r, whole);
        for (int p = 0; p < PARTS; p++)
            begin(ranks[r].part[p]);
    }
    begin(whole);
    for (int l = 0; l <= LOSS; l++)
        dts_network_forward(whole, l);
    for (int l = LOSS; l >= 0; l--)
        dts_network_backward(whole, l);
    forward(ranks, 0, TABLE, 1);
    add_up(ranks, 0, DTS_EDGE_EXIT, 1, DTS_EDGE_ENTRY);
    forward(ranks, 1, 1, HEAD);
    copy(ranks, 1, DTS_EDGE_EXIT, 2, DTS_EDGE_ENTRY);
    forward(ranks, 2, HEAD, LOSS);
    lose(ranks);
    backward(ranks, 2);
    add_up(ranks, 2, DTS_EDGE_ENTRY_GRADIENT, 1, DTS_EDGE_EXIT_GRADIENT);
    backward(ranks, 1);
    copy(ranks, 1, DTS_EDGE_ENTRY_GRADIENT, 0, DTS_EDGE_EXIT_GRADIENT);
    backward(ranks, 0);
    for (int r = 0; r < RANKS; r++) {
        CHECK_CLOSE(dts_network_loss(ranks[r].part[2]), dts_network_loss(whole), 1e-6);
        compare(&ranks[r], whole, 0, TABLE, 0, ranks[r].first * 8);
        for (int l = 1; l < HEAD; l++)
            for (int p = 0; p < model.layers[l].param_count; p++)
                compare(&ranks[r], whole, 1, l, p, 0);
        compare(&ranks[r], whole, 2, HEAD, 0, ranks[r].first * 8);
        for (int p = 0; p < PARTS; p++)
            dts_network_free(ranks[r].part[p]);
        dts_model_free(&ranks[r].model);
    }
    dts_network_free(whole);
    dts_model_free(&model);
}

TESTS(TEST(ranks_with_parts_of_a_vocabulary_learn_as_one))
