/* test_cut_part.c -- the parts that tensor ranks have of a network: together all of each tensor
 * that is divided, and all of each that is not on every rank.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "check.h"
#include "device/device.h"
#include "train/model/cut/part.h"

#ifndef DTS_SOURCE
#define DTS_SOURCE "."
#endif

#define NETWORK                                                                                \
    "{\"name\":\"net\",\"sample\":\"sequence\",\"input\":[4],\"layers\":["                     \
    "{\"name\":\"wte\",\"kind\":\"embedding\",\"vocabulary\":%d,\"features\":8},"              \
    "{\"name\":\"ln\",\"kind\":\"layer_norm\"},"                                               \
    "{\"name\":\"qkv\",\"kind\":\"linear\",\"outputs\":24},"                                   \
    "{\"name\":\"attn\",\"kind\":\"attention\",\"heads\":4,\"dropout\":0.1},"                  \
    "{\"name\":\"proj\",\"kind\":\"linear\",\"outputs\":8},"                                   \
    "{\"name\":\"add\",\"kind\":\"add\",\"input\":[\"proj\",\"%s\"]},"                         \
    "{\"name\":\"head\",\"kind\":\"linear\",\"outputs\":%d,\"tied\":\"wte\",\"bias\":false},"  \
    "{\"name\":\"loss\",\"kind\":\"softmax_cross_entropy\"}]}"

enum { QKV = 2, PROJ = 4 };

struct fixture {
    struct dts_model model;
    struct dts_device device;
    struct dts_cut cut;
};

static void open(struct fixture *f, int ranks, bool sequence, int vocabulary,
                 const char *beside)
{
    char text[2048];
    struct dts_error err = {0};
    snprintf(text, sizeof(text), NETWORK, vocabulary, beside, vocabulary);
    if (!CHECK(dts_model_parse(&f->model, "net", text, &err)) ||
        !CHECK(dts_device_load(&f->device, DTS_SOURCE "/devices/a100_40gb.json", &err)) ||
        !CHECK(dts_cut_find(&f->cut,
                            &(struct dts_cut_question){.model = &f->model,
                                                       .device = &f->device,
                                                       .precision = DTS_FP32,
                                                       .batch = 1,
                                                       .tensor = ranks,
                                                       .sequence = sequence,
                                                       .context = 1,
                                                       .experts = 1,
                                                       .skew = 1,
                                                       .path = "net"},
                            &err))) {
        printf("%s\n", err.text);
        exit(1);
    }
}

static void forget(struct fixture *f)
{
    dts_cut_free(&f->cut);
    dts_model_free(&f->model);
    dts_device_free(&f->device);
}

/* Adds how often each value of the whole is on a rank. */
static void count(const struct dts_layer *part, int p, int *times)
{
    for (size_t i = 0; i < part->params[p].count; i++)
        times[dts_param_slice_at(&part->part->slices[p], i)]++;
}

static void ranks_have_each_divided_value_once(void)
{
    for (int ranks = 2; ranks <= 4; ranks += 2) {
        struct fixture f;
        struct dts_model *parts[4];
        struct dts_error err = {0};
        open(&f, ranks, false, 16, "wte");
        for (int r = 0; r < ranks; r++)
            CHECK(dts_cut_part(&f.cut, &f.model, &(struct dts_cut_rank){r, 0, 0}, &parts[r],
                               &err));
        for (int l = 0; l < f.model.layer_count; l++)
            for (int p = 0; p < f.model.layers[l].param_count; p++) {
                const size_t all = f.model.layers[l].params[p].count;
                int *times = dts_alloc(all, sizeof(*times));
                for (int r = 0; r < ranks; r++)
                    count(&parts[r]->layers[l], p, times);
                const bool divided = parts[0]->layers[l].part->divided[p];
                CHECK_INT(divided, f.cut.layers[l].params[p] < all);
                for (size_t i = 0; i < all; i++)
                    CHECK_INT(times[i], divided ? 1 : ranks);
                CHECK_INT((long)dts_layer_values(&parts[0]->layers[l], p), (long)all);
                free(times);
            }
        for (int r = 0; r < ranks; r++)
            dts_cut_part_free(parts[r]);
        forget(&f);
    }
}

/* Rank 1 of 2 has the last two of four heads: rows 4 to 7 of each of q, k and v, [8 inputs]; of
 * the product behind it inputs 4 to 7 of each of 8 outputs. */
