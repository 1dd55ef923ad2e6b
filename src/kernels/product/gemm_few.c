/* gemm_few.c -- products of few rows, in three forms that a layer has:
 *
 *     forward            c[m, n] = a[m, k] b[n, k]^T   few m: sums along rows of both (dots)
 *     gradient of x      c[m, n] = a[m, k] b[k, n]     few m: rows of b, added to rows of c
 *     gradient of w      c[m, n] += a[k, m]^T b[k, n]  few k: the same
 *
 * A value's sum has the same order, whatever the others.
 */
#include "kernels/product/gemm_few.h"

#include <string.h>

#include "base/sizes.h"
#include "kernels/vector/lanes_part.h"

enum {
    ADDED_ROWS = DTS_LANES / 4, // of c at once in add_rows()
    ADDED = 4,                  // of b at once
    PANEL = 2048,               // columns whose sums stay in the first cache
};

/* Where these are faster than OpenBLAS, with AVX-512 and with half as many lanes: up to so many
 * rows, and from so many values of the large matrix on. Below that OpenBLAS does not copy
 * either, or copies within a cache. Sums of few values are not worth being summed by lanes.
 * Measured, docs/log/2026-11-ops.md, "Products of few rows". */
enum { WIDE = DTS_LANES_ARE_A_LINE };
enum { MOST_DOTS = WIDE ? 32 : 8, DOTS_VALUES = 1 << 16, VALUES_OF_A_DOT = 8 };
enum { MOST_DOTS_OF_MANY = WIDE ? 32 : 16, MANY_VALUES_OF_DOTS = 3 << 19 };
enum { MOST_TO_INPUT = WIDE ? 8 : 2, MOST_TO_WEIGHTS = 4, ADDED_VALUES = 1 << 20 };
enum { MOST_TO_INPUT_OF_MANY = WIDE ? 32 : 2, MANY_VALUES = 1 << 24 };

static size_t most_dots(const struct dts_gemm *p)
{
    return p->n * p->k >= MANY_VALUES_OF_DOTS ? MOST_DOTS_OF_MANY : MOST_DOTS;
}

bool dts_gemm_is_few(const struct dts_gemm *p)
{
    if (p->transpose_a)
        return !p->transpose_b && p->beta == 1 && p->k <= MOST_TO_WEIGHTS &&
               p->m * p->n >= ADDED_VALUES;
    if (p->transpose_b)
        return p->m <= most_dots(p) && p->m * VALUES_OF_A_DOT <= p->k &&
               p->n * p->k >= DOTS_VALUES;
    const bool many = p->n * p->k >= MANY_VALUES;
    return p->m <= (many ? MOST_TO_INPUT_OF_MANY : MOST_TO_INPUT) &&
           p->n * p->k >= ADDED_VALUES;
}

/* DTS_LANES sums, each of the lanes of one register. */
DTS_LANES_FN dts_lanes totals(dts_lanes sums[DTS_LANES])
{
#pragma GCC unroll 4
    for (int half = DTS_LANES / 2; half > 0; half /= 2)
#pragma GCC unroll 8
        for (int i = 0; i < half; i++)
            sums[i] = dts_lanes_low(sums[i], sums[i + half]) +
                      dts_lanes_high(sums[i], sums[i + half]);
    return sums[0];
}

DTS_LANES_FN void add_products(dts_lanes sums[DTS_LANES], const dts_lanes *a,
                               const dts_lanes *b, int columns)
{
#pragma GCC unroll 16
    for (int i = 0; i < DTS_LANES; i++)
        sums[i] += a[i / columns] * b[i % columns];
}

/* Columns first .. end - 1 of those that come next are fetched. */
struct fetched {
    int first, end;
};

/* Of `rows` rows from row on, and as many columns from column on as fill a register together:
 * [rows, columns]. Beyond the last ones the last one again. */
DTS_LANES_FN dts_lanes dots(const struct dts_gemm *p, size_t row, size_t column, int rows,
                            struct fetched fetched)
{
    const int columns = DTS_LANES / rows;
    const float *a[DTS_LANES], *b[DTS_LANES];
    dts_lanes sums[DTS_LANES] = {{0}}, of_a[DTS_LANES], of_b[DTS_LANES];
    for (size_t i = 0; i < (size_t)rows; i++)
        a[i] = p->a + (row + i < p->m ? row + i : p->m - 1) * p->lda;
    for (size_t j = 0; j < (size_t)columns; j++)
        b[j] = p->b + (column + j < p->n ? column + j : p->n - 1) * p->ldb;
    size_t at = 0;
    for (; at + DTS_LANES <= p->k; at += DTS_LANES) {
#pragma GCC unroll 4
        for (int i = 0; i < rows; i++)
            of_a[i] = dts_lanes_load(a[i] + at);
#pragma GCC unroll 8
        for (int j = 0; j < columns; j++)
            of_b[j] = dts_lanes_load(b[j] + at);
        for (int j = fetched.first; j < fetched.end; j++)
            __builtin_prefetch(b[j] + (size_t)columns * p->ldb + at);
        add_products(sums, of_a, of_b, columns);
    }
    if (at < p->k) {
        for (int i = 0; i < rows; i++)
            of_a[i] = dts_lanes_load_within(a[i], (int)at, (int)p->k, 0);
        for (int j = 0; j < columns; j++)
            of_b[j] = dts_lanes_load_within(b[j], (int)at, (int)p->k, 0);
        add_products(sums, of_a, of_b, columns);
    }
    return totals(sums);
}

