/* test_exec_again.c -- layers that run forward again before backward leave the bits that they
 * leave otherwise, and what is kept from forward to backward is what its definition says.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/rng.h"
#include "check.h"
#include "train/network/network.h"

enum { BATCH = 3, SLOTS = 2, MOST_UNITS = 8 };

static const char blocks[] =
    "{\"name\":\"blocks\",\"sample\":\"sequence\",\"input\":[6],\"layers\":["
    "{\"name\":\"wte\",\"kind\":\"embedding\",\"vocabulary\":11,\"features\":12},"
    "{\"name\":\"h\",\"repeat\":3,\"layers\":["
    "{\"name\":\"in\",\"kind\":\"dropout\",\"rate\":0.1},"
    "{\"name\":\"ln\",\"kind\":\"layer_norm\"},"
    "{\"name\":\"qkv\",\"kind\":\"linear\",\"outputs\":36},"
    "{\"name\":\"attention\",\"kind\":\"attention\",\"heads\":2,\"causal\":true,\"dropout\":0."
    "2},"
    "{\"name\":\"drop\",\"kind\":\"dropout\",\"rate\":0.3},"
    "{\"name\":\"proj\",\"kind\":\"linear\",\"outputs\":12},"
    "{\"name\":\"add\",\"kind\":\"add\",\"input\":[\"proj\",\"in\"]}]},"
    "{\"name\":\"head\",\"kind\":\"linear\",\"outputs\":11},"
    "{\"name\":\"loss\",\"kind\":\"softmax_cross_entropy\"}]}";

static const char images[] =
    "{\"name\":\"images\",\"sample\":\"image\",\"input\":[2,6,6],\"layers\":["
    "{\"name\":\"b\",\"repeat\":2,\"layers\":["
    "{\"name\":\"conv\",\"kind\":\"conv2d\",\"channels\":4,\"kernel\":3,\"padding\":1},"
    "{\"name\":\"norm\",\"kind\":\"batch_norm\"},"
    "{\"name\":\"relu\",\"kind\":\"relu\"}]},"
    "{\"name\":\"flatten\",\"kind\":\"flatten\"},"
    "{\"name\":\"head\",\"kind\":\"linear\",\"outputs\":5},"
    "{\"name\":\"loss\",\"kind\":\"softmax_cross_entropy\"}]}";

struct fixture {
    struct dts_model model;
    struct dts_network *network;
    struct dts_again units[MOST_UNITS];
    int count;
};

static void parse(struct fixture *f, const char *text)
{
    struct dts_error err = {0};
    if (!CHECK(dts_model_parse(&f->model, "test.json", text, &err))) {
        printf("%s\n", err.text);
        exit(1);
    }
}

static void open(struct fixture *f, const char *text, int slots)
{
    struct dts_error err = {0};
    const struct dts_network_options options = {.batch = BATCH,
                                                .threads = 1,
                                                .slots = slots,
                                                .seed = 4,
                                                .again = f->units,
                                                .again_count = f->count};
    parse(f, text);
    CHECK(dts_network_make(&f->network, &f->model, &options, &err));
}

static void close(struct fixture *f)
{
    dts_network_free(f->network);
    dts_model_free(&f->model);
}

static void fill(struct fixture *f, int slot)
{
    bool tokens, classes;
    size_t count;
    const int loss = f->model.layer_count - 1;
    void *input = dts_network_input(f->network, &tokens);
    const size_t values = BATCH * dts_dims_elements(&f->model.input);
    for (size_t i = 0; i < values; i++)
        if (tokens)
            ((int32_t *)input)[i] = (int32_t)(dts_random(1, (uint64_t)slot, i) % 11);
        else
            ((float *)input)[i] = (float)dts_normal(1, (uint64_t)slot, i);
    int32_t *target = dts_network_target(f->network, loss, &count, &classes);
    for (size_t i = 0; i < BATCH * count; i++)
        target[i] = (int32_t)(dts_random(2, (uint64_t)slot, i) % 5);
}

/* Backward, and before it what runs again there. */
static void backward(struct fixture *f)
{
    for (int l = f->model.layer_count - 1; l >= 0; l--) {
        for (int u = 0; u < f->count; u++) {
            const struct dts_again *unit = &f->units[u];
            struct dts_network_part part = {.part = DTS_OP_WHOLE, .again = true};
            if (unit->before != l || unit->inside)
                continue;
            dts_network_take_part(f->network, &part);
            for (int k = unit->first; k <= unit->last; k++)
                dts_network_forward(f->network, k);
            part.again = false;
            dts_network_take_part(f->network, &part);
        }
        dts_network_backward(f->network, l);
    }
}

