/* test_op_sparse_oracle.c -- gradients of embeddings as lists of rows, against those that
 * tests/oracle/gradients.py computed by PyTorch's sparse embedding: bit for bit, since no sum
 * of them is rounded. */
#include "kernels/embedding/sparse.h"
#include "kernels/oracle_gradients.h"

enum { TOKENS = 70, DY = 80 }; // streams

struct lists {
    int tokens, vocabulary, features;
    struct dts_cfg batches, merged;
};

static const struct dts_field lists_fields[] = {
    {DTS_KEY(struct lists, tokens), .type = DTS_INT, .min = 1, .max = 1e6},
    {DTS_KEY(struct lists, vocabulary), .type = DTS_INT, .min = 1, .max = 1e6},
    {DTS_KEY(struct lists, features), .type = DTS_INT, .min = 1, .max = 1e6},
    {DTS_KEY(struct lists, batches), .type = DTS_OTHER},
    {DTS_KEY(struct lists, merged), .type = DTS_OTHER},
    {0},
};

struct list {
    const char *rows, *values;
};

static const struct dts_field list_fields[] = {
    {DTS_KEY(struct list, rows), .type = DTS_STRING},
    {DTS_KEY(struct list, values), .type = DTS_STRING},
    {0},
};

static void compare_list(const struct dts_sparse *got, const struct list *want)
{
    oracle_compare(got->rows, want->rows, sizeof(*got->rows), got->count, DTS_HALF_BF16);
    oracle_compare(got->values, want->values, sizeof(*got->values), got->count * got->features,
                   DTS_HALF_BF16);
}

/* The list of a batch's gradient. */
static void make_list(const struct lists *l, uint32_t batch, struct dts_workers *workers,
                      struct dts_sparse *list)
{
    const size_t tokens = (size_t)l->tokens, features = (size_t)l->features;
    const struct dts_op_call call = {.op = "embedding",
                                     .inputs = {{1, {tokens}}},
                                     .input_count = 1,
                                     .output = {2, {tokens, features}},
                                     .params = {(size_t)l->vocabulary * features},
                                     .param_count = 1};
    int32_t *x = dts_alloc(tokens, sizeof(*x));
    float *dy = dts_alloc(tokens * features, sizeof(*dy));
    for (uint32_t i = 0; i < tokens; i++)
        x[i] = (int32_t)(oracle_word(TOKENS + batch, i) % (uint32_t)l->vocabulary);
    for (uint32_t i = 0; i < tokens * features; i++)
        dy[i] = (float)rint(oracle_real(DY + batch, i) * 64);
    dts_sparse_gradient(list, &call, &(struct dts_arrays){.batch = 1, .x = {x}, .dy = dy},
                        workers);
    free(x);
    free(dy);
}

static void check_lists(const struct lists *l, int threads)
{
    struct dts_workers *workers = dts_workers_new(threads);
    struct dts_sparse made[2] = {{0}}, merged = {0};
    struct dts_error err = {0};
    struct list want = {0};
    for (uint32_t b = 0; b < 2 && oracle_read(&l->batches, b, list_fields, &want); b++) {
        make_list(l, b, workers, &made[b]);
        compare_list(&made[b], &want);
    }
    dts_sparse_merge(&merged, &made[0], &made[1], workers);
    if (CHECK(dts_cfg_read(&l->merged, list_fields, &want, &err)))
        compare_list(&merged, &want);
    dts_sparse_free(&made[0]);
    dts_sparse_free(&made[1]);
    dts_sparse_free(&merged);
    dts_workers_free(workers);
}

static void lists_of_rows_are_as_pytorch_has_them(void)
{
    struct dts_doc *doc;
    struct oracle_top top;
    const bool good = oracle_open(&doc, &top, DTS_SOURCE);
    for (size_t i = 0; good && i < dts_cfg_length(&top.lists); i++) {
        struct lists l = {0};
        if (!oracle_read(&top.lists, i, lists_fields, &l))
            continue;
        check_lists(&l, 1);
        check_lists(&l, 3);
    }
    CHECK(!good || dts_cfg_length(&top.lists) >= 3);
    dts_doc_free(doc);
}

TESTS(TEST(lists_of_rows_are_as_pytorch_has_them))
