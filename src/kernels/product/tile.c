/* tile.c -- the inner loop of products (Goto and van de Geijn 2008, "Anatomy of
 * High-Performance Matrix Multiplication"): rows x columns sums stay in vector registers, each
 * step reads one vector pair of b and one value of each row of a, so that 2 rows products of
 * vectors stand against rows + 2 loads. With AVX-512: 14 x 32 sums in 28 of 32 registers.
 * a (one block: 14 KiB) stays in the first cache, b's blocks come from the second.
 */
#include "kernels/product/tile.h"

#include <string.h>

#include "kernels/vector/lanes_transpose.h"

/* `rows` is a constant wherever this is used. */
DTS_LANES_FN void tile(size_t rows, size_t depth, const float *a, const float *b, float *c,
                       size_t distance, bool add)
{
    dts_lanes sums[DTS_TILE_ROWS][2];
#pragma GCC unroll 14
    for (size_t i = 0; i < rows; i++)
        sums[i][0] = sums[i][1] = (dts_lanes){0};
    for (size_t k = 0; k < depth; k++, a++, b += DTS_TILE_COLUMNS) {
        const dts_lanes left = dts_lanes_load(b), right = dts_lanes_load(b + DTS_TILE_LANES);
#pragma GCC unroll 14
        for (size_t i = 0; i < rows; i++) {
            sums[i][0] += a[i * DTS_TILE_STEP] * left;
            sums[i][1] += a[i * DTS_TILE_STEP] * right;
        }
    }
#pragma GCC unroll 14
    for (size_t i = 0; i < rows; i++) {
        float *to = c + i * distance;
        dts_lanes_store(to, add ? dts_lanes_load(to) + sums[i][0] : sums[i][0]);
        dts_lanes_store(to + DTS_TILE_LANES,
                        add ? dts_lanes_load(to + DTS_TILE_LANES) + sums[i][1] : sums[i][1]);
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

void dts_tile_transpose(const float *from, size_t distance, size_t rows, size_t columns,
                        float *to)
{
    enum { N = DTS_TILE_LANES };
    const size_t whole_rows = rows / N * N, whole_columns = columns / N * N;
    if (columns < DTS_TILE_COLUMNS)
        memset(to, 0, rows * DTS_TILE_COLUMNS * sizeof(*to));
    for (size_t i = 0; i < whole_rows; i += N) {
        for (size_t j = 0; j < whole_columns; j += N)
            dts_lanes_transpose(from + j * distance + i, distance,
                                to + i * DTS_TILE_COLUMNS + j, DTS_TILE_COLUMNS);
        for (size_t j = whole_columns; j < columns; j++)
            for (size_t k = i; k < i + N; k++)
                to[k * DTS_TILE_COLUMNS + j] = from[j * distance + k];
    }
    for (size_t j = 0; j < columns; j++)
        for (size_t i = whole_rows; i < rows; i++)
            to[i * DTS_TILE_COLUMNS + j] = from[j * distance + i];
}
