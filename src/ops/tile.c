/* tile.c -- the inner loop of products (Goto and van de Geijn 2008, "Anatomy of
 * High-Performance Matrix Multiplication"): rows x columns sums stay in vector registers, each
 * step reads one vector pair of b and one value of each row of a, so that 2 rows products of
 * vectors stand against rows + 2 loads. With AVX-512: 14 x 32 sums in 28 of 32 registers.
 * a (one block: 14 KiB) stays in the first cache, b's blocks come from the second.
 */
#include "ops/tile.h"

#include <string.h>

#if defined(__AVX512F__)
#include <immintrin.h>
#endif

typedef float vector __attribute__((vector_size(DTS_TILE_LANES * sizeof(float))));

static inline __attribute__((always_inline)) vector load(const float *from)
{
    vector v;
    memcpy(&v, from, sizeof(v));
    return v;
}

static inline __attribute__((always_inline)) void store(float *to, vector v)
{
    memcpy(to, &v, sizeof(v));
}

/* `rows` is a constant wherever this is used. */
static inline __attribute__((always_inline)) void tile(size_t rows, size_t depth,
                                                       const float *a, const float *b, float *c,
                                                       size_t distance, bool add)
{
    vector sums[DTS_TILE_ROWS][2];
#pragma GCC unroll 14
    for (size_t i = 0; i < rows; i++)
        sums[i][0] = sums[i][1] = (vector){0};
    for (size_t k = 0; k < depth; k++, a++, b += DTS_TILE_COLUMNS) {
        const vector left = load(b), right = load(b + DTS_TILE_LANES);
#pragma GCC unroll 14
        for (size_t i = 0; i < rows; i++) {
            sums[i][0] += a[i * DTS_TILE_STEP] * left;
            sums[i][1] += a[i * DTS_TILE_STEP] * right;
        }
    }
#pragma GCC unroll 14
    for (size_t i = 0; i < rows; i++) {
        float *to = c + i * distance;
        store(to, add ? load(to) + sums[i][0] : sums[i][0]);
        store(to + DTS_TILE_LANES, add ? load(to + DTS_TILE_LANES) + sums[i][1] : sums[i][1]);
    }
}

#define ROWS(n)                                                                                \
    case n:                                                                                    \
        tile(n, depth, a, b, c, distance, add);                                                \
        break

void dts_tile(size_t rows, size_t depth, const float *a, const float *b, float *c,
              size_t distance, bool add)
{
    switch (rows) {
        ROWS(1);
        ROWS(2);
        ROWS(3);
        ROWS(4);
        ROWS(5);
        ROWS(6);
#if defined(__AVX512F__)
        ROWS(7);
        ROWS(8);
        ROWS(9);
        ROWS(10);
        ROWS(11);
        ROWS(12);
        ROWS(13);
        ROWS(14);
#endif
    }
}

#if defined(__AVX512F__)
/* LANES x LANES values: four rounds that interleave the first half of the rows with the second.
 */
static void transpose_square(const float *from, size_t distance, float *to)
{
    enum { N = DTS_TILE_LANES };
    const __m512i low =
        _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
    const __m512i high =
        _mm512_setr_epi32(8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
    __m512 a[N], b[N];
#pragma GCC unroll 16
    for (size_t i = 0; i < N; i++)
        a[i] = _mm512_loadu_ps(from + i * distance);
#pragma GCC unroll 4
    for (int round = 0; round < 4; round++) {
#pragma GCC unroll 8
        for (int i = 0; i < N / 2; i++) {
            b[2 * i] = _mm512_permutex2var_ps(a[i], low, a[i + N / 2]);
            b[2 * i + 1] = _mm512_permutex2var_ps(a[i], high, a[i + N / 2]);
        }
#pragma GCC unroll 16
        for (int i = 0; i < N; i++)
            a[i] = b[i];
    }
#pragma GCC unroll 16
    for (size_t i = 0; i < N; i++)
        _mm512_storeu_ps(to + i * DTS_TILE_COLUMNS, a[i]);
}
#else
static void transpose_square(const float *from, size_t distance, float *to)
{
    for (size_t j = 0; j < DTS_TILE_LANES; j++)
        for (size_t i = 0; i < DTS_TILE_LANES; i++)
            to[i * DTS_TILE_COLUMNS + j] = from[j * distance + i];
}
#endif

void dts_tile_transpose(const float *from, size_t distance, size_t rows, size_t columns,
                        float *to)
{
    enum { N = DTS_TILE_LANES };
    const size_t whole_rows = rows / N * N, whole_columns = columns / N * N;
    if (columns < DTS_TILE_COLUMNS)
        memset(to, 0, rows * DTS_TILE_COLUMNS * sizeof(*to));
    for (size_t i = 0; i < whole_rows; i += N) {
        for (size_t j = 0; j < whole_columns; j += N)
            transpose_square(from + j * distance + i, distance, to + i * DTS_TILE_COLUMNS + j);
        for (size_t j = whole_columns; j < columns; j++)
            for (size_t k = i; k < i + N; k++)
                to[k * DTS_TILE_COLUMNS + j] = from[j * distance + k];
    }
    for (size_t j = 0; j < columns; j++)
        for (size_t i = whole_rows; i < rows; i++)
            to[i * DTS_TILE_COLUMNS + j] = from[j * distance + i];
}
