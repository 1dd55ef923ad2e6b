/* test_op_gradient_oracle.c -- every reduction and every compression, the latter over steps
 * with error feedback, against what tests/oracle/gradients.py computed by PyTorch from the same
 * numbers: bit for bit, by the reference and by the host's version. */
#include "kernels/compress/compress.h"
#include "kernels/oracle_gradients.h"
#include "kernels/reduce/reduce.h"

enum { OUT = 0, X = 1, STEPS = 300 }; // streams
enum { MOST_ROWS = 64, THREADS = 3 };

struct reduction {
    const char *row, *half, *out;
    int count;
};

static const struct dts_field reduction_fields[] = {
    {DTS_KEY(struct reduction, row), .type = DTS_STRING},
    {DTS_KEY(struct reduction, half), .type = DTS_STRING},
    {DTS_KEY(struct reduction, count), .type = DTS_INT, .min = 1, .max = 1e6},
    {DTS_KEY(struct reduction, out), .type = DTS_STRING},
    {0},
};

struct compression {
    const char *name, *sum, *left;
    int count;
    double share, scale;
    bool whole;
    struct dts_cfg messages;
};

static const struct dts_field compression_fields[] = {
    {DTS_KEY(struct compression, name), .type = DTS_STRING},
    {DTS_KEY(struct compression, count), .type = DTS_INT, .min = 1, .max = 1e6},
    {DTS_KEY(struct compression, share), .type = DTS_REAL, .max = 1},
    {DTS_KEY(struct compression, scale), .type = DTS_REAL, .max = 1e6},
    {DTS_KEY(struct compression, whole), .type = DTS_BOOL},
    {DTS_KEY(struct compression, messages), .type = DTS_OTHER},
    {DTS_KEY(struct compression, sum), .type = DTS_STRING},
    {DTS_KEY(struct compression, left), .type = DTS_STRING},
    {0},
};

/* threads 0: the reference. */
static void check_reduction(const struct reduction *r, int threads)
{
    const struct dts_reduction *row = dts_reduction_find(r->row);
    struct dts_workers *workers = threads > 0 ? dts_workers_new(threads) : NULL;
    const size_t count = (size_t)r->count, out = row->one ? sizeof(int) : row->out;
    void *x = dts_alloc(count + 1, row->x + 1);
    struct dts_reduce_arrays a = {.count = count, .x = x, .factor = 0.3f};
    a.out = dts_alloc(count + 1, out);
    a.half = strcmp(r->half, "fp16") == 0 ? DTS_HALF_FP16 : DTS_HALF_BF16;
    odd_fill(a.out, out, row->one ? 0 : count, OUT);
    odd_fill(x, row->x, row->x > 0 ? count : 0, X);
    (threads > 0 ? row->host : row->reference)(&a, &(struct dts_place){.workers = workers});
    oracle_compare(a.out, r->out, out, row->one ? 1 : count, a.half);
    free(a.out);
    free(x);
    dts_workers_free(workers);
}

static void sums_and_casts_are_as_pytorch_has_them(void)
{
    struct dts_doc *doc;
    struct oracle_top top;
    bool named[MOST_ROWS] = {false};
    const bool good = oracle_open(&doc, &top, DTS_SOURCE);
    for (size_t i = 0; good && i < dts_cfg_length(&top.reductions); i++) {
        const int before = check_failures;
        struct reduction r = {0};
        if (!oracle_read(&top.reductions, i, reduction_fields, &r) ||
            !CHECK(dts_reduction_find(r.row) != NULL))
            continue;
        check_reduction(&r, 0);
        check_reduction(&r, THREADS);
        if (check_failures > before)
            printf("  in %s, %s\n", r.row, r.half);
        for (int k = 0; dts_reductions[k] != NULL; k++)
            named[k] = named[k] || strcmp(dts_reductions[k]->name, r.row) == 0;
    }
    for (int k = 0; dts_reductions[k] != NULL; k++)
        if (!CHECK(named[k]))
            printf("  no values of %s\n", dts_reductions[k]->name);
    dts_doc_free(doc);
}

static void check_message(const struct dts_cfg *messages, int step, const void *message,
                          size_t bytes)
{
    struct dts_error err = {0};
    const struct dts_cfg item = dts_cfg_item(messages, (size_t)step);
    const char *text = "";
    void *want;
    CHECK(dts_cfg_string(&item, &text, &err));
    const size_t each = strcspn(text, " ") / 2; // two digits a byte
    CHECK_INT(oracle_words_of(text, each, &want) * each, bytes);
    CHECK(memcmp(want, message, bytes) == 0);
    free(want);
}

/* threads 0: the reference. */
static void check_compression(const struct compression *c, int threads)
{
    const struct dts_compression *row = dts_compression_find(c->name);
    const struct dts_compress_version *version = threads > 0 ? &row->host : &row->reference;
    struct dts_workers *workers = dts_workers_new(threads > 0 ? threads : 1);
    const struct dts_place place = {.workers = workers};
    const size_t count = (size_t)c->count, bytes = row->cost->bytes(count, c->share);
    float *e = dts_alloc(count, sizeof(*e)), *sum = dts_alloc(count, sizeof(*sum));
    void *message = dts_alloc(bytes, 1), *scratch = NULL;
    if (version->scratch_bytes != NULL)
        scratch = dts_alloc(version->scratch_bytes(count, threads), 1);
    CHECK(dts_cfg_length(&c->messages) >= 4);
    for (int t = 0; t < (int)dts_cfg_length(&c->messages); t++) {
        for (size_t i = 0; i < count; i++) {
            const double g = oracle_real((uint32_t)(STEPS + t), (uint32_t)i) * c->scale;
            e[i] += (float)(c->whole ? rint(g) : g);
        }
        version->compress(e, count, c->share, message, scratch, &place);
        version->add(sum, count, c->share, message, &place);
        check_message(&c->messages, t, message, bytes);
    }
    oracle_compare(sum, c->sum, sizeof(*sum), count, DTS_HALF_BF16);
    oracle_compare(e, c->left, sizeof(*e), count, DTS_HALF_BF16);
    free(e), free(sum), free(message), free(scratch);
    dts_workers_free(workers);
}

static void messages_are_as_pytorch_has_them(void)
{
    struct dts_doc *doc;
    struct oracle_top top;
    bool named[MOST_ROWS] = {false};
    const bool good = oracle_open(&doc, &top, DTS_SOURCE);
    for (size_t i = 0; good && i < dts_cfg_length(&top.compressions); i++) {
        const int before = check_failures;
        struct compression c = {0};
        if (!oracle_read(&top.compressions, i, compression_fields, &c) ||
            !CHECK(dts_compression_find(c.name) != NULL))
            continue;
        check_compression(&c, 0);
        check_compression(&c, THREADS);
        if (check_failures > before)
            printf("  in %s, %d values\n", c.name, c.count);
        for (int k = 0; dts_compressions[k] != NULL; k++)
            named[k] = named[k] || strcmp(dts_compressions[k]->name, c.name) == 0;
    }
    for (int k = 0; dts_compressions[k] != NULL; k++)
        if (!CHECK(named[k]))
            printf("  no values of %s\n", dts_compressions[k]->name);
    dts_doc_free(doc);
}

TESTS(TEST(sums_and_casts_are_as_pytorch_has_them), TEST(messages_are_as_pytorch_has_them))