/* Both microbatches are in flight at once. */
static void step(struct fixture *f, const char *text)
{
    open(f, text, SLOTS);
    for (int s = 0; s < SLOTS; s++) {
        dts_network_select(f->network, s);
        fill(f, s);
        dts_network_begin(f->network,
                          &(struct dts_network_step){.number = 3,
                                                     .first_sample = (uint64_t)s * BATCH,
                                                     .training = true,
                                                     .keep_gradients = s > 0});
        for (int l = 0; l < f->model.layer_count; l++)
            dts_network_forward(f->network, l);
    }
    for (int s = 0; s < SLOTS; s++) {
        dts_network_select(f->network, s);
        backward(f);
    }
}

static void check_same(const char *text, const struct dts_again *units, int count)
{
    struct fixture plain = {.count = 0}, again = {.count = count};
    size_t bytes, other;
    memcpy(again.units, units, (size_t)count * sizeof(*units));
    step(&plain, text);
    step(&again, text);
    CHECK(memcmp(dts_network_gradients(plain.network), dts_network_gradients(again.network),
                 dts_network_parameters(plain.network) * sizeof(float)) == 0);
    const void *mine = dts_network_states(plain.network, &bytes);
    const void *others = dts_network_states(again.network, &other);
    CHECK(bytes == other && (bytes == 0 || memcmp(mine, others, bytes) == 0));
    close(&plain);
    close(&again);
}

static const struct dts_again full[] = {
    {1, 7, 7, false}, {8, 14, 14, false}, {15, 21, 21, false}};

static void layers_that_run_again_leave_the_same_bits(void)
{
    static const struct dts_again attention[] = {
        {4, 4, 4, true}, {11, 11, 11, true}, {18, 18, 18, true}};
    static const struct dts_again some[] = {{1, 5, 7, false}, {11, 11, 11, true}};
    check_same(blocks, full, 3);
    check_same(blocks, attention, 3);
    check_same(blocks, some, 2); // ends early: what comes behind is not read
}

/* Running statistics count each batch once. */
static void statistics_are_of_the_first_call(void)
{
    static const struct dts_again units[] = {{0, 2, 2, false}, {3, 5, 5, false}};
    check_same(images, units, 2);
}

static size_t rounded(size_t bytes)
{
    return (bytes + 63) / 64 * 64;
}

/* Of each block what comes in, what leaves the last one, and the loss: its input, its own, and
 * itself. */
static void entries_of_blocks_are_kept(void)
{
    struct fixture plain = {.count = 0}, again = {.count = 3};
    memcpy(again.units, full, sizeof(full));
    open(&plain, blocks, SLOTS);
    open(&again, blocks, SLOTS);
    const size_t stream = rounded(BATCH * 6 * 12 * sizeof(float));
    const struct dts_layer *loss = &plain.model.layers[plain.model.layer_count - 1];
    const struct dts_op_call call = {.op = "softmax_cross_entropy",
                                     .input_count = 1,
                                     .inputs = {{2, {6, 11}}},
                                     .output = loss->output};
    const size_t own = dts_operation_find(call.op)->saved_bytes(&call, BATCH, sizeof(float));
    const size_t logits = rounded(BATCH * 6 * 11 * sizeof(float));
    const size_t slot = dts_network_slot_bytes(again.network);
    CHECK_INT((long)slot, (long)(4 * stream + logits + rounded(own) + 64));
    CHECK(dts_network_slot_bytes(plain.network) > 3 * slot);
    CHECK(dts_network_bytes(plain.network) > dts_network_bytes(again.network));
    close(&plain);
    close(&again);
}

TESTS(TEST(layers_that_run_again_leave_the_same_bits), TEST(statistics_are_of_the_first_call),
      TEST(entries_of_blocks_are_kept))