static void store_dots(const struct dts_gemm *p, size_t row, size_t column, size_t rows,
                       dts_lanes values)
{
    const size_t columns = DTS_LANES / rows;
    float sums[DTS_LANES];
    dts_lanes_store(sums, values);
    for (size_t i = 0; i < rows && row + i < p->m; i++) {
        float *c = p->c + (row + i) * p->ldc + column;
        for (size_t j = 0; j < columns && column + j < p->n; j++)
            c[j] = sums[i * columns + j] + (p->beta != 0 ? p->beta * c[j] : 0);
    }
}

/* Columns of b are passed once: all rows of a meet them while they are in a cache, and each
 * block of rows fetches its share of the next. */
static void all_dots(const struct dts_gemm *p)
{
    if (p->m <= 2)
        for (size_t column = 0; column < p->n; column += DTS_LANES / 2)
            store_dots(p, 0, column, 2, dots(p, 0, column, 2, (struct fetched){0}));
    else
        for (size_t column = 0; column < p->n; column += DTS_LANES / 4)
            for (size_t row = 0; row < p->m; row += 4) {
                const int columns = DTS_LANES / 4, blocks = (int)(p->m + 3) / 4;
                const int block = (int)(row / 4);
                const struct fetched share = {columns * block / blocks,
                                              columns * (block + 1) / blocks};
                store_dots(p, row, column, 4, dots(p, row, column, 4, share));
            }
}

/* Rows of c and of b that go together, columns first .. first + count - 1. */
struct block {
    size_t row, rows, added, adding, first, count;
};

DTS_LANES_FN float factor(const struct dts_gemm *p, size_t row, size_t added)
{
    return p->transpose_a ? p->a[added * p->lda + row] : p->a[row * p->lda + added];
}

/* c[row + i] += sum over r of factor[i, r] b[added + r]; what comes next is fetched. */
DTS_LANES_FN void add_rows_of(const struct dts_gemm *p, const struct block *block, size_t rows,
                              size_t adding)
{
    float factors[ADDED_ROWS][ADDED];
    const float *b = p->b + block->added * p->ldb + block->first;
    float *c = p->c + block->row * p->ldc + block->first;
    for (size_t i = 0; i < rows; i++)
        for (size_t r = 0; r < adding; r++)
            factors[i][r] = factor(p, block->row + i, block->added + r);
    const size_t b_next = p->transpose_a ? 0 : adding * p->ldb;
    const size_t c_next = p->transpose_a ? rows * p->ldc : 0;
    size_t at = 0;
    for (; at + DTS_LANES <= block->count; at += DTS_LANES) {
        dts_lanes of_b[ADDED] = {{0}};
#pragma GCC unroll 4
        for (size_t r = 0; r < adding; r++) {
            of_b[r] = dts_lanes_load(b + r * p->ldb + at);
            if (b_next > 0)
                __builtin_prefetch(b + r * p->ldb + b_next + at);
        }
#pragma GCC unroll 4
        for (size_t i = 0; i < rows; i++) {
            dts_lanes sum = dts_lanes_load(c + i * p->ldc + at);
#pragma GCC unroll 4
            for (size_t r = 0; r < adding; r++)
                sum += factors[i][r] * of_b[r];
            dts_lanes_store(c + i * p->ldc + at, sum);
            if (c_next > 0)
                __builtin_prefetch(c + i * p->ldc + c_next + at, 1);
        }
    }
    for (; at < block->count; at++)
        for (size_t i = 0; i < rows; i++)
            for (size_t r = 0; r < adding; r++)
                c[i * p->ldc + at] += factors[i][r] * b[r * p->ldb + at];
}

static void add_rows(const struct dts_gemm *p, const struct block *block)
{
    if (block->rows == ADDED_ROWS && block->adding == ADDED)
        add_rows_of(p, block, ADDED_ROWS, ADDED);
    else
        add_rows_of(p, block, block->rows, block->adding);
}

/* All that is added to rows row .. of c, or of rows added .. of b to all of c. */
static void add_panel(const struct dts_gemm *p, size_t first)
{
    struct block block = {.first = first, .count = dts_least(PANEL, p->n - first)};
    const bool by_c = p->transpose_a;
    const size_t outer = by_c ? p->m : p->k, outer_step = by_c ? ADDED_ROWS : ADDED;
    const size_t inner = by_c ? p->k : p->m, inner_step = by_c ? ADDED : ADDED_ROWS;
    for (size_t i = 0; i < outer; i += outer_step)
        for (size_t j = 0; j < inner; j += inner_step) {
            block.row = by_c ? i : j;
            block.added = by_c ? j : i;
            block.rows = dts_least(ADDED_ROWS, p->m - block.row);
            block.adding = dts_least(ADDED, p->k - block.added);
            add_rows(p, &block);
        }
}

static void scale(const struct dts_gemm *p)
{
    for (size_t row = 0; row < p->m; row++) {
        float *restrict c = p->c + row * p->ldc;
        if (p->beta == 0)
            memset(c, 0, p->n * sizeof(*c));
        for (size_t i = 0; i < p->n && p->beta != 0 && p->beta != 1; i++)
            c[i] *= p->beta;
    }
}

void dts_gemm_few(const struct dts_gemm *p)
{
    if (p->transpose_b) {
        all_dots(p);
        return;
    }
    scale(p);
    for (size_t first = 0; first < p->n; first += PANEL)
        add_panel(p, first);
}