static void a_rank_has_its_heads(void)
{
    struct fixture f;
    struct dts_model *part;
    struct dts_error err = {0};
    float mine[96], whole[192], back[192] = {0};
    open(&f, 2, false, 16, "wte");
    CHECK(dts_cut_part(&f.cut, &f.model, &(struct dts_cut_rank){1, 0, 0}, &part, &err));
    const struct dts_param_slice *qkv = &part->layers[QKV].part->slices[0];
    CHECK_INT((long)part->layers[QKV].params[0].count, 96);
    for (int i = 0; i < 192; i++)
        whole[i] = (float)i;
    dts_param_slice_move(qkv, 0, 96, mine, whole, false);
    for (int block = 0; block < 3; block++)
        for (int i = 0; i < 32; i++)
            CHECK_NEAR((double)mine[32 * block + i], 64 * block + 32 + i, 0);
    dts_param_slice_move(qkv, 0, 50, mine, back, true); // in two runs that cut a block
    dts_param_slice_move(qkv, 50, 46, mine + 50, back, true);
    for (int i = 0; i < 192; i++)
        CHECK_NEAR((double)back[i], i / 32 % 2 == 1 ? i : 0, 0);
    const struct dts_param_slice *proj = &part->layers[PROJ].part->slices[0];
    for (size_t i = 0; i < 32; i++)
        CHECK_INT((long)dts_param_slice_at(proj, i), (long)(i / 4 * 8 + 4 + i % 4));
    CHECK(part->layers[PROJ].part->no_bias);
    CHECK_INT(part->layers[QKV + 1].part->call.heads, 2);
    dts_cut_part_free(part);
    forget(&f);
}

/* Rank 1 of 2 has positions 2 and 3 of four of what products leave and norms make, heads from
 * the third one on, and all positions within products. The gradients of the norm are summed. */
static void a_rank_has_its_positions_between_products(void)
{
    struct fixture f;
    struct dts_model *part;
    struct dts_error err = {0};
    open(&f, 2, true, 16, "ln"); // a norm that a product reads, and a sum
    CHECK(dts_cut_part(&f.cut, &f.model, &(struct dts_cut_rank){1, 0, 0}, &part, &err));
    static const int positions[] = {2, 2, 4, 4, 2, 2, 4};
    for (int l = 0; l < 7; l++)
        CHECK_INT((long)part->layers[l].output.size[0], positions[l]);
    const struct dts_layer_part *wte = part->layers[0].part, *ln = part->layers[1].part,
                                *qkv = part->layers[QKV].part, *proj = part->layers[PROJ].part;
    CHECK(wte->scatters && proj->scatters && !qkv->scatters && !ln->scatters);
    CHECK(qkv->gathers && qkv->brings && !proj->gathers && part->layers[6].part->gathers);
    CHECK(ln->summed[0] && ln->summed[1] && !wte->summed[0] && !proj->summed[1]);
    CHECK_INT((long)proj->call.output.size[0], 4);
    CHECK_INT((long)part->layers[QKV + 1].part->first, 2);
    dts_cut_part_free(part);
    forget(&f);
}

/* What products and another layer read has its gradient in two places, whole and in parts of a
 * sum; what products alone read in one. */
static void parts_of_gradients_are_apart_from_whole_ones(void)
{
    for (int mixed = 0; mixed < 2; mixed++) {
        struct fixture f;
        struct dts_model *part;
        struct dts_error err = {0};
        open(&f, 2, false, 16, mixed ? "ln" : "wte");
        CHECK(dts_cut_part(&f.cut, &f.model, &(struct dts_cut_rank){1, 0, 0}, &part, &err));
        const struct dts_layer_part *qkv = part->layers[QKV].part;
        CHECK_INT(qkv->splits, mixed);
        CHECK_INT(qkv->brings, mixed);
        CHECK(!qkv->gathers);
        dts_cut_part_free(part);
        forget(&f);
    }
}

static void what_one_rank_would_compute_otherwise_is_refused(void)
{
    static const struct {
        bool sequence;
        int vocabulary;
        const char *beside, *says;
    } rows[] = {
        {false, 17, "wte", "layer wte: tensor ranks do not divide its rows"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct fixture f;
        struct dts_model *part;
        struct dts_error err = {0};
        open(&f, 2, rows[i].sequence, rows[i].vocabulary, rows[i].beside);
        CHECK(!dts_cut_part(&f.cut, &f.model, &(struct dts_cut_rank){0, 0, 0}, &part, &err));
        CHECK(part == NULL && err.cause == DTS_UNSUPPORTED);
        if (strstr(err.text, rows[i].says) == NULL) {
            printf("%s\n", err.text);
            CHECK(false);
        }
        forget(&f);
    }
}

TESTS(TEST(ranks_have_each_divided_value_once), TEST(a_rank_has_its_heads),
      TEST(a_rank_has_its_positions_between_products),
      TEST(parts_of_gradients_are_apart_from_whole_ones),
      TEST(what_one_rank_would_compute_otherwise_is_refused))
