/* test_op_gemm.c -- matrix products by both ways, in all forms and odd sizes, against sums in
 * double precision. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "check.h"
#include "kernels/product/gemm_few.h"

enum { BEYOND = 3 }; // values between the rows of each matrix, which must stay

/* Rows of a and b as they are stored. */
struct product {
    struct dts_gemm p;
    float *a, *b, *c, *before;
    size_t c_values;
};

static float *numbers(size_t count, uint64_t seed)
{
    float *values = malloc(count * sizeof(*values));
    CHECK(values != NULL);
    for (size_t i = 0; i < count; i++)
        values[i] = (float)dts_normal(7, seed, i);
    return values;
}

static struct product begin(struct dts_gemm p)
{
    p.lda = (p.transpose_a ? p.m : p.k) + BEYOND;
    p.ldb = (p.transpose_b ? p.k : p.n) + BEYOND;
    p.ldc = p.n + BEYOND;
    struct product product = {.p = p, .c_values = p.m * p.ldc};
    product.a = numbers((p.transpose_a ? p.k : p.m) * p.lda, 1);
    product.b = numbers((p.transpose_b ? p.n : p.k) * p.ldb, 2);
    product.before = numbers(product.c_values, 3);
    product.c = malloc(product.c_values * sizeof(float));
    CHECK(product.c != NULL);
    memcpy(product.c, product.before, product.c_values * sizeof(float));
    product.p.a = product.a;
    product.p.b = product.b;
    product.p.c = product.c;
    return product;
}

static void end(struct product *product)
{
    free(product->a);
    free(product->b);
    free(product->c);
    free(product->before);
}

static double wanted(const struct product *product, size_t row, size_t column)
{
    const struct dts_gemm *p = &product->p;
    double sum = p->beta != 0 ? (double)p->beta * product->before[row * p->ldc + column] : 0;
    for (size_t i = 0; i < p->k; i++)
        sum += (double)p->a[p->transpose_a ? i * p->lda + row : row * p->lda + i] *
               p->b[p->transpose_b ? column * p->ldb + i : i * p->ldb + column];
    return sum;
}

/* At up to a thousand places, the last of each row among them; and nothing else has changed. */
static void check_product(const struct product *product)
{
    const struct dts_gemm *p = &product->p;
    // k roundings of partial sums near sqrt(k), as random ones (Higham 2002, section 2.8)
    const double rounding = 4 * 0x1p-24 * (double)(p->k + 1);
    const size_t stride = p->m * p->n > 1000 ? p->m * p->n / 1000 : 1;
    size_t wrong = 0, outside = 0;
    for (size_t i = 0; i < p->m * p->n; i++) {
        const size_t row = i / p->n, column = i % p->n;
        if (i % stride != 0 && (column + 1 < p->n || row % 16 != 0))
            continue;
        const double want = wanted(product, row, column);
        wrong +=
            !(fabs(product->c[row * p->ldc + column] - want) <= rounding * (1 + fabs(want)));
    }
    for (size_t row = 0; row < p->m; row++)
        for (size_t i = row * p->ldc + p->n; i < (row + 1) * p->ldc; i++)
            outside += product->c[i] != product->before[i];
    CHECK_INT(wrong, 0);
    CHECK_INT(outside, 0);
}

static void check_few(struct dts_gemm p)
{
    for (int i = 0; i < 3; i++) {
        p.beta = (const float[]){0, 1, 0.5F}[i];
        struct product product = begin(p);
        dts_gemm_few(&product.p);
        check_product(&product);
        end(&product);
    }
}

static const size_t sizes[] = {1, 2, 3, 4, 5, 7, 16, 31, 65};
enum { SIZES = sizeof(sizes) / sizeof(sizes[0]) };

static void few_rows_of_any_size(void)
{
    for (int i = 0; i < SIZES; i++)
        for (int j = 0; j < SIZES; j++)
            for (int k = 0; k < SIZES; k++) {
                const size_t m = sizes[i], n = sizes[j], sums = sizes[k];
                check_few((struct dts_gemm){.transpose_b = true, .m = m, .n = n, .k = sums});
                check_few((struct dts_gemm){.m = m, .n = n, .k = sums});
                check_few((struct dts_gemm){.transpose_a = true, .m = m, .n = n, .k = sums});
            }
}

/* Whether it is taken for one of few rows; and its values are the same, whatever the number of
 * workers. */
static void check_shared(struct dts_gemm p, bool few)
{
    struct product one = begin(p), three = begin(p);
    struct dts_workers *workers = dts_workers_new(3);
    CHECK(dts_gemm_is_few(&one.p) == few);
    dts_gemm(&one.p, NULL);
    dts_gemm(&three.p, workers);
    check_product(&one);
    CHECK(!few || memcmp(one.c, three.c, one.c_values * sizeof(float)) == 0);
    check_product(&three);
    dts_workers_free(workers);
    end(&one);
    end(&three);
}

static void products_of_layers(void)
{
    check_shared((struct dts_gemm){.transpose_b = true, .m = 5, .n = 701, .k = 333}, true);
    check_shared((struct dts_gemm){.transpose_b = true, .m = 7, .n = 5, .k = 20011, .beta = 1},
                 true);
    check_shared((struct dts_gemm){.transpose_b = true, .m = 33, .n = 300, .k = 600}, false);
    check_shared((struct dts_gemm){.m = 2, .n = 2501, .k = 501}, true);
    check_shared((struct dts_gemm){.m = 9, .n = 2501, .k = 501}, false);
    check_shared((struct dts_gemm){.transpose_a = true, .m = 501, .n = 2501, .k = 3, .beta = 1},
                 true);
    check_shared((struct dts_gemm){.transpose_a = true, .m = 501, .n = 2501, .k = 5, .beta = 1},
                 false);
    check_shared((struct dts_gemm){.transpose_a = true, .m = 501, .n = 2501, .k = 3}, false);
}

/* Whether these are depends on the processor. */
static void products_that_are_few_on_some(void)
{
    const struct dts_gemm dots = {.transpose_b = true, .m = 31, .n = 5, .k = 20011, .beta = 1};
    const struct dts_gemm to_input = {.m = 7, .n = 2501, .k = 501};
    const struct dts_gemm of_many = {.transpose_b = true, .m = 15, .n = 89, .k = 20011};
    check_shared(dots, dts_gemm_is_few(&dots));
    check_shared(of_many, true);
    check_shared(to_input, dts_gemm_is_few(&to_input));
}

TESTS(TEST(few_rows_of_any_size), TEST(products_of_layers), TEST(products_that_are_few_on_some))
